import { MishapError } from '../base/errors.ts'
import type { Lane } from '../base/lane.ts'
import type { Observe } from '../base/observe.ts'
import type { MetricCondition } from '../contract/alerts/alerts.ts'
import type { BackTestBody, RestBackTest } from '../contract/alerts/alerts-back-test.ts'
import { groupId, measureOfGroup } from '../query/group-measures.ts'
import type { QueryDeps } from '../query/issues/issue.ts'
import { type MainIssue, mainIssues } from '../query/issues/main-issues.ts'
import { compileMeasure, type Measure } from '../query/metrics/measures.ts'
import type { Cell } from '../store/events/question.ts'
import type { Project } from '../store/meta/meta.ts'
import {
  type GroupBackTestFiring,
  messagesOfGroups,
  othersOfGroups,
  readGroupHistory,
  runGroupedRule,
  samplesOfGroups,
  shownGroup,
  shownGroups,
  truncatedPart,
} from './group-back-test.ts'
import { suggestForGroups } from './group-suggestions.ts'
import { backTestIssueRule } from './issue-back-test.ts'
import {
  type BackTestFiring,
  type BackTestRun,
  barMsOf,
  barsOf,
  longerWindows,
  markedFirings,
  messagesOf,
  type NoiseMark,
  othersOf,
  receiverOf,
  runMetricRule,
  spareMsOf,
  suggestionsOf,
  type Variant,
  variantsOf,
  withCritical,
} from './rules/back-test.ts'
import { blindParts } from './rules/blind.ts'
import { type History, measuresOf, readHistory } from './rules/history.ts'
import type { MetricMeasure } from './rules/metric.ts'

type BackTestDeps = QueryDeps & {
  observe: Observe
  processedTo(): Promise<Record<Lane, number>>
  config: {
    retentionErrorsDays: number
    retentionSpansDays: number
    retentionLogsDays: number
    retentionMetricsDays: number
  }
}

type View = { projects: Project[]; environments: string[]; meUserId?: string | undefined }
type Range = { fromMs: number; toMs: number }

const [minuteMs, dayMs] = [60_000, 86_400_000]
/** Firings whose main issue is looked up, the newest. Each takes a query. */
const explainedMax = 20

/** The measure with a count of stored rows, behind the parts that make its value. */
const withSamples = (measure: Measure): Measure => {
  const { recipes } = measure
  const only = recipes.parts[0]?.aggregate.only
  return {
    ...measure,
    recipes: { ...recipes, parts: [...recipes.parts, { aggregate: { fn: 'samples', only }, merge: 'sum' }] },
  }
}

/** Stored rows of the windows, and whether they stand for others. */
function samplesOf({ buckets, measure }: History, { fromMs, toMs }: Range): Pick<RestBackTest, 'samples' | 'sampled'> {
  let [samples, rows] = [0, 0]
  for (const [startMs, bucket] of buckets) {
    if (startMs < fromMs || startMs >= toMs) continue
    samples += Number(bucket[measure.recipes.parts.length - 1] ?? 0)
    rows += Number(bucket[0] ?? 0)
  }
  // Weights are fractions of 32 bits, so equal sums can differ a little.
  return { samples, sampled: rows > samples * 1.0001 }
}

/** The main issue of the newest firings, by their start. */
async function explain(deps: BackTestDeps, measure: Measure, firings: readonly BackTestFiring[], toMs: number) {
  const found = new Map<number, MainIssue>()
  const newest = firings.slice(-explainedMax)
  await Promise.all(
    newest.map(async ({ startMs, endMs }) => {
      const [main] = await mainIssues(deps, measure, { fromMs: startMs - measure.windowMs, toMs: endMs ?? toMs })
      if (main) found.set(startMs, main)
    }),
  )
  return found
}

async function restFirings<Firing extends BackTestFiring & { cells?: Cell[] }>(
  { meta }: BackTestDeps,
  firings: readonly Firing[],
  mainOf: (firing: Firing) => MainIssue | undefined,
  measure: Measure,
): Promise<RestBackTest['firings']> {
  return Array.fromAsync(firings, async (firing) => {
    const { startMs, endMs, level, peak, cells } = firing
    const main = mainOf(firing)
    const issue = main && (await meta.issues.issueById(main.issueId))
    const mostly = main && issue ? { issue: issue.shortId, title: issue.title, share: main.share } : null
    const group = cells
      ? { group: shownGroup(measure, cells), groupId: groupId(cells) }
      : { group: null, groupId: null }
    return { startMs, endMs, level, peak, trigger: null, ...group, mostly }
  })
}

type Tested = { deps: BackTestDeps; view: View; metric: MetricCondition; history: History; range: Range }

function windowVariants({ metric, history, range }: Tested): Variant[] {
  return longerWindows(metric, history.measure).map(({ minutes, critical, measure }) => {
    const rule = withCritical(metric, critical)
    const run = runMetricRule(rule, measuresOf(history, measure, rule, range))
    return { change: 'window', value: minutes, critical, run }
  })
}

/** The rule without the issue that marked firings are mostly about. */
async function filterVariants(
  { deps, view, metric, range }: Tested,
  marked: readonly BackTestFiring[],
  mains: ReadonlyMap<number, MainIssue>,
  signal: AbortSignal | undefined,
): Promise<Variant[]> {
  const ids = new Set(marked.map(({ startMs }) => mains.get(startMs)?.issueId))
  const [id] = ids
  const issue = ids.size === 1 && id !== undefined ? await deps.meta.issues.issueById(id) : undefined
  if (!issue) return []
  const added = `!issue:${issue.shortId}`
  const plan = { ...metric.plan, query: `${metric.plan.query} ${added}`.trim() }
  const measure = await compileMeasure(deps, view, { ...metric, plan })
  const history = await readHistory(deps, measure, metric, { ...range, spareMs: 0 }, signal)
  const run = runMetricRule(metric, measuresOf(history, measure, metric, range))
  return [{ change: 'filter', value: added, critical: metric.threshold.critical, run }]
}

