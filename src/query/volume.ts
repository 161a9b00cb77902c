import type { RestVolume } from '../contract/volume.ts'
import type { EventFilter, Scope } from '../store/events/events.ts'
import type { QueryDeps, View } from './issues/issue.ts'
import { bucketOf } from './range.ts'
import type { Branch } from './search/branches.ts'
import { searchContextOf } from './search/context.ts'
import { parseSearch } from './search/parse.ts'
import { planOf } from './search/plan.ts'

/** Bars of the chart: one for each three hours of two weeks. */
const bucketsMax = 120
/** As many groups as a list by events reads (issues.ts). */
const groupsMax = 10_000

type Level = 'error' | 'warning' | 'other'
const levels: readonly Level[] = ['error', 'warning', 'other']
type Group = { projectId: number; groupHash: string }
type Series = Record<Level, Map<number, number>>

const levelOf = (level: string): Level =>
  level === 'fatal' || level === 'error' ? 'error' : level === 'warning' ? 'warning' : 'other'

/**
 * Returns the events over time of the issues that a query finds, by the level of their issue: the rollups have no level
 * of the event. Throws QUERY_* for the text, STORE_UNAVAILABLE if the events store does not answer.
 */
export async function issueVolume(deps: QueryDeps, view: View & { query: string }): Promise<RestVolume> {
  const plan = await planOf(parseSearch(view.query), searchContextOf(deps, view, 'issues'))
  const bucketMs = bucketOf(view.range, bucketsMax)
  const found =
    view.projects.length === 0
      ? []
      : await Promise.all(plan.branches.map((branch) => volumeOfBranch(deps, view, branch, bucketMs)))
  const buckets: RestVolume['buckets'] = []
  for (
    let startMs = Math.floor(view.range.fromMs / bucketMs) * bucketMs;
    startMs < view.range.toMs;
    startMs += bucketMs
  ) {
    // An event can be in two branches. The largest count is right more often than the sum.
    const most = (level: Level) => Math.max(0, ...found.map(({ series }) => series[level].get(startMs) ?? 0))
    buckets.push({ start: startMs / 1000, error: most('error'), warning: most('warning'), other: most('other') })
  }
  return { interval: bucketMs / 1000, buckets, truncated: found.some(({ isTruncated }) => isTruncated) }
}

async function volumeOfBranch(
  deps: QueryDeps,
  view: View,
  branch: Branch,
  bucketMs: number,
): Promise<{ series: Series; isTruncated: boolean }> {
  const scope: Scope = {
    projectIds: branch.projectIds ?? view.projects.map((project) => project.id),
    environments: view.environments,
    fromMs: Math.max(view.range.fromMs, branch.fromMs ?? 0),
    toMs: Math.min(view.range.toMs, branch.toMs ?? Number.MAX_SAFE_INTEGER),
  }
  const series: Series = { error: new Map(), warning: new Map(), other: new Map() }
  if (scope.fromMs >= scope.toMs) return { series, isTruncated: false }
  const { groups, isTruncated } = await groupsOf(deps, scope, branch)
  const counts = await deps.events.volumeOf(
    scope,
    bucketMs,
    levels.map((level) => groups[level]),
    ...(branch.event ? [branch.event] : []),
  )
  for (const [at, level] of levels.entries())
    for (const { startMs, events } of counts[at] ?? []) series[level].set(startMs, events)
  return { series, isTruncated }
}

/**
 * The groups of a branch by level. Above 10,000 the busiest are read first, and the conditions on issues are applied to
 * them: they have nearly all events.
 */
async function groupsOf(
  deps: QueryDeps,
  scope: Scope,
  branch: Branch,
): Promise<{ groups: Record<Level, Group[]>; isTruncated: boolean }> {
  const groups: Record<Level, Group[]> = { error: [], warning: [], other: [] }
  const { projectIds, fromMs } = scope
  const issueFilter = branch.issue ? { filter: branch.issue } : {}
  const candidates = await deps.meta.issues.groupsOfIssues({ projectIds, fromMs, ...issueFilter, max: groupsMax + 1 })
  if (candidates.length <= groupsMax) {
    for (const group of candidates) groups[levelOf(group.level)].push(group)
    return { groups, isTruncated: false }
  }
  const filter: { filter?: EventFilter } = branch.event ? { filter: branch.event } : {}
  const busiest = await deps.events.groups({ scope, order: 'events', max: groupsMax, ...filter })
  const ids = await deps.meta.issues.issueIdsOf(busiest)
  const found = await deps.meta.issues.issueLevels([...new Set(ids.values())], branch.issue)
  for (const group of busiest) {
    const level = found.get(ids.get(`${group.projectId}:${group.groupHash}`) ?? 0)
    if (level !== undefined) groups[levelOf(level)].push(group)
  }
  return { groups, isTruncated: busiest.length === groupsMax }
}
