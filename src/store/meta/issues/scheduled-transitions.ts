import { sql } from 'kysely'
import type { Limits, Substatus } from '../../../domain/issue-states.ts'
import { ageMs, fewEvents } from '../../../domain/issue-states.ts'
import type { Store } from '../database/store.ts'
import { batchStatements } from '../ingest/batch-statements.ts'
import { waitsUntil } from '../ingest/diagnostic-counts.ts'
import type { Issue } from '../meta.ts'
import { aroundOf } from '../releases/release-transitions.ts'
import { escalationOf, type IssueRow, settleCommit, settleNext, stateColumns } from './issue-state.ts'
import { toIssue } from './issues.ts'

/** What the clock does to an issue. */
export type ClockTurn =
  /** It was new, escalating or regressed for its time. */
  | { to: 'ongoing'; reason: 'age' }
  /** The time until which it was archived is over. */
  | { to: 'unarchived'; reason: 'time' }
  /** As many users or events as it was archived for have come. */
  | { to: 'escalating'; reason: 'count' | 'users'; count: number }
  /** It stays, and is looked at again then; null: when something arrives. */
  | { to: 'later'; dueMs: number | null }

/** An issue whose time has come. */
export type DueIssue = { issue: Issue; stateMs: number; isOverForecast: boolean }

/** What becomes of an issue, and what it was when that was found out. */
export type DueTurn = { id: number; rev: number; count: number; turn: ClockTurn }

/** What a forecast is made of: issues that have enough events to have a level. */
type ForecastWish = { id: number; projectId: number; firstSeenMs: number }

export type ScheduledTransitionStore = {
  /** Issues that the clock has to look at by `nowMs`, the longest waiting first. */
  issuesDue(nowMs: number, max: number): DueIssue[]
  /**
   * One transaction; issues that anybody has changed since they were read (`rev`) are left out, and those that were to wait
   * but have events since (`count`) stay due. Returns those that turned.
   */
  turnIssues(turns: readonly DueTurn[], nowMs: number): Issue[]
  /** Issues without a forecast, or with one from before `beforeMs`, the oldest first. */
  forecastsWanted(nowMs: number, beforeMs: number, max: number): ForecastWish[]
  putForecasts(made: readonly { issueId: number; limits: Limits }[], nowMs: number): void
  /** Resolves in a release that was made now what waits for the next one of these projects. Returns the issues' ids. */
  settleRelease(projectIds: readonly number[], version: string, nowMs: number): number[]
  /** Resolves in a release what waits in these projects for a commit that `has` says it has. Returns the issues' ids. */
  settleCommits(
    projectIds: readonly number[],
    version: string,
    has: (repository: string, commit: string) => boolean,
    nowMs: number,
  ): number[]
}

const youngMs = 86_400_000
/** A day longer than the history, so that a forecast is made once more when the last event has left it. */
const quietMs = ageMs + 86_400_000

type Statements = ReturnType<typeof batchStatements>

/** Writes one turn; undefined when the issue only waits on, or has changed meanwhile. */
function turnOne(
  { write, dialect: { builder } }: Store,
  statements: Statements,
  { id, rev, count, turn }: DueTurn,
  nowMs: number,
): IssueRow | undefined {
  const old = statements.issue.get({ id })
  if (!old || old.rev !== rev) return undefined
  if (turn.to === 'later') {
    // Events that came while the store was asked made it due without a new revision: they are not counted in the answer.
    if (old.count !== count) return undefined
    write.run(builder.updateTable('issue').set({ due_ms: turn.dueMs }).where('id', '=', id))
    return undefined
  }
  const substatus: Substatus = turn.to === 'escalating' ? 'escalating' : 'ongoing'
  const row: IssueRow = { ...old, ...stateColumns('unresolved', substatus, {}, nowMs), rev: old.rev + 1 }
  statements.updateIssue.run(row)
  const types = { ongoing: 'auto_set_ongoing', unarchived: 'set_unresolved', escalating: 'set_escalating' } as const
  const { to, ...why } = turn
  const data = JSON.stringify({ ...why, before: { status: old.status, substatus: old.substatus } })
  statements.activity.run({ issueId: id, type: types[to], createdMs: nowMs, data })
  if (to === 'escalating' && statements.anyChannel.get({ organizationId: old.organization_id }))
    statements.alertDue.run({
      organizationId: old.organization_id,
      projectId: old.project_id,
      issueId: id,
      kind: 'escalation',
      eventId: '',
      atMs: nowMs,
      untilMs: waitsUntil(row, nowMs),
    })
  return row
}

