import type { MetricCondition } from '../contract/alerts/alerts.ts'
import type { RestBackTest } from '../contract/alerts/alerts-back-test.ts'
import {
  groupId,
  groupKey,
  groupName,
  isTruncated,
  type RankedBucket,
  rankedMax,
  readRanked,
} from '../query/group-measures.ts'
import type { QueryDeps } from '../query/issues/issue.ts'
import { firstRowsMs, type Measure, type MeasureDeps } from '../query/metrics/measures.ts'
import type { Cell } from '../store/events/question.ts'
import { groupJoinMs } from './decide/join.ts'
import { line } from './message/message.ts'
import { type BackTestFiring, barsOf, further, messagesOf, withCritical } from './rules/back-test.ts'
import { addRanked, createGrouped, type GroupedBuckets, judgeGroups, readSeries } from './rules/grouped.ts'
import { type GroupFiring, groupedState } from './rules/groups.ts'
import { type MetricCondition as DecidingPart, newMetricState } from './rules/metric.ts'
import { queryLimits } from './rules/query-limits.ts'

type Range = { fromMs: number; toMs: number }

const hourMs = 3_600_000
/** Cells of groups that are read: some hundred MB. A cell of a percentile is a list of bins. */
const cellsMax = { numbers: 400_000, bins: 80_000 }
const pieceMs = { numbers: 24 * hourMs, bins: 6 * hourMs }
/** Groups whose chart is shown. */
const chartsMax = 5
/** Groups that are named. */
const namedMax = 105

/** A firing of one group. */
export type GroupBackTestFiring = BackTestFiring & { cells: Cell[]; groupId: string }

/** What a rule by groups would have done. */
export type GroupRun = {
  firings: GroupBackTestFiring[]
  changes: GroupFiring[]
  /** By group: the value of each window that was judged. */
  values: Map<string, { cells: Cell[]; points: { atMs: number; value: number | null }[] }>
  beyond: number
}

/** What was stored of the windows of a rule by groups. */
export type GroupHistory = { grouped: GroupedBuckets; ends: number[]; readFrom: number; firstMs: number | null }

/** The ends of the windows in a range that were read completely. */
function endsIn({ stepMs, windowMs }: Measure, { fromMs, toMs }: Range, readFrom: number): number[] {
  const first = Math.max(fromMs, Math.ceil((readFrom + windowMs) / stepMs) * stepMs)
  return Array.from({ length: Math.max(0, (toMs - first) / stepMs + 1) }, (_, at) => first + at * stepMs)
}

/**
 * Reads the newest part of a range that has not too many cells, piece by piece. `spareMs`: longer windows are measured, too.
 */
export async function readGroupHistory(
  deps: MeasureDeps & Pick<QueryDeps, 'clock'>,
  measure: Measure,
  condition: MetricCondition,
  { fromMs, toMs, spareMs }: Range & { spareMs: number },
  signal?: AbortSignal,
): Promise<GroupHistory> {
  const { stepMs } = measure
  const kind = measure.recipes.parts.some(({ merge }) => merge === 'bins') ? 'bins' : 'numbers'
  const firstMs = condition.threshold.type === 'fixed' ? null : await firstRowsMs(deps, measure, toMs, queryLimits)
  const pieces: Map<number, RankedBucket>[] = []
  const oldest = fromMs - measure.windowMs - spareMs
  let [readFrom, cells] = [toMs, 0]
  while (readFrom > oldest && cells < cellsMax[kind]) {
    const startMs = Math.max(oldest, Math.floor((readFrom - pieceMs[kind]) / stepMs) * stepMs)
    const piece = await readRanked(deps, measure, { fromMs: startMs, toMs: readFrom, limits: queryLimits, signal })
    for (const { rows } of piece.values()) cells += rows.size
    pieces.push(piece)
    readFrom = startMs
  }
  const grouped = createGrouped(measure, condition, () => firstMs)
  for (const piece of pieces.toReversed()) addRanked(grouped, piece)
  const ends = endsIn(measure, { fromMs, toMs }, readFrom)
  await readSeries(deps, grouped, ends, groupedState(newMetricState()), { limits: queryLimits, signal })
  return { grouped, ends, readFrom, firstMs }
}

/**
 * The same rows in longer windows. Undefined: not all of these windows were read, so the oldest firings would be missing.
 */
export async function longerHistory(
  deps: MeasureDeps,
  { grouped, ends, readFrom, firstMs }: GroupHistory,
  measure: Measure,
  range: Range,
  signal?: AbortSignal,
): Promise<GroupHistory | undefined> {
  const longerEnds = endsIn(measure, range, readFrom)
  if (longerEnds.length < ends.length) return undefined
  const longer = createGrouped(measure, grouped.condition, () => firstMs)
  addRanked(longer, grouped.ranked)
  await readSeries(deps, longer, longerEnds, groupedState(newMetricState()), { limits: queryLimits, signal })
  return { grouped: longer, ends: longerEnds, readFrom, firstMs }
}

