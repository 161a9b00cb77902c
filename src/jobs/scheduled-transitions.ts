import type { Clock } from '../base/clock.ts'
import { asksEvents } from '../domain/issue-states.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { ClockTurn, DueIssue, DueTurn } from '../store/meta/issues/scheduled-transitions.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { forecastOf } from './forecast.ts'

type ClockworkDeps = {
  clock: Clock
  meta: Pick<MetaStore, 'issuesDue' | 'turnIssues' | 'forecastsWanted' | 'putForecasts' | 'hashesOf'>
  events: Pick<EventStore, 'togetherOf' | 'series'>
  /** Issues that have another state now. */
  changed(issues: readonly Issue[]): void
}

const hourMs = 3_600_000
const weekMs = 168 * hourMs
const dueMax = 500
/** Issues in one run whose state only the events can tell: each costs a query of its own. */
const askedMax = 50
const forecastsMax = 500
/** An event's own time may be ahead of ours. */
const aheadMs = 60_000

/** Events and users of an archived issue since it was archived, within the window of its condition; to the millisecond. */
async function metSince({ clock, meta, events }: ClockworkDeps, due: DueIssue, minutes: number | undefined) {
  const { issue, stateMs } = due
  const nowMs = clock.now()
  const hashes = meta.hashesOf([issue.id]).get(issue.id) ?? []
  const pairs = hashes.map((groupHash) => ({ projectId: issue.projectId, groupHash }))
  const fromMs = minutes === undefined ? stateMs : Math.max(stateMs, nowMs - minutes * 60_000)
  const scope = { projectIds: [issue.projectId], environments: [], fromMs, toMs: nowMs + aheadMs }
  const [met = { events: 0, users: 0 }] = await events.togetherOf(scope, [pairs])
  return met
}

async function archivedTurn(deps: ClockworkDeps, due: DueIssue): Promise<ClockTurn> {
  const { statusDetails } = due.issue
  const { ignoreUntil, ignoreCount, ignoreWindow, ignoreUserCount, ignoreUserWindow } = statusDetails
  const untilMs = ignoreUntil === undefined ? null : Date.parse(ignoreUntil)
  if (untilMs !== null && untilMs <= deps.clock.now()) return { to: 'unarchived', reason: 'time' }
  if (ignoreCount !== undefined && ignoreWindow !== undefined) {
    const { events } = await metSince(deps, due, ignoreWindow)
    if (events >= ignoreCount) return { to: 'escalating', reason: 'count', count: events }
  }
  if (ignoreUserCount !== undefined) {
    const { users } = await metSince(deps, due, ignoreUserWindow)
    if (users >= ignoreUserCount) return { to: 'escalating', reason: 'users', count: users }
  }
  // The next event asks again.
  return { to: 'later', dueMs: untilMs }
}

/** What the time does to an issue. Throws STORE_UNAVAILABLE where only the events can say. */
async function turnOf(deps: ClockworkDeps, due: DueIssue): Promise<ClockTurn> {
  const { issue } = due
  if (issue.status === 'ignored') return archivedTurn(deps, due)
  if (issue.status !== 'unresolved') return { to: 'later', dueMs: null }
  // An escalation ends when the rate is back at what the issue's own last week explains.
  if (issue.substatus !== 'new' && due.isOverForecast) return { to: 'later', dueMs: deps.clock.now() + hourMs }
  return { to: 'ongoing', reason: 'age' }
}

/** Turns what is due: ages, ends archives, ends escalations. Nothing is lost while the events store is away: it stays due. */
export async function runClock(deps: ClockworkDeps): Promise<{ turned: number }> {
  const due = deps.meta.issuesDue(deps.clock.now(), dueMax)
  const turns: DueTurn[] = []
  let asked = 0
  let failure: unknown
  for (const item of due) {
    if (asksEvents(item.issue.statusDetails) && asked++ >= askedMax) continue
    try {
      const { id, rev, count } = item.issue
      turns.push({ id, rev, count, turn: await turnOf(deps, item) })
    } catch (error) {
      // The others need no answer of the events store.
      failure = error
    }
  }
  const turned = turns.length === 0 ? [] : deps.meta.turnIssues(turns, deps.clock.now())
  if (turned.length > 0) deps.changed(turned)
  if (failure !== undefined) throw failure
  return { turned: turned.length }
}

/** Makes forecasts anew from the last week's whole hours, those that are older than an hour and those that are missing. */
export async function runForecasts({ clock, meta, events }: ClockworkDeps): Promise<{ forecasts: number }> {
  const nowMs = clock.now()
  const wanted = meta.forecastsWanted(nowMs, nowMs - hourMs, forecastsMax)
  if (wanted.length === 0) return { forecasts: 0 }
  const toMs = Math.floor(nowMs / hourMs) * hourMs
  const fromMs = toMs - weekMs
  const hashes = meta.hashesOf(wanted.map((item) => item.id))
  const pairs = wanted.flatMap((item) =>
    (hashes.get(item.id) ?? []).map((groupHash) => ({ projectId: item.projectId, groupHash })),
  )
  const projectIds = [...new Set(wanted.map((item) => item.projectId))]
  const series = await events.series({ projectIds, environments: [], fromMs, toMs }, hourMs, pairs)
  const byGroup = Map.groupBy(series, (item) => `${item.projectId}:${item.groupHash}`)
  const made = wanted.map(({ id, projectId, firstSeenMs }) => {
    // Hours before it was there say nothing about it.
    const first = Math.min(167, Math.max(0, Math.ceil((firstSeenMs - fromMs) / hourMs)))
    const counts = Array<number>(168).fill(0)
    for (const hash of hashes.get(id) ?? [])
      for (const { startMs, events: found } of byGroup.get(`${projectId}:${hash}`) ?? []) {
        const at = (startMs - fromMs) / hourMs
        if (at >= 0 && at < 168) counts[at] = (counts[at] ?? 0) + found
      }
    return { issueId: id, limits: forecastOf(fromMs + first * hourMs, counts.slice(first)) }
  })
  meta.putForecasts(made, nowMs)
  return { forecasts: made.length }
}
