import type { MetricCondition as WholeCondition } from '../../contract/alerts/alerts.ts'
import type { BackTestBody, RestBackTest } from '../../contract/alerts/alerts-back-test.ts'
import { stepMinutesOf } from '../../domain/alerts/metric-rules.ts'
import type { Measure } from '../../query/metrics/measures.ts'
import {
  comparedOf,
  type MetricCondition,
  type MetricFiring,
  type MetricMeasure,
  type MetricThreshold,
  newMetricState,
  stepMetricRule,
} from './metric.ts'

/** A firing of a back-test, from its start to its end. */
export type BackTestFiring = {
  startMs: number
  endMs: number | null
  level: 'warning' | 'critical'
  peak: number | null
  /** Most rows of a window in it, for suggestions of a minimum. */
  rows: number
  /** Of a rule by groups, which of them fired. */
  groupId?: string
}

/** A mark of a firing as noise. */
export type NoiseMark = BackTestBody['noise'][number]

/** What a rule did over windows that follow each other. */
export type BackTestRun = { firings: BackTestFiring[]; changes: MetricFiring[] }

/** Returns the value that is further towards the threshold. Null: there is no data. */
export function further(
  { direction }: Pick<MetricThreshold, 'direction'>,
  a: number | null,
  b: number | null,
): number | null {
  if (a === null || b === null) return a ?? b
  return direction === 'above' ? Math.max(a, b) : Math.min(a, b)
}

/** Runs a rule over measures, the oldest first, by the same steps as the evaluator. */
export function runMetricRule(rule: MetricCondition, measures: readonly MetricMeasure[]): BackTestRun {
  const run: BackTestRun = { firings: [], changes: [] }
  let state = newMetricState()
  let open: BackTestFiring | undefined
  for (const measure of measures) {
    const step = stepMetricRule(rule, state, measure)
    state = step.state
    const { firing } = step
    if (firing) run.changes.push(firing)
    if (firing?.change === 'start') {
      open = { startMs: firing.atMs, endMs: null, level: firing.level, peak: null, rows: 0 }
      run.firings.push(open)
    }
    if (open && firing?.change === 'end') {
      open.endMs = firing.atMs
      open = undefined
    }
    if (!open) continue
    if (firing?.level === 'critical') open.level = 'critical'
    open.peak = further(rule.threshold, open.peak, measure.value)
    open.rows = Math.max(open.rows, measure.rows)
  }
  return run
}

/** For each bar of a chart the window that is furthest towards the threshold. */
export function barsOf(
  { threshold }: Pick<MetricCondition, 'threshold'>,
  measures: readonly Pick<MetricMeasure, 'atMs' | 'value'>[],
  { fromMs, toMs, barMs }: { fromMs: number; toMs: number; barMs: number },
): RestBackTest['points'] {
  const points = Array.from({ length: Math.ceil((toMs - fromMs) / barMs) }, (_, at) => ({
    startMs: fromMs + at * barMs,
    value: null as number | null,
  }))
  for (const { atMs, value } of measures) {
    const point = points[Math.floor((atMs - 1 - fromMs) / barMs)]
    if (point) point.value = further(threshold, point.value, value)
  }
  return points
}

const minuteMs = 60_000

/** Bars of the chart: 15 minutes of a day, 3 hours of 14. */
export const barMsOf = (days: number, stepMs: number): number =>
  Math.max(stepMs, days === 1 ? 15 * minuteMs : 180 * minuteMs)

/** The receiver of an action. */
export function receiverOf(
  action: BackTestBody['rule']['actions'][number],
): RestBackTest['messages'][number]['receiver'] {
  const { type } = action
  if (type === 'channel') return { type, id: action.channel }
  if (type === 'person') return { type, id: action.person }
  if (type === 'on_call') return { type, id: action.schedule }
  return { type, id: type === 'tracker' ? action.tracker : null }
}

