import { groupsMax } from '../../domain/alerts/metric-rules.ts'
import { groupKey } from '../../query/group-measures.ts'
import type { Cell } from '../../store/events/question.ts'
import {
  comparedOf,
  type MetricCondition,
  type MetricFiring,
  type MetricMeasure,
  type MetricState,
  newMetricState,
  stepMetricRule,
} from './metric.ts'

const dayMs = 86_400_000

/** What a rule remembers of one of its groups. */
type GroupState = Pick<MetricState, 'level' | 'sinceMs' | 'firedMs' | 'value'> & {
  cells: Cell[]
  /** End of the last window that had rows of it. */
  seenMs: number
}

/** A metric rule by groups, as it is remembered. `beyond`: groups of the last window that are not watched, at least. */
export type GroupedState = MetricState & { groups: GroupState[]; beyond: number }

/** A group with rows in a window. */
type RankedGroup = { key: string; cells: Cell[]; rows: number }

/** The groups of one window, those with most rows first. `groups`: how many it has, at least. */
export type RankedWindow = { atMs: number; ranked: readonly RankedGroup[]; groups: number }

/** A change of the level of one group. */
export type GroupFiring = MetricFiring & { cells: Cell[] }

type Judged = { group: GroupState; firing: GroupFiring | undefined; measure: MetricMeasure }

/** The state that the store keeps as it is in memory. */
export const groupedState = (state: MetricState): GroupedState => ({ groups: [], beyond: 0, ...state })

const ranks = { ok: 0, warning: 1, critical: 2 } as const

/**
 * Chooses the groups to judge: those that fire, then those with most rows, then those that had rows last. A group
 * without rows stays, because missing data can be what the rule is about.
 */
function watchedOf(states: ReadonlyMap<string, GroupState>, { atMs, ranked }: RankedWindow): GroupState[] {
  const firing = [...states.values()].filter(({ level }) => level !== 'ok')
  const present = ranked.map(
    ({ key, cells }): GroupState =>
      states.get(key) ?? { cells, seenMs: atMs, level: 'ok', sinceMs: null, firedMs: null, value: null },
  )
  const absent = [...states.values()].toSorted((a, b) => b.seenMs - a.seenMs)
  const chosen = new Map<string, GroupState>()
  for (const group of [...firing, ...present, ...absent]) {
    if (chosen.size >= groupsMax) break
    const key = groupKey(group.cells)
    if (!chosen.has(key)) chosen.set(key, group)
  }
  return [...chosen.values()]
}

/** A group that had no rows for so long is forgotten. If it fires, that ends. */
function forgotten(group: GroupState, { threshold }: MetricCondition, atMs: number): GroupFiring | undefined {
  const { cells, level, firedMs } = group
  if (level === 'ok') return undefined
  return { change: 'end', level, atMs, value: null, threshold: threshold.critical, sinceMs: firedMs ?? atMs, cells }
}

/** The rule as a whole: the worst level of its groups, and the value of the one that is furthest out. */
function wholeOf(rule: MetricCondition, state: GroupedState, judged: readonly Judged[], atMs: number) {
  const sign = rule.threshold.direction === 'above' ? 1 : -1
  const outOf = ({ measure }: Judged) => (comparedOf(rule.threshold, measure) ?? Number.NEGATIVE_INFINITY * sign) * sign
  const [worst] = judged.toSorted((a, b) => ranks[b.group.level] - ranks[a.group.level] || outOf(b) - outOf(a))
  const level = worst?.group.level ?? 'ok'
  const isSame = level === state.level
  return {
    level,
    sinceMs: isSame ? (state.sinceMs ?? atMs) : atMs,
    firedMs: level === 'ok' ? null : (state.firedMs ?? atMs),
    value: worst?.group.value ?? null,
  }
}

/**
 * Judges one window of a rule by groups: each group by the step of a rule that watches one number. Pure: the evaluator and
 * the back-test call it with the same windows, and so they decide the same.
 */