async function suggest(
  tested: Tested,
  { run, measures, mains }: { run: BackTestRun; measures: MetricMeasure[]; mains: ReadonlyMap<number, MainIssue> },
  noise: readonly NoiseMark[],
  signal: AbortSignal | undefined,
): Promise<RestBackTest['suggest']> {
  if (noise.length === 0) return null
  const marked = markedFirings(run.firings, noise)
  const variants = [
    ...variantsOf(tested.metric, measures, marked),
    ...windowVariants(tested),
    ...(await filterVariants(tested, marked, mains, signal)),
  ]
  return suggestionsOf(run, variants, noise)
}

async function backTestMetricRule(
  deps: BackTestDeps,
  view: View,
  { rule, days, noise }: BackTestBody,
  metric: MetricCondition,
  signal?: AbortSignal,
): Promise<RestBackTest> {
  const { actions } = rule
  const measure = withSamples(await compileMeasure(deps, view, metric))
  const processed = await deps.processedTo()
  const { stepMs } = measure
  const processedMs = metric.plan.dataset === 'errors' ? processed.events : Math.min(processed.events, processed.bulk)
  const toMs = Math.floor(processedMs / stepMs) * stepMs
  const range = { fromMs: toMs - days * dayMs, toMs }
  if (measure.groups.length > 0)
    return backTestGroups({ deps, view, metric }, { rule, days, noise }, { measure, range, signal })
  const spareMs = noise.length > 0 ? spareMsOf(measure) : 0
  const history = await readHistory(deps, measure, metric, { ...range, spareMs }, signal)
  const measures = measuresOf(history, measure, metric, range)
  const run = runMetricRule(metric, measures)
  const [mains, blind] = await Promise.all([
    explain(deps, measure, run.firings, toMs),
    blindParts(deps, { measure, metric, history, measures, range }),
  ])
  const tested = { deps, view, metric, history, range }
  const barMs = barMsOf(days, stepMs)
  return {
    ...range,
    stepMinutes: stepMs / minuteMs,
    barMs,
    points: barsOf(metric, measures, { ...range, barMs }),
    firings: await restFirings(deps, run.firings, ({ startMs }) => mains.get(startMs), measure),
    others: othersOf(metric, measures, run, toMs),
    messages: actions.map((action) => ({ receiver: receiverOf(action), count: messagesOf(run.changes, rule) })),
    blind,
    ...samplesOf(history, range),
    groups: null,
    suggest: await suggest(tested, { run, measures, mains }, noise, signal),
  }
}

/** A back-test of a rule by groups. */
async function backTestGroups(
  { deps, view, metric }: Pick<Tested, 'deps' | 'view' | 'metric'>,
  { rule, days, noise }: BackTestBody,
  { measure, range, signal }: { measure: Measure; range: Range; signal: AbortSignal | undefined },
): Promise<RestBackTest> {
  const spareMs = noise.length > 0 ? spareMsOf(measure) : 0
  const history = await readGroupHistory(deps, measure, metric, { ...range, spareMs }, signal)
  const run = runGroupedRule(history, metric)
  const barMs = barMsOf(days, measure.stepMs)
  const mains = new Map<GroupBackTestFiring, MainIssue>()
  await Promise.all(
    run.firings.slice(-explainedMax).map(async (firing) => {
      const { startMs, endMs, cells } = firing
      const asked = { fromMs: startMs - measure.windowMs, toMs: endMs ?? range.toMs }
      const [main] = await mainIssues(deps, measureOfGroup(measure, cells), asked)
      if (main) mains.set(firing, main)
    }),
  )
  const { readFrom, firstMs } = history
  const known = { measure, buckets: new Map(), uniquesAt: () => [], readFrom, firstMs }
  const blind = await blindParts(deps, { measure, metric, history: known, measures: [], range })
  const values = [...run.values.values()].flatMap(({ points }) => points)
  const count = messagesOfGroups(run.changes, rule)
  return {
    ...range,
    stepMinutes: measure.stepMs / minuteMs,
    barMs,
    points: barsOf(metric, values, { ...range, barMs }),
    firings: await restFirings(deps, run.firings, (firing) => mains.get(firing), measure),
    others: othersOfGroups(history, metric, run, range.toMs),
    messages: rule.actions.map((action) => ({ receiver: receiverOf(action), count })),
    blind: [...blind, ...truncatedPart(history, range)],
    ...samplesOfGroups(history),
    suggest: await suggestForGroups({ deps, view, metric, history, range }, { run, mains }, noise, signal),
    groups: shownGroups(run, measure, metric, { ...range, barMs }),
  }
}

/**
 * Runs an unsaved rule over the last days, by the steps that its evaluator takes. Throws VALIDATION (names the wrong part),
 * QUERY_*, STORE_UNAVAILABLE.
 */
export async function backTestRule(
  deps: BackTestDeps,
  view: View,
  body: BackTestBody,
  signal?: AbortSignal,
): Promise<RestBackTest> {
  const { metric, issue } = body.rule
  if (metric) return backTestMetricRule(deps, view, body, metric, signal)
  if (issue) return backTestIssueRule(deps, view, body, issue)
  throw new MishapError('VALIDATION', { fields: { issue: ['A rule is about issues or about a number.'] } })
}
