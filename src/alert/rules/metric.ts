type MetricLevel = 'ok' | 'warning' | 'critical'

/**
 * What a metric rule compares. `fixed`: the value itself. `change` and `weekly`: by how many percent it differs from the
 * reference, which is the same window one period before, or what is usual for this hour of the week.
 */
export type MetricThreshold = {
  type: 'fixed' | 'change' | 'weekly'
  direction: 'above' | 'below'
  warning: number | null
  critical: number
  /** A firing ends when the value is back at it. Null: at the lowest level. */
  resolve: number | null
}

/** The part of a metric rule that decides. */
export type MetricCondition = {
  threshold: MetricThreshold
  /** With fewer rows in the window, no level rises. */
  minimum: number
  missing: 'fire' | 'resolve' | 'keep'
}

/** What was measured over one window. */
export type MetricMeasure = {
  /** The end of the window, in processed time. */
  atMs: number
  /** Null: there is nothing to compute it from. A count of nothing is 0. */
  value: number | null
  /** Rows of the window, for the minimum. */
  rows: number
  /** What a change or a deviation is measured from. Null: there is none. */
  reference: number | null
  /** Why the reference is not known yet, as a sentence. '': it is known, or none is needed. */
  waits: string
}

/** What a rule remembers from one window to the next. */
export type MetricState = {
  level: MetricLevel
  /** When the level began. Null: the rule has not been judged yet. */
  sinceMs: number | null
  /** When the firing began. Null: it does not fire. */
  firedMs: number | null
  /** All windows up to this end are judged. */
  evaluatedToMs: number | null
  value: number | null
  /** Why the rule is not judged at present. The level stays as it was. */
  blocked: { status: 'waiting' | 'not_evaluated'; reason: string } | null
}

export const newMetricState = (): MetricState => ({
  level: 'ok',
  sinceMs: null,
  firedMs: null,
  evaluatedToMs: null,
  value: null,
  blocked: null,
})

/** A change of a rule's level. */
export type MetricFiring = {
  change: 'start' | 'change' | 'end'
  /** The level that began. At the end, the level that ended. */
  level: Exclude<MetricLevel, 'ok'>
  atMs: number
  value: number | null
  threshold: number
  /** When the firing began. */
  sinceMs: number
}

/**
 * Returns the number that thresholds are compared with. Null: it cannot be told. After a reference of 0, any value is
 * infinitely higher.
 */
export function comparedOf(
  { type }: Pick<MetricThreshold, 'type'>,
  { value, reference }: MetricMeasure,
): number | null {
  if (type === 'fixed' || value === null) return value
  if (reference === null) return null
  if (reference === 0) return value === 0 ? 0 : value > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  return ((value - reference) / Math.abs(reference)) * 100
}

const isBeyond = (direction: MetricThreshold['direction'], value: number, threshold: number): boolean =>
  direction === 'above' ? value > threshold : value < threshold

/** The level of a window whose value is known. Between the resolve threshold and the lowest level, a firing goes on. */
function levelOfValue(
  { direction, warning, critical, resolve }: MetricThreshold,
  before: MetricLevel,
  value: number,
): MetricLevel {
  if (isBeyond(direction, value, critical)) return 'critical'
  if (warning !== null && isBeyond(direction, value, warning)) return 'warning'
  if (before === 'ok' || resolve === null || !isBeyond(direction, value, resolve)) return 'ok'
  return warning === null ? 'critical' : 'warning'
}

const ranks: Record<MetricLevel, number> = { ok: 0, warning: 1, critical: 2 }

/** The level of a window. Too few rows raise no level: one failure of two requests is 50%. */
function levelOf(rule: MetricCondition, before: MetricLevel, measure: MetricMeasure): MetricLevel {
  const { threshold, minimum, missing } = rule
  if (measure.value === null) return missing === 'fire' ? 'critical' : missing === 'resolve' ? 'ok' : before
  const value = comparedOf(threshold, measure)
  if (value === null) return before
  const level = levelOfValue(threshold, before, value)
  return measure.rows < minimum && ranks[level] > ranks[before] ? before : level
}

/** The threshold that a firing passed; at its end, the one that the value had to go back to. */
function thresholdOf({ warning, critical, resolve }: MetricThreshold, before: MetricLevel, after: MetricLevel): number {
  if (after === 'critical') return critical
  if (after === 'warning') return warning ?? critical
  return resolve ?? (before === 'critical' ? critical : (warning ?? critical))
}

/**
 * Judges one window. Pure: the evaluator and the back-test call it with the same measures, and so they decide the same.
 */
export function stepMetricRule(
  rule: MetricCondition,
  state: MetricState,
  measure: MetricMeasure,
): { state: MetricState; firing?: MetricFiring } {
  const { atMs, value, waits } = measure
  const judged = { ...state, evaluatedToMs: atMs, value }
  if (waits !== '') return { state: { ...judged, blocked: { status: 'waiting', reason: waits } } }
  const { level: before } = state
  const level = levelOf(rule, before, measure)
  const highest = level === 'ok' ? before : level
  if (level === before || highest === 'ok')
    return { state: { ...judged, blocked: null, sinceMs: state.sinceMs ?? atMs } }
  const firedMs = state.firedMs ?? atMs
  return {
    state: { ...judged, blocked: null, level, sinceMs: atMs, firedMs: level === 'ok' ? null : firedMs },
    firing: {
      change: before === 'ok' ? 'start' : level === 'ok' ? 'end' : 'change',
      level: highest,
      atMs,
      value,
      threshold: thresholdOf(rule.threshold, before, level),
      sinceMs: firedMs,
    },
  }
}
