import { sql } from 'kysely'
import type { Limits, Substatus } from '../../../domain/issue-states.ts'
import { ageMs, fewEvents } from '../../../domain/issue-states.ts'
import { isPriorityRaised } from '../../../domain/priority.ts'
import { issueTriggerRow, type TriggerKind } from '../alerts/triggers.ts'
import type { Store } from '../database/store.ts'
import { activityRow, type BatchStatements, batchStatements, issueOf } from '../ingest/batch-statements.ts'
import { notifyAfter } from '../ingest/diagnostic-counts.ts'
import type { Issue } from '../meta.ts'
import { comparedReleases, issueContextOf, limitsOf, releaseTimesOf } from '../releases/release-transitions.ts'
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

/** Writes one transition. Returns undefined when the issue was only postponed, or has changed meanwhile. */
async function applyTransition(
  { write, dialect: { builder } }: Store,
  statements: BatchStatements,
  { id, rev, count, transition }: DueTransition,
  nowMs: number,
): Promise<IssueRow | undefined> {
  const old = await issueOf(statements, id)
  if (!old || old.rev !== rev) return undefined
  if (transition.to === 'later') {
    // Events that arrived during the lookup made the issue due without a new revision. The lookup did not count them.
    if (old.count !== count) return undefined
    await write.run(builder.updateTable('issue').set({ due_ms: transition.dueMs }).where('id', '=', id))
    return undefined
  }
  const substatus: Substatus = transition.to === 'escalating' ? 'escalating' : 'ongoing'
  const row: IssueRow = { ...old, ...stateColumns('unresolved', substatus, {}, nowMs), rev: old.rev + 1 }
  await statements.updateIssues([row])
  const types = { ongoing: 'auto_set_ongoing', unarchived: 'set_unresolved', escalating: 'set_escalating' } as const
  const { to, ...reason } = transition
  const data = JSON.stringify({ ...reason, before: { status: old.status, substatus: old.substatus } })
  await statements.activities.run([activityRow(id, types[to], nowMs, data)])
  const { organization_id, project_id } = old
  if (to === 'escalating' && (await statements.withChannels.all([{ id: organization_id }])).length > 0)
    await statements.alertsDue.run([
      {
        organization_id,
        project_id,
        issue_id: id,
        kind: 'escalation',
        event_id: '',
        at_ms: nowMs,
        until_ms: notifyAfter(row, nowMs),
      },
    ])
  if (to === 'escalating' && (await statements.withIssueRules.all([{ id: organization_id }])).length > 0) {
    const kinds: TriggerKind[] = isPriorityRaised(old, row) ? ['escalation', 'priority'] : ['escalation']
    await statements.issueTriggers.run(kinds.map((kind) => issueTriggerRow(row, kind, nowMs)))
  }
  return row
}

/** Returns due issues. `rows` are in their order. */
async function dueIssues(statements: BatchStatements, rows: readonly IssueRow[], nowMs: number): Promise<DueIssue[]> {
  // A past window does not describe the current rate.
  const isCurrent = (row: IssueRow) => row.hour_ms > nowMs - 2 * 3_600_000
  const limits = await limitsOf(
    statements,
    rows.filter(isCurrent).map((row) => row.id),
  )
  const context = { nowMs, limitsOf: (id: number) => limits.get(id) }
  return rows.map((row) => ({
    issue: toIssue(row),
    stateMs: row.state_ms,
    isOverForecast: isCurrent(row) && escalationOf(row, context) !== undefined,
  }))
}

/** Writes issues that were resolved in a release. Returns their ids. */
async function writeSettled(
  statements: BatchStatements,
  rows: readonly IssueRow[],
  data: { version: string; reason: 'next_release' | 'commit' },
  nowMs: number,
): Promise<number[]> {
  await statements.updateIssues(rows)
  const text = JSON.stringify(data)
  await statements.activities.run(rows.map(({ id }) => activityRow(id, 'set_resolved_in_release', nowMs, text)))
  return rows.map((row) => row.id)
}

/** See `ScheduledTransitionStore.settleRelease`. The caller opens the transaction. */
async function settleRelease(
  statements: BatchStatements,
  projectIds: readonly number[],
  version: string,
  nowMs: number,
): Promise<number[]> {
  const awaiting = await statements.awaiting.all([...new Set(projectIds)].map((id) => ({ id })))
  const rows = await statements.issues.all(awaiting.map(({ id }) => ({ id })))
  const organizations = new Map(rows.map((row) => [row.project_id, row.organization_id]))
  const created = [...organizations].map(([project_id, organization_id]) => ({ organization_id, project_id, version }))
  const times = await releaseTimesOf(statements, [...created, ...rows.flatMap(comparedReleases)])
  const byProject = Map.groupBy(rows, (row) => row.project_id)
  const settled = [...new Set(projectIds)].flatMap((projectId) => {
    const context = issueContextOf({ projectId, nowMs, times })
    const waiting = (byProject.get(projectId) ?? []).sort((a, b) => a.id - b.id)
    return waiting.filter((row) => settleNext(row, version, context))
  })
  return writeSettled(statements, settled, { version, reason: 'next_release' }, nowMs)
}

/** See `ScheduledTransitionStore.settleCommits`. The caller opens the transaction. */
async function settleCommits(
  { write, dialect: { builder } }: Store,
  statements: BatchStatements,
  projectIds: readonly number[],
  version: string,
  has: (repository: string, commit: string) => Promise<boolean>,
  nowMs: number,
): Promise<number[]> {
  const settled: IssueRow[] = []
  for (const projectId of projectIds) {
    const rows = await write.all(
      builder
        .selectFrom('issue')
        .selectAll()
        .where('project_id', '=', projectId)
        // A literal, because SQLite does not use a partial index for a bound parameter.
        .where(sql<boolean>`awaits_release = 2`)
        .orderBy('id'),
    )
    for (const row of rows)
      if (await settleCommit(row, version, (item) => has(item.repository, item.commit))) settled.push(row)
  }
  return writeSettled(statements, settled, { version, reason: 'commit' }, nowMs)
}

/** Implements scheduled transitions. */
export function scheduledTransitionPart(store: Store): Omit<ScheduledTransitionStore, keyof ForecastPart> {
  const { write, dialect } = store
  const { builder } = dialect
  const statements = batchStatements(write, dialect)
  return {
    issuesDue: async (nowMs, max) =>
      dueIssues(
        statements,
        await write.all(
          builder
            .selectFrom('issue')
            .selectAll()
            .where('due_ms', '<=', nowMs)
            .orderBy('due_ms')
            .orderBy('id')
            .limit(max),
        ),
        nowMs,
      ),
    transitionIssues: (transitions, nowMs) =>
      write.transaction(async () => {
        const changed: Issue[] = []
        for (const transition of transitions) {
          const row = await applyTransition(store, statements, transition, nowMs)
          if (row) changed.push(toIssue(row))
        }
        return changed
      }),
    settleRelease: (projectIds, version, nowMs) =>
      write.transaction(() => settleRelease(statements, projectIds, version, nowMs)),
    settleCommits: (projectIds, version, has, nowMs) =>
      write.transaction(() => settleCommits(store, statements, projectIds, version, has, nowMs)),
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