/** Rounds to two digits, so that thresholds read well. */
const rounded = (value: number): number => Number(value.toPrecision(2))

/** The rule with another critical threshold. The other levels keep their ratio to it. */
export function withCritical(rule: MetricCondition, critical: number): MetricCondition {
  const { threshold } = rule
  const shifted = (value: number | null) =>
    value === null ? null : threshold.critical === 0 ? value + critical : (value / threshold.critical) * critical
  return {
    ...rule,
    threshold: { ...threshold, critical, warning: shifted(threshold.warning), resolve: shifted(threshold.resolve) },
  }
}

/** Other thresholds by their ratio to the chosen threshold. */
const ratios = [0.6, 0.8, 1.5, 2, 3]

/** What other thresholds would have done, with the chosen number, in ascending order. */
export function othersOf(
  rule: MetricCondition,
  measures: readonly MetricMeasure[],
  chosen: BackTestRun,
  toMs: number,
): RestBackTest['others'] {
  const { critical } = rule.threshold
  const values = critical === 0 ? [] : ratios.map((ratio) => rounded(critical * ratio))
  const totalOf = ({ firings }: BackTestRun) =>
    firings.reduce((sum, { startMs, endMs }) => sum + (endMs ?? toMs) - startMs, 0)
  const other = (threshold: number, run: BackTestRun, isChosen: boolean) => ({
    threshold,
    times: run.firings.length,
    totalMs: totalOf(run),
    isChosen,
  })
  return [
    ...[...new Set(values)]
      .filter((value) => value !== critical)
      .map((value) => other(value, runMetricRule(withCritical(rule, value), measures), false)),
    other(critical, chosen, true),
  ].toSorted((a, b) => a.threshold - b.threshold)
}

/**
 * How many messages a receiver would have got: one at the start, at a change and at the end, but at most one start or
 * change in the interval, and no end of what was not told.
 */
export function messagesOf(
  changes: readonly Pick<MetricFiring, 'change' | 'atMs'>[],
  { intervalMinutes, resolveMessage }: { intervalMinutes: number; resolveMessage: boolean },
): number {
  let count = 0
  let lastMs = Number.NEGATIVE_INFINITY
  let isOpen = false
  for (const { change, atMs } of changes) {
    if (change === 'end') {
      if (isOpen && resolveMessage) count++
      isOpen = false
      continue
    }
    if (atMs - lastMs < intervalMinutes * 60_000) continue
    count++
    lastMs = atMs
    isOpen = true
  }
  return count
}

/** A changed rule, and what it would have done. */
export type Variant = Pick<NonNullable<RestBackTest['suggest']>[number], 'change' | 'value' | 'critical'> & {
  run: BackTestRun
}

/** The mark that means one firing and no other. */
const markOf = ({ startMs, groupId }: Pick<BackTestFiring, 'startMs' | 'groupId'>): NoiseMark =>
  groupId === undefined ? startMs : { startMs, groupId }

/** The firings that are marked. A start alone marks all groups that fired then. */
export function markedFirings<Firing extends BackTestFiring>(
  firings: readonly Firing[],
  noise: readonly NoiseMark[],
): Firing[] {
  return firings.filter(({ startMs, groupId }) =>
    noise.some((mark) =>
      typeof mark === 'number' ? mark === startMs : mark.startMs === startMs && mark.groupId === groupId,
    ),
  )
}

/** Whether a run fired during a firing of another run, in its group. */
const isHeld = ({ firings }: BackTestRun, { startMs, endMs, groupId }: BackTestFiring): boolean =>
  firings.some(
    (other) =>
      other.groupId === groupId &&
      other.startMs <= (endMs ?? Number.POSITIVE_INFINITY) &&
      (other.endMs ?? Number.POSITIVE_INFINITY) >= startMs,
  )

/** A changed rule that is not run yet. */
type Change = Omit<Variant, 'run'> & { rule: MetricCondition }

