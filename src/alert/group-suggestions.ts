import { MishapError } from '../base/errors.ts'
import type { MetricCondition } from '../contract/alerts/alerts.ts'
import type { RestBackTest } from '../contract/alerts/alerts-back-test.ts'
import { filterWithout, groupKey } from '../query/group-measures.ts'
import type { QueryDeps } from '../query/issues/issue.ts'
import type { MainIssue } from '../query/issues/main-issues.ts'
import { compileMeasure, type Measure } from '../query/metrics/measures.ts'
import type { Project } from '../store/meta/meta.ts'
import {
  type GroupBackTestFiring,
  type GroupHistory,
  type GroupRun,
  longerHistory,
  readGroupHistory,
  runGroupedRule,
} from './group-back-test.ts'
import {
  changesAgainst,
  longerWindows,
  markedFirings,
  type NoiseMark,
  suggestionsOf,
  type Variant,
  withCritical,
} from './rules/back-test.ts'
import type { MetricMeasure } from './rules/metric.ts'

/** A rule by groups, and what it is tested with. */
type TestedGroups = {
  deps: QueryDeps
  view: { projects: Project[]; environments: string[]; meUserId?: string | undefined }
  metric: MetricCondition
  history: GroupHistory
  range: { fromMs: number; toMs: number }
}

type Mains = ReadonlyMap<GroupBackTestFiring, MainIssue>

/** The windows of firings, each of its own group. */
function windowsOf({ grouped, ends }: GroupHistory, firings: readonly GroupBackTestFiring[]): MetricMeasure[] {
  return firings.flatMap(({ cells, startMs, endMs }) => {
    const series = grouped.series.get(groupKey(cells))
    if (!series) return []
    return ends.filter((atMs) => atMs >= startMs && atMs < (endMs ?? Number.POSITIVE_INFINITY)).map(series.measureAt)
  })
}

/** The same rule over longer windows. */
async function windowVariants(
  { deps, metric, history, range }: TestedGroups,
  signal: AbortSignal | undefined,
): Promise<Variant[]> {
  const variants: Variant[] = []
  for (const { minutes, critical, measure } of longerWindows(metric, history.grouped.measure)) {
    const longer = await longerHistory(deps, history, measure, range, signal)
    if (!longer) continue
    const run = runGroupedRule(longer, withCritical(metric, critical))
    variants.push({ change: 'window', value: minutes, critical, run })
  }
  return variants
}

/** What can be added to the filter: without the one group of marked firings, and without the issue that they are about. */
async function additionsOf(
  { deps, history }: TestedGroups,
  marked: readonly GroupBackTestFiring[],
  mains: Mains,
): Promise<string[]> {
  const groups = new Map(marked.map(({ groupId, cells }) => [groupId, cells]))
  const [cells] = groups.values()
  const issueIds = new Set(marked.map((firing) => mains.get(firing)?.issueId))
  const [issueId] = issueIds
  const issue = issueIds.size === 1 && issueId !== undefined ? await deps.meta.issues.issueById(issueId) : undefined
  return [
    ...(groups.size === 1 && cells ? [filterWithout(history.grouped.measure, cells)] : []),
    ...(issue ? [`!issue:${issue.shortId}`] : []),
  ]
}

/** Compiles what the rule watches with a longer filter. Undefined: the filter cannot be written, as it is too long. */
async function narrowed({ deps, view, metric }: TestedGroups, added: string): Promise<Measure | undefined> {
  const plan = { ...metric.plan, query: `${metric.plan.query} ${added}`.trim() }
  try {
    return await compileMeasure(deps, view, { ...metric, plan })
  } catch (error) {
    if (error instanceof MishapError && /^(VALIDATION|QUERY_)/.test(error.code)) return undefined
    throw error
  }
}

async function filterVariants(
  tested: TestedGroups,
  marked: readonly GroupBackTestFiring[],
  mains: Mains,
  signal: AbortSignal | undefined,
): Promise<Variant[]> {
  const { deps, metric, history, range } = tested
  const variants: Variant[] = []
  for (const added of await additionsOf(tested, marked, mains)) {
    const measure = await narrowed(tested, added)
    if (!measure) continue
    const without = await readGroupHistory(deps, measure, metric, { ...range, spareMs: 0 }, signal)
    const [first = 0] = history.ends
    // Without the oldest windows, their firings would look avoided.
    if ((without.ends[0] ?? Number.POSITIVE_INFINITY) > first) continue
    const run = runGroupedRule({ ...without, ends: without.ends.filter((atMs) => atMs >= first) }, metric)
    variants.push({ change: 'filter', value: added, critical: metric.threshold.critical, run })
  }
  return variants
}

/**
 * Which changes of a rule by groups would have avoided firings that were marked as noise, and which firings of any group
 * each would have lost. Null: nothing was marked. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function suggestForGroups(
  tested: TestedGroups,
  { run, mains }: { run: GroupRun; mains: Mains },
  noise: readonly NoiseMark[],
  signal: AbortSignal | undefined,
): Promise<RestBackTest['suggest']> {
  if (noise.length === 0) return null
  const { metric, history } = tested
  const marked = markedFirings(run.firings, noise)
  if (marked.length === 0) return []
  const changed = changesAgainst(metric, windowsOf(history, marked)).map(
    ({ rule, ...change }): Variant => ({ ...change, run: runGroupedRule(history, rule) }),
  )
  const variants = [
    ...changed,
    ...(await windowVariants(tested, signal)),
    ...(await filterVariants(tested, marked, mains, signal)),
  ]
  return suggestionsOf(run, variants, noise)
}
