import { sql } from 'kysely'
import type { Limits, Substatus } from '../../../domain/issue-states.ts'
import { ageMs, fewEvents } from '../../../domain/issue-states.ts'
import type { Store } from '../database/store.ts'
import { batchStatements } from '../ingest/batch-statements.ts'
import { notifyAfter } from '../ingest/diagnostic-counts.ts'
import type { Issue } from '../meta.ts'
import { issueContextOf } from '../releases/release-transitions.ts'
import { escalationOf, type IssueRow, settleCommit, settleNext, stateColumns } from './issue-state.ts'
import { toIssue } from './issues.ts'

/** A scheduled transition of an issue. */
export type Transition =
  /** The issue was new, escalating or regressed for long enough. */
  | { to: 'ongoing'; reason: 'age' }
  /** The archive period is over. */
  | { to: 'unarchived'; reason: 'time' }
  /** The number of users or events that it was archived for is reached. */
  | { to: 'escalating'; reason: 'count' | 'users'; count: number }
  /** The issue stays as it is until the next check; null: until an event arrives. */
  | { to: 'later'; dueMs: number | null }

/** An issue whose scheduled check is due. */
export type DueIssue = { issue: Issue; stateMs: number; isOverForecast: boolean }

/** The transition of an issue, and the issue's revision and count when it was computed. */
export type DueTransition = { id: number; rev: number; count: number; transition: Transition }

/** An issue that needs a forecast, because it has enough events. */
type ForecastIssue = { id: number; projectId: number; firstSeenMs: number }

export type ScheduledTransitionStore = {
  /** Issues with a scheduled check due by `nowMs`, the longest waiting first. */
  issuesDue(nowMs: number, max: number): Promise<DueIssue[]>
  /**
   * Applies transitions in one transaction. Skips issues that changed since they were read (`rev`). A postponed issue
   * with new events since then (`count`) stays due. Returns the issues that changed.
   */
  transitionIssues(transitions: readonly DueTransition[], nowMs: number): Promise<Issue[]>
  /** Issues without a forecast or with one from before `beforeMs`, the oldest first. */
  issuesToForecast(nowMs: number, beforeMs: number, max: number): Promise<ForecastIssue[]>
  putForecasts(forecasts: readonly { issueId: number; limits: Limits }[], nowMs: number): Promise<void>
  /** Resolves issues that wait for the next release of these projects, in a release created now. Returns their ids. */
  settleRelease(projectIds: readonly number[], version: string, nowMs: number): Promise<number[]>
  /** Resolves issues of these projects that wait for a commit which `has` finds in the release. Returns their ids. */
  settleCommits(
    projectIds: readonly number[],
    version: string,
    has: (repository: string, commit: string) => Promise<boolean>,
    nowMs: number,
  ): Promise<number[]>
}

const newIssueMs = 86_400_000
/** A day longer than the history, so that a last forecast is computed after the last event has left it. */
const forecastMaxAgeMs = ageMs + 86_400_000

type Statements = ReturnType<typeof batchStatements>

/** Writes one transition. Returns undefined when the issue was only postponed, or has changed meanwhile. */
async function applyTransition(
  { write, dialect: { builder } }: Store,
  statements: Statements,
  { id, rev, count, transition }: DueTransition,
  nowMs: number,
): Promise<IssueRow | undefined> {
  const old = await statements.issue.get({ id })
  if (!old || old.rev !== rev) return undefined
  if (transition.to === 'later') {
    // Events that arrived during the lookup made the issue due without a new revision. The lookup did not count them.
    if (old.count !== count) return undefined
    await write.run(builder.updateTable('issue').set({ due_ms: transition.dueMs }).where('id', '=', id))
    return undefined
  }
  const substatus: Substatus = transition.to === 'escalating' ? 'escalating' : 'ongoing'
  const row: IssueRow = { ...old, ...stateColumns('unresolved', substatus, {}, nowMs), rev: old.rev + 1 }
  await statements.updateIssue.run(row)
  const types = { ongoing: 'auto_set_ongoing', unarchived: 'set_unresolved', escalating: 'set_escalating' } as const
  const { to, ...reason } = transition
  const data = JSON.stringify({ ...reason, before: { status: old.status, substatus: old.substatus } })
  await statements.activity.run({ issueId: id, type: types[to], createdMs: nowMs, data })
  if (to === 'escalating' && (await statements.anyChannel.get({ organizationId: old.organization_id })))
    await statements.alertDue.run({
      organizationId: old.organization_id,
      projectId: old.project_id,
      issueId: id,
      kind: 'escalation',
      eventId: '',
      atMs: nowMs,
      untilMs: notifyAfter(row, nowMs),
    })
  return row
}