/** What happens to issues by the clock. */
export function scheduledTransitionPart(store: Store): Omit<ScheduledTransitionStore, keyof ForecastPart> {
  const { write, dialect } = store
  const { builder } = dialect
  const statements = batchStatements(write, dialect)
  const around = (row: IssueRow, nowMs: number) => aroundOf(statements, row.project_id, nowMs)
  return {
    issuesDue: (nowMs, max) =>
      write
        .all(
          builder
            .selectFrom('issue')
            .selectAll()
            .where('due_ms', '<=', nowMs)
            .orderBy('due_ms')
            .orderBy('id')
            .limit(max),
        )
        .map((row) => ({
          issue: toIssue(row),
          stateMs: row.state_ms,
          // A window that is over says nothing about now.
          isOverForecast: row.hour_ms > nowMs - 2 * 3_600_000 && escalationOf(row, around(row, nowMs)) !== undefined,
        })),
    turnIssues: (turns, nowMs) =>
      write.transaction(() => turns.flatMap((turn) => turnOne(store, statements, turn, nowMs) ?? []).map(toIssue)),
    settleRelease: (projectIds, version, nowMs) =>
      write.transaction(() =>
        projectIds.flatMap((projectId) =>
          statements.awaiting.all({ projectId }).flatMap(({ id }) => {
            const row = statements.issue.get({ id })
            if (!row || !settleNext(row, version, around(row, nowMs))) return []
            statements.updateIssue.run(row)
            const data = JSON.stringify({ version, reason: 'next_release' })
            statements.activity.run({ issueId: id, type: 'set_resolved_in_release', createdMs: nowMs, data })
            return [id]
          }),
        ),
      ),
    settleCommits: (projectIds, version, has, nowMs) =>
      write.transaction(() =>
        projectIds.flatMap((projectId) =>
          write
            .all(
              builder
                .selectFrom('issue')
                .select('id')
                .where('project_id', '=', projectId)
                // Written out: an index over some rows is not used for a value that is bound.
                .where(sql<boolean>`awaits_release = 2`)
                .orderBy('id'),
            )
            .flatMap(({ id }) => {
              const row = statements.issue.get({ id })
              if (!row || !settleCommit(row, version, (item) => has(item.repository, item.commit))) return []
              statements.updateIssue.run(row)
              const data = JSON.stringify({ version, reason: 'commit' })
              statements.activity.run({ issueId: id, type: 'set_resolved_in_release', createdMs: nowMs, data })
              return [id]
            }),
        ),
      ),
  }
}

type ForecastPart = Pick<ScheduledTransitionStore, 'forecastsWanted' | 'putForecasts'>

/** Forecasts that arrivals are held against. */
export function forecastPart({ write, dialect: { builder } }: Store): ForecastPart {
  const there = (id: number) => write.get(builder.selectFrom('issue').select('id').where('id', '=', id))
  return {
    forecastsWanted: (nowMs, beforeMs, max) =>
      write
        .all(
          builder
            .selectFrom('issue')
            .leftJoin('issue_forecast', 'issue_forecast.issue_id', 'issue.id')
            .select(['issue.id', 'issue.project_id', 'issue.first_seen_ms', 'issue_forecast.made_ms'])
            .where('issue.status', '!=', 'resolved')
            .where('issue.count', '>=', fewEvents)
            .where((build) =>
              build.or([
                build('issue.first_seen_ms', '<', nowMs - youngMs),
                build('issue.substatus', '=', 'archived_until_escalating'),
              ]),
            )
            .where((build) =>
              build.or([
                build('issue_forecast.made_ms', 'is', null),
                build.and([
                  build('issue_forecast.made_ms', '<', beforeMs),
                  build('issue.last_seen_ms', '>', nowMs - quietMs),
                ]),
              ]),
            )
            .orderBy('issue_forecast.made_ms')
            .limit(max),
        )
        .map((row) => ({ id: row.id, projectId: row.project_id, firstSeenMs: row.first_seen_ms })),
    putForecasts: (made, nowMs) =>
      write.transaction(() => {
        for (const { issueId, limits } of made) {
          const row = { issue_id: issueId, made_ms: nowMs, limits: JSON.stringify(limits) }
          // The issue may have gone since its history was asked for.
          if (!there(issueId)) continue
          write.run(
            builder
              .insertInto('issue_forecast')
              .values(row)
              .onConflict((conflict) => conflict.column('issue_id').doUpdateSet(row)),
          )
        }
      }),
  }
}
