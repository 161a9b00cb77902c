import type { Clock } from '../base/clock.ts'
import { hasEventLimit } from '../domain/issue-states.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { DueIssue, DueTransition, Transition } from '../store/meta/issues/scheduled-transitions.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { forecastOf } from './forecast.ts'

type TransitionDeps = {
  clock: Clock
  meta: MetaWith<
    | 'issues.issuesDue'
    | 'issues.transitionIssues'
    | 'issues.issuesToForecast'
    | 'issues.putForecasts'
    | 'issues.hashesOf'
  >
  events: Pick<EventStore, 'togetherOf' | 'series'>
  /** Called with issues whose state changed. */
  changed(issues: readonly Issue[]): void
}

const hourMs = 3_600_000
const weekMs = 168 * hourMs
const dueMax = 500
/** Maximum issues per run that need a query of the events store. */
const queriesMax = 50
const forecastsMax = 500
/** The time of an event can be ahead of the server clock. */
const aheadMs = 60_000

/** Counts events and users since an issue was archived, within its condition's window; exact to the millisecond. */
async function countsSince({ clock, meta, events }: TransitionDeps, due: DueIssue, minutes: number | undefined) {
  const { issue, stateMs } = due
  const nowMs = clock.now()
  const hashes = (await meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  const pairs = hashes.map((groupHash) => ({ projectId: issue.projectId, groupHash }))
  const fromMs = minutes === undefined ? stateMs : Math.max(stateMs, nowMs - minutes * 60_000)
  const scope = { projectIds: [issue.projectId], environments: [], fromMs, toMs: nowMs + aheadMs }
  const [counts = { events: 0, users: 0 }] = await events.togetherOf(scope, [pairs])
  return counts
}

async function archivedTransition(deps: TransitionDeps, due: DueIssue): Promise<Transition> {
  const { statusDetails } = due.issue
  const { ignoreUntil, ignoreCount, ignoreWindow, ignoreUserCount, ignoreUserWindow } = statusDetails
  const untilMs = ignoreUntil === undefined ? null : Date.parse(ignoreUntil)
  if (untilMs !== null && untilMs <= deps.clock.now()) return { to: 'unarchived', reason: 'time' }
  if (ignoreCount !== undefined && ignoreWindow !== undefined) {
    const { events } = await countsSince(deps, due, ignoreWindow)
    if (events >= ignoreCount) return { to: 'escalating', reason: 'count', count: events }
  }
  if (ignoreUserCount !== undefined) {
    const { users } = await countsSince(deps, due, ignoreUserWindow)
    if (users >= ignoreUserCount) return { to: 'escalating', reason: 'users', count: users }
  }
  // The next event schedules a check again.
  return { to: 'later', dueMs: untilMs }
}

/** Returns the transition that is due. Throws STORE_UNAVAILABLE if it needs the events store and that is down. */
async function transitionOf(deps: TransitionDeps, due: DueIssue): Promise<Transition> {
  const { issue } = due
  if (issue.status === 'ignored') return archivedTransition(deps, due)
  if (issue.status !== 'unresolved') return { to: 'later', dueMs: null }
  // An escalation ends when the rate is back within the forecast from the last week.
  if (issue.substatus !== 'new' && due.isOverForecast) return { to: 'later', dueMs: deps.clock.now() + hourMs }
  return { to: 'ongoing', reason: 'age' }
}

/** Applies due transitions: age, end of archive, end of escalation. They stay due while the events store is down. */
export async function runTransitions(deps: TransitionDeps): Promise<{ changed: number }> {
  const due = await deps.meta.issues.issuesDue(deps.clock.now(), dueMax)
  const transitions: DueTransition[] = []
  let queries = 0
  let failure: unknown
  for (const item of due) {
    if (hasEventLimit(item.issue.statusDetails) && queries++ >= queriesMax) continue
    try {
      const { id, rev, count } = item.issue
      transitions.push({ id, rev, count, transition: await transitionOf(deps, item) })
    } catch (error) {
      // The other issues do not need the events store.
      failure = error
    }
  }
  const changed = transitions.length === 0 ? [] : await deps.meta.issues.transitionIssues(transitions, deps.clock.now())
  if (changed.length > 0) deps.changed(changed)
  if (failure !== undefined) throw failure
  return { changed: changed.length }
}

/** Renews forecasts that are missing or older than an hour, from the whole hours of the last week. */
export async function runForecasts({ clock, meta, events }: TransitionDeps): Promise<{ forecasts: number }> {
  const nowMs = clock.now()
  const issues = await meta.issues.issuesToForecast(nowMs, nowMs - hourMs, forecastsMax)
  if (issues.length === 0) return { forecasts: 0 }
  const toMs = Math.floor(nowMs / hourMs) * hourMs
  const fromMs = toMs - weekMs
  const hashes = await meta.issues.hashesOf(issues.map((item) => item.id))
  const pairs = issues.flatMap((item) =>
    (hashes.get(item.id) ?? []).map((groupHash) => ({ projectId: item.projectId, groupHash })),
  )
  const projectIds = [...new Set(issues.map((item) => item.projectId))]
  const series = await events.series({ projectIds, environments: [], fromMs, toMs }, hourMs, pairs)
  const byGroup = Map.groupBy(series, (item) => `${item.projectId}:${item.groupHash}`)
  const forecasts = issues.map(({ id, projectId, firstSeenMs }) => {
    // Ignore hours before the issue existed.
    const first = Math.min(167, Math.max(0, Math.ceil((firstSeenMs - fromMs) / hourMs)))
    const counts = Array<number>(168).fill(0)
    for (const hash of hashes.get(id) ?? [])
      for (const { startMs, events: found } of byGroup.get(`${projectId}:${hash}`) ?? []) {
        const at = (startMs - fromMs) / hourMs
        if (at >= 0 && at < 168) counts[at] = (counts[at] ?? 0) + found
      }
    return { issueId: id, limits: forecastOf(fromMs + first * hourMs, counts.slice(first)) }
  })
  await meta.issues.putForecasts(forecasts, nowMs)
  return { forecasts: forecasts.length }
}
