import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import { type Buckets, createWindows, type Measure } from '../../query/metrics/measures.ts'
import type { CountsAt } from '../../query/metrics/unique-counts.ts'
import type { AlertRule, AlertRuleState } from '../../store/meta/alerts/rules.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { GroupedBuckets } from './grouped.ts'
import { createMeasures, referenceRanges } from './measure.ts'
import { type MetricMeasure, type MetricState, newMetricState } from './metric.ts'

/** A range of time of receipt. */
type Span = { fromMs: number; toMs: number }

/** A metric rule in the memory of its evaluator. */
export type WatchedRule = {
  rule: AlertRule
  condition: MetricCondition
  state: MetricState
  /** Undefined: it could not be compiled. */
  measure: Measure | undefined
  compiledMs: number
  /** The projects that it is compiled for, and the list they are from. */
  projectKey: string
  projects: readonly Project[]
  /** What is read of the windows: everything from the oldest window on. */
  buckets: Buckets
  readTo: number
  /** Counts of different values by the end of their window. */
  uniques: CountsAt
  /** The same for the windows that it compares with. */
  referenceBuckets: Buckets
  referenceUniques: CountsAt
  /** The newest window that has what it is compared with. */
  referenceTo: number
  /** What is read of a rule by groups. */
  grouped: GroupedBuckets | undefined
  measureAt: ((endMs: number) => MetricMeasure) | undefined
  /** When the first rows of its dataset came, and when that was asked. */
  firstMs: number | null
  firstAskedMs: number
  /** After a failed query it is not asked again before. */
  retryMs: number
  failures: number
}

/** The state of a rule in memory as the store keeps it. */
export function storedState(state: MetricState): AlertRuleState {
  const { level, sinceMs, evaluatedToMs, value, blocked } = state
  return {
    status: blocked?.status ?? level,
    reason: blocked?.reason ?? '',
    sinceMs,
    evaluatedMs: evaluatedToMs,
    value,
    memory: state,
  }
}

/** The state that the store keeps as it is in memory. A rule that was never judged has none. */
function knownState({ memory }: AlertRuleState): MetricState {
  return { ...newMetricState(), ...(memory as Partial<MetricState> | null) }
}

const hourMs = 3_600_000
/** No different values were counted. */
export const noCounts: CountsAt = () => []

/** Begins to watch a rule. */
export function watchRule(rule: AlertRule, condition: MetricCondition): WatchedRule {
  return {
    rule,
    condition,
    state: knownState(rule.state),
    measure: undefined,
    compiledMs: 0,
    projectKey: '',
    projects: [],
    buckets: new Map(),
    readTo: 0,
    uniques: noCounts,
    referenceBuckets: new Map(),
    referenceUniques: noCounts,
    referenceTo: 0,
    grouped: undefined,
    measureAt: undefined,
    firstMs: null,
    firstAskedMs: 0,
    retryMs: 0,
    failures: 0,
  }
}

/** Forgets what was read, because the measure is another one now. */
export function setMeasure(watched: WatchedRule, measure: Measure, nowMs: number): void {
  watched.compiledMs = nowMs
  if (JSON.stringify(watched.measure) === JSON.stringify(measure)) return
  watched.measure = measure
  watched.buckets = new Map()
  watched.referenceBuckets = new Map()
  watched.readTo = 0
  watched.referenceTo = 0
  watched.uniques = noCounts
  watched.referenceUniques = noCounts
  watched.grouped = undefined
  watched.measureAt = undefined
}

/** Ends of the windows that a rule has to judge, up to the processed time; a new rule begins with the newest. */
export function dueEnds(
  { state, measure }: WatchedRule,
  processedMs: number,
  boundMs: number,
): { ends: number[]; skippedMs: number } {
  if (!measure) return { ends: [], skippedMs: 0 }
  const { stepMs } = measure
  const last = Math.floor(processedMs / stepMs) * stepMs
  const next = state.evaluatedToMs === null ? last : (Math.floor(state.evaluatedToMs / stepMs) + 1) * stepMs
  const first = Math.max(next, last - boundMs + stepMs)
  const count = Math.max(0, (last - first) / stepMs + 1)
  return {
    ends: Array.from({ length: count }, (_, at) => first + at * stepMs),
    skippedMs: count === 0 ? 0 : first - next,
  }
}