/**
 * Changes of a rule that marked firings would not pass: a threshold at their peak, and a minimum above their rows.
 * `inMarked`: the windows of the marked firings.
 */
export function changesAgainst(rule: MetricCondition, inMarked: readonly MetricMeasure[]): Change[] {
  const compared = inMarked.flatMap((measure) => comparedOf(rule.threshold, measure) ?? []).filter(Number.isFinite)
  const changes: Change[] = []
  if (compared.length > 0) {
    const isAbove = rule.threshold.direction === 'above'
    const peak = isAbove ? Math.max(...compared) : Math.min(...compared)
    // The next value of two digits, unless that is on the wrong side of the peak.
    const [near, exact] = [rounded(peak), peak]
    const critical = (isAbove ? near >= exact : near <= exact) ? near : exact
    // Without the lower levels, which would fire all the same.
    const raised = { ...rule, threshold: { ...rule.threshold, critical, warning: null, resolve: null } }
    changes.push({ change: 'threshold', value: critical, critical, rule: raised })
  }
  const rows = Math.max(0, ...inMarked.map((measure) => measure.rows))
  if (rows > 0) {
    const minimum = Math.floor(rows) + 1
    const { critical } = rule.threshold
    changes.push({ change: 'minimum', value: minimum, critical, rule: { ...rule, minimum } })
  }
  return changes
}

/** Variants of a rule that marked firings would not pass. The caller adds those that need other measures. */
export function variantsOf(
  rule: MetricCondition,
  measures: readonly MetricMeasure[],
  marked: readonly BackTestFiring[],
): Variant[] {
  const inMarked = measures.filter(({ atMs }) =>
    marked.some(({ startMs, endMs }) => atMs >= startMs && atMs < (endMs ?? Number.POSITIVE_INFINITY)),
  )
  return changesAgainst(rule, inMarked).map(({ rule: changed, ...change }) => ({
    ...change,
    run: runMetricRule(changed, measures),
  }))
}

/** Longer windows that are tried for firings that are marked as noise. */
const windowFactors = [2, 3, 6]

/** What longer windows need to be read of the time before, ms. */
export const spareMsOf = ({ windowMs }: Pick<Measure, 'windowMs'>): number =>
  (Math.max(...windowFactors) - 1) * windowMs

/** Longer windows that are judged as often, of counts with a threshold that grows with them. */
export function longerWindows(
  condition: WholeCondition,
  measure: Measure,
): { minutes: number; critical: number; measure: Measure }[] {
  if (measure.recipes.uniques.length > 0) return []
  const { critical, type } = condition.threshold
  return windowFactors
    .map((factor) => ({ factor, minutes: condition.windowMinutes * factor }))
    .filter(({ minutes }) => stepMinutesOf(condition.plan.dataset, minutes) * minuteMs === measure.stepMs)
    .map(({ factor, minutes }) => ({
      minutes,
      critical: measure.isCount && type === 'fixed' ? critical * factor : critical,
      measure: { ...measure, windowMs: minutes * minuteMs },
    }))
}

/**
 * Which variants would have avoided firings that were marked as noise, and which others each would have lost: those that
 * avoid most first, then those that lose least.
 */
export function suggestionsOf(
  base: BackTestRun,
  variants: readonly Variant[],
  noise: readonly NoiseMark[],
): NonNullable<RestBackTest['suggest']> {
  const marked = new Set(markedFirings(base.firings, noise))
  return variants
    .map(({ change, value, critical, run }) => {
      const gone = base.firings.filter((firing) => !isHeld(run, firing))
      return {
        change,
        value,
        critical,
        avoids: gone.filter((firing) => marked.has(firing)).map(markOf),
        loses: gone.filter((firing) => !marked.has(firing)).map(markOf),
        times: run.firings.length,
      }
    })
    .filter(({ avoids }) => avoids.length > 0)
    .toSorted((a, b) => b.avoids.length - a.avoids.length || a.loses.length - b.loses.length || a.times - b.times)
}