export function stepGroups(
  rule: MetricCondition,
  state: GroupedState,
  window: RankedWindow,
  { windowMs, measureOf }: { windowMs: number; measureOf: (cells: Cell[]) => MetricMeasure },
): { state: GroupedState; firings: GroupFiring[] } {
  const { atMs, ranked } = window
  const firings: GroupFiring[] = []
  const states = new Map<string, GroupState>()
  const present = new Set(ranked.map(({ key }) => key))
  for (const group of state.groups) {
    const key = groupKey(group.cells)
    if (present.has(key) || group.seenMs > atMs - Math.max(dayMs, windowMs)) states.set(key, group)
    else firings.push(...[forgotten(group, rule, atMs)].filter((firing) => firing !== undefined))
  }
  const judged = watchedOf(states, window).map((group): Judged => {
    const measure = measureOf(group.cells)
    const { level, sinceMs, firedMs, value } = group
    const step = stepMetricRule(rule, { ...newMetricState(), level, sinceMs, firedMs, value }, measure)
    const seenMs = present.has(groupKey(group.cells)) ? atMs : group.seenMs
    return {
      measure,
      firing: step.firing && { ...step.firing, cells: group.cells },
      group: {
        cells: group.cells,
        seenMs,
        level: step.state.level,
        sinceMs: step.state.sinceMs,
        firedMs: step.state.firedMs,
        value: step.state.value,
      },
    }
  })
  firings.push(...judged.flatMap(({ firing }) => firing ?? []))
  const watched = new Set(judged.map(({ group }) => groupKey(group.cells)))
  const shown = ranked.filter(({ key }) => watched.has(key)).length
  const waits = judged.find(({ measure }) => measure.waits !== '')?.measure.waits
  return {
    firings,
    state: {
      ...wholeOf(rule, state, judged, atMs),
      evaluatedToMs: atMs,
      blocked: waits === undefined ? null : { status: 'waiting', reason: waits },
      groups: judged.map(({ group }) => group),
      beyond: Math.max(0, window.groups - shown),
    },
  }
}

type Buckets = ReadonlyMap<
  number,
  { groups: number; rows: ReadonlyMap<string, { cells: Cell[]; bucket: readonly unknown[] }> }
>

/**
 * Returns a function that ranks the groups of the window that ends at a time. Rows are added as whole thousandths, so that
 * what is added and dropped leaves no rest, and a window has the same ranks whichever was ranked before.
 */
export function createRanking(
  buckets: Buckets,
  { stepMs, windowMs }: { stepMs: number; windowMs: number },
): (endMs: number) => RankedWindow {
  const sums = new Map<string, { cells: Cell[]; rows: number; steps: number }>()
  let [fromMs, toMs] = [0, 0]
  function add(startMs: number, sign: 1 | -1): void {
    for (const [key, { cells, bucket }] of buckets.get(startMs)?.rows ?? []) {
      const sum = sums.get(key) ?? { cells, rows: 0, steps: 0 }
      sum.rows += sign * Math.round(Number(bucket[0] ?? 0) * 1000)
      sum.steps += sign
      if (sum.steps > 0) sums.set(key, sum)
      else sums.delete(key)
    }
  }
  return (endMs) => {
    const startMs = endMs - windowMs
    if (startMs < fromMs || startMs >= toMs) {
      sums.clear()
      fromMs = startMs
      toMs = startMs
    }
    for (; fromMs < startMs; fromMs += stepMs) add(fromMs, -1)
    for (; toMs < endMs; toMs += stepMs) add(toMs, 1)
    const ranked = [...sums].map(([key, { cells, rows }]) => ({ key, cells, rows: rows / 1000 }))
    ranked.sort((a, b) => b.rows - a.rows || (a.key < b.key ? -1 : 1))
    let groups = ranked.length
    for (let at = startMs; at < endMs; at += stepMs) groups = Math.max(groups, buckets.get(at)?.groups ?? 0)
    return { atMs: endMs, ranked, groups }
  }
}