/** Implements scheduled transitions. */
export function scheduledTransitionPart(store: Store): Omit<ScheduledTransitionStore, keyof ForecastPart> {
  const { write, dialect } = store
  const { builder } = dialect
  const statements = batchStatements(write, dialect)
  const contextOf = (row: IssueRow, nowMs: number) => issueContextOf(statements, row.project_id, nowMs)
  return {
    issuesDue: async (nowMs, max) =>
      await Array.fromAsync(
        await write.all(
          builder
            .selectFrom('issue')
            .selectAll()
            .where('due_ms', '<=', nowMs)
            .orderBy('due_ms')
            .orderBy('id')
            .limit(max),
        ),
        async (row) => ({
          issue: toIssue(row),
          stateMs: row.state_ms,
          // A past window does not describe the current rate.
          isOverForecast:
            row.hour_ms > nowMs - 2 * 3_600_000 && (await escalationOf(row, contextOf(row, nowMs))) !== undefined,
        }),
      ),
    transitionIssues: (transitions, nowMs) =>
      write.transaction(async () =>
        (
          await Array.fromAsync(
            transitions,
            async (transition) => (await applyTransition(store, statements, transition, nowMs)) ?? [],
          )
        )
          .flat()
          .map(toIssue),
      ),
    settleRelease: (projectIds, version, nowMs) =>
      write.transaction(async () =>
        (
          await Array.fromAsync(projectIds, async (projectId) =>
            (
              await Array.fromAsync(await statements.awaiting.all({ projectId }), async ({ id }) => {
                const row = await statements.issue.get({ id })
                if (!row || !(await settleNext(row, version, contextOf(row, nowMs)))) return []
                await statements.updateIssue.run(row)
                const data = JSON.stringify({ version, reason: 'next_release' })
                await statements.activity.run({ issueId: id, type: 'set_resolved_in_release', createdMs: nowMs, data })
                return [id]
              })
            ).flat(),
          )
        ).flat(),
      ),
    settleCommits: (projectIds, version, has, nowMs) =>
      write.transaction(async () =>
        (
          await Array.fromAsync(projectIds, async (projectId) =>
            (
              await Array.fromAsync(
                await write.all(
                  builder
                    .selectFrom('issue')
                    .select('id')
                    .where('project_id', '=', projectId)
                    // A literal, because SQLite does not use a partial index for a bound parameter.
                    .where(sql<boolean>`awaits_release = 2`)
                    .orderBy('id'),
                ),
                async ({ id }) => {
                  const row = await statements.issue.get({ id })
                  if (!row || !(await settleCommit(row, version, (item) => has(item.repository, item.commit))))
                    return []
                  await statements.updateIssue.run(row)
                  const data = JSON.stringify({ version, reason: 'commit' })
                  await statements.activity.run({
                    issueId: id,
                    type: 'set_resolved_in_release',
                    createdMs: nowMs,
                    data,
                  })
                  return [id]
                },
              )
            ).flat(),
          )
        ).flat(),
      ),
  }
}

type ForecastPart = Pick<ScheduledTransitionStore, 'issuesToForecast' | 'putForecasts'>

/** Implements the forecasts that arrivals are compared with. */
export function forecastPart({ write, dialect: { builder } }: Store): ForecastPart {
  const isStored = (id: number) => write.get(builder.selectFrom('issue').select('id').where('id', '=', id))
  return {
    issuesToForecast: async (nowMs, beforeMs, max) =>
      (
        await write.all(
          builder
            .selectFrom('issue')
            .leftJoin('issue_forecast', 'issue_forecast.issue_id', 'issue.id')
            .select(['issue.id', 'issue.project_id', 'issue.first_seen_ms', 'issue_forecast.made_ms'])
            .where('issue.status', '!=', 'resolved')
            .where('issue.count', '>=', fewEvents)
            .where((build) =>
              build.or([
                build('issue.first_seen_ms', '<', nowMs - newIssueMs),
                build('issue.substatus', '=', 'archived_until_escalating'),
              ]),
            )
            .where((build) =>
              build.or([
                build('issue_forecast.made_ms', 'is', null),
                build.and([
                  build('issue_forecast.made_ms', '<', beforeMs),
                  build('issue.last_seen_ms', '>', nowMs - forecastMaxAgeMs),
                ]),
              ]),
            )
            .orderBy('issue_forecast.made_ms')
            .limit(max),
        )
      ).map((row) => ({ id: row.id, projectId: row.project_id, firstSeenMs: row.first_seen_ms })),
    putForecasts: (forecasts, nowMs) =>
      write.transaction(async () => {
        for (const { issueId, limits } of forecasts) {
          const row = { issue_id: issueId, made_ms: nowMs, limits: JSON.stringify(limits) }
          // The issue can have been deleted since its history was read.
          if (!(await isStored(issueId))) continue
          await write.run(
            builder
              .insertInto('issue_forecast')
              .values(row)
              .onConflict((conflict) => conflict.column('issue_id').doUpdateSet(row)),
          )
        }
      }),
  }
}