/** Runs a rule over the windows of a history by the steps of the evaluator. */
export function runGroupedRule({ grouped, ends }: GroupHistory, rule: DecidingPart): GroupRun {
  const run: GroupRun = { firings: [], changes: [], values: new Map(), beyond: 0 }
  const open = new Map<string, GroupBackTestFiring>()
  let state = groupedState(newMetricState())
  for (const endMs of ends) {
    const step = judgeGroups(grouped, rule, state, endMs)
    state = step.state
    run.changes.push(...step.firings)
    run.beyond = Math.max(run.beyond, state.beyond)
    for (const { cells, change, atMs, level } of step.firings) {
      const key = groupKey(cells)
      const known = open.get(key)
      if (known && change === 'end') {
        known.endMs = atMs
        open.delete(key)
      } else if (known) known.level = level === 'critical' ? level : known.level
      else if (change === 'start') {
        const started = { startMs: atMs, endMs: null, level, peak: null, rows: 0, cells, groupId: groupId(cells) }
        open.set(key, started)
        run.firings.push(started)
      }
    }
    for (const { cells, value } of state.groups) {
      const key = groupKey(cells)
      const found = run.values.get(key) ?? { cells, points: [] }
      run.values.set(key, found)
      found.points.push({ atMs: endMs, value })
      const firing = open.get(key)
      if (firing) firing.peak = further(rule.threshold, firing.peak, value)
    }
  }
  return run
}

/** The name of a group in one clean line. */
export const shownGroup = (measure: Measure, cells: readonly Cell[]): string => line(groupName(measure, cells), 120)

/** The groups of a back-test: charts of those that fired most or are furthest out, and the names of the others. */
export function shownGroups(
  { values, firings, beyond }: GroupRun,
  measure: Measure,
  rule: MetricCondition,
  bars: Range & { barMs: number },
): NonNullable<RestBackTest['groups']> {
  const sign = rule.threshold.direction === 'above' ? 1 : -1
  const all = [...values.values()].map(({ cells, points }) => {
    const peak = points.reduce<number | null>((found, { value }) => further(rule.threshold, found, value), null)
    const times = firings.filter((firing) => groupKey(firing.cells) === groupKey(cells)).length
    return { cells, points, times, distance: peak === null ? Number.NEGATIVE_INFINITY : peak * sign }
  })
  all.sort((a, b) => b.times - a.times || b.distance - a.distance)
  return {
    shown: all.slice(0, chartsMax).map(({ cells, points, times }) => ({
      name: shownGroup(measure, cells),
      times,
      points: barsOf(rule, points, bars),
    })),
    others: all.slice(chartsMax, namedMax).map(({ cells, times }) => ({ name: shownGroup(measure, cells), times })),
    more: Math.max(0, all.length - namedMax),
    beyond,
  }
}

/** Messages of a receiver: groups that fire within minutes join one incident, and one message tells of its start. */
export function messagesOfGroups(
  changes: readonly GroupFiring[],
  rule: { intervalMinutes: number; resolveMessage: boolean },
): number {
  const incidents: { startedMs: number; open: Set<string>; changes: Pick<GroupFiring, 'change' | 'atMs'>[] }[] = []
  for (const { cells, change, atMs } of changes) {
    const key = groupKey(cells)
    const own = incidents.find(({ open }) => open.has(key))
    if (change === 'end') {
      own?.open.delete(key)
      if (own?.open.size === 0) own.changes.push({ change, atMs })
      continue
    }
    const joined = own ?? incidents.find(({ startedMs, open }) => open.size > 0 && atMs - startedMs <= groupJoinMs)
    const incident = joined ?? { startedMs: atMs, open: new Set<string>(), changes: [] }
    if (!joined) incidents.push(incident)
    incident.open.add(key)
    incident.changes.push({ change, atMs })
  }
  return incidents.reduce((sum, incident) => sum + messagesOf(incident.changes, rule), 0)
}

/** What other thresholds would have done, with the chosen threshold. */
export function othersOfGroups(
  history: GroupHistory,
  rule: MetricCondition,
  chosen: GroupRun,
  toMs: number,
): RestBackTest['others'] {
  const { critical } = rule.threshold
  const other = (threshold: number, { firings }: GroupRun, isChosen: boolean) => ({
    threshold,
    times: firings.length,
    totalMs: firings.reduce((sum, { startMs, endMs }) => sum + (endMs ?? toMs) - startMs, 0),
    isChosen,
  })
  const values = critical === 0 ? [] : [0.6, 1.5, 2].map((ratio) => Number((critical * ratio).toPrecision(2)))
  return [
    ...values
      .filter((value) => value !== critical)
      .map((value) => other(value, runGroupedRule(history, withCritical(rule, value)), false)),
    other(critical, chosen, true),
  ].toSorted((a, b) => a.threshold - b.threshold)
}

/** Stored rows of the largest groups, and whether they stand for others. */
export function samplesOfGroups({ grouped, ends }: GroupHistory): Pick<RestBackTest, 'samples' | 'sampled'> {
  const { ranked, measure } = grouped
  let [samples, rows] = [0, 0]
  const at = measure.recipes.parts.length - 1
  for (const [startMs, bucket] of ranked)
    if (startMs >= (ends[0] ?? 0))
      for (const { bucket: row } of bucket.rows.values()) {
        samples += Number(row[at] ?? 0)
        rows += Number(row[0] ?? 0)
      }
  return { samples, sampled: rows > samples * 1.0001 }
}

/** Sentences for parts that have more groups than are ranked; empty if none has. */
export const truncatedPart = ({ grouped }: GroupHistory, range: Range): RestBackTest['blind'] =>
  [...grouped.ranked.values()].some(isTruncated)
    ? [
        {
          ...range,
          reason: 'groups',
          sentence: `Some steps have over ${rankedMax} groups. Windows rank their groups by the largest of each step.`,
        },
      ]
    : []