/** What must be read of the windows that end at these times: only what is not read yet. */
export function rangeToRead({ measure, readTo }: WatchedRule, ends: readonly number[]): Span {
  const [first = 0, last = 0] = [ends[0], ends.at(-1)]
  return { fromMs: Math.max(readTo, first - (measure?.windowMs ?? 0)), toMs: last }
}

/**
 * What must be read to compare: the windows of the period before, as far as they are not read yet, or the pattern of an
 * hour once. A rule with a fixed threshold has none.
 */
export function referencesToRead(
  watched: Pick<WatchedRule, 'condition' | 'measure' | 'referenceTo'>,
  ends: readonly number[],
): Span[] {
  const { condition, measure, referenceTo } = watched
  const [first, last] = [ends[0], ends.at(-1)]
  if (!measure || first === undefined || last === undefined) return []
  const { threshold } = condition
  if (threshold.type === 'weekly' && Math.floor(referenceTo / hourMs) === Math.floor(last / hourMs)) return []
  const ranges = referenceRanges(threshold, measure, { fromMs: first, toMs: last })
  if (threshold.type !== 'change') return ranges
  return ranges.map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, referenceTo - last + toMs), toMs }))
}

/**
 * Ends of the windows to compare with whose different values are counted, when those are read: the first and the last of
 * each range. Numbers of different values are not merged from what was read before, so the whole windows count.
 */
export function referenceEnds(
  watched: Pick<WatchedRule, 'condition' | 'measure' | 'referenceTo'>,
  ends: readonly number[],
): Span[] {
  const { condition, measure } = watched
  const [first, last] = [ends[0], ends.at(-1)]
  if (!measure || first === undefined || last === undefined || referencesToRead(watched, ends).length === 0) return []
  const ranges = referenceRanges(condition.threshold, measure, { fromMs: first, toMs: last })
  return ranges.map(({ fromMs, toMs }) => ({ fromMs: fromMs + measure.windowMs, toMs }))
}

/** Measures the windows that end at these times, which must follow what was measured before. */
export function measureEnds(watched: WatchedRule, ends: readonly number[]): MetricMeasure[] {
  const { measure, condition } = watched
  if (!measure) return []
  watched.measureAt ??= createMeasures({
    compared: condition.threshold,
    stepMs: measure.stepMs,
    windowMs: measure.windowMs,
    current: createWindows(measure, watched.buckets, (endMs) => watched.uniques(endMs)),
    reference: createWindows(measure, watched.referenceBuckets, (endMs) => watched.referenceUniques(endMs)),
    firstMs: () => watched.firstMs,
  })
  return ends.map(watched.measureAt)
}

/** Drops buckets that no later window has. */
export function forgetBuckets(
  {
    measure,
    buckets,
    referenceBuckets,
    condition,
  }: Pick<WatchedRule, 'measure' | 'buckets' | 'referenceBuckets' | 'condition'>,
  lastEnd: number,
): void {
  if (!measure) return
  const keepFrom = lastEnd - measure.windowMs
  for (const startMs of buckets.keys()) if (startMs < keepFrom) buckets.delete(startMs)
  if (condition.threshold.type === 'fixed' || referenceBuckets.size === 0) return
  const ranges = referenceRanges(condition.threshold, measure, { fromMs: lastEnd, toMs: lastEnd })
  for (const startMs of referenceBuckets.keys())
    if (!ranges.some(({ fromMs, toMs }) => startMs >= fromMs && startMs < toMs)) referenceBuckets.delete(startMs)
}
