import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import { groupsMax } from '../../domain/alerts/metric-rules.ts'
import { groupKey, isTruncated, type RankedBucket, readGroups, readRanked } from '../../query/group-measures.ts'
import { type Buckets, createWindows, type Measure, type MeasureDeps } from '../../query/metrics/measures.ts'
import { type CountsAt, readGroupUniques } from '../../query/metrics/unique-counts.ts'
import type { Cell, Limits } from '../../store/events/question.ts'
import { createRanking, type GroupedState, type RankedWindow, stepGroups } from './groups.ts'
import { createMeasures } from './measure.ts'
import type { MetricCondition as DecidingPart, MetricMeasure } from './metric.ts'
import { forgetBuckets, noCounts, referenceEnds, referencesToRead } from './watched.ts'

/** What is read of one group. */
type GroupSeries = {
  cells: Cell[]
  buckets: Buckets
  references: Buckets
  referenceTo: number
  /** Numbers of different values of its windows, and of those that it is compared with. */
  uniques: CountsAt
  referenceUniques: CountsAt
  /** Buckets that have more groups than were ranked are read up to here. */
  filledTo: number
  measureAt: (endMs: number) => MetricMeasure
}

/** The buckets of a rule by groups, in the memory of its evaluator or of a back-test. */
export type GroupedBuckets = {
  measure: Measure
  condition: MetricCondition
  ranked: Map<number, RankedBucket>
  rankedTo: number
  rankingOf: (endMs: number) => RankedWindow
  series: Map<string, GroupSeries>
  firstMs: () => number | null
}

type Reading = { limits: Limits; signal?: AbortSignal | undefined }

/** Creates the memory of a rule by groups. `firstMs`: when the first rows of its dataset came. */
export function createGrouped(
  measure: Measure,
  condition: MetricCondition,
  firstMs: () => number | null,
): GroupedBuckets {
  const ranked = new Map<number, RankedBucket>()
  const rankingOf = createRanking(ranked, measure)
  return { measure, condition, ranked, rankedTo: 0, rankingOf, series: new Map(), firstMs }
}

function seriesOf({ measure, condition, ranked, firstMs }: GroupedBuckets, key: string, cells: Cell[]): GroupSeries {
  const own = { buckets: new Map() as Buckets, references: new Map() as Buckets }
  for (const [startMs, { rows }] of ranked) {
    const found = rows.get(key)
    if (found) own.buckets.set(startMs, found.bucket)
  }
  const series: GroupSeries = {
    cells,
    ...own,
    referenceTo: 0,
    uniques: noCounts,
    referenceUniques: noCounts,
    filledTo: 0,
    measureAt: createMeasures({
      compared: condition.threshold,
      stepMs: measure.stepMs,
      windowMs: measure.windowMs,
      current: createWindows(measure, own.buckets, (endMs) => series.uniques(endMs)),
      reference: createWindows(measure, own.references, (endMs) => series.referenceUniques(endMs)),
      firstMs,
    }),
  }
  return series
}

/** Adds the buckets of the largest groups. */
export function addRanked(grouped: GroupedBuckets, found: ReadonlyMap<number, RankedBucket>): void {
  for (const [startMs, bucket] of found) {
    grouped.ranked.set(startMs, bucket)
    for (const [key, row] of bucket.rows) grouped.series.get(key)?.buckets.set(startMs, row.bucket)
  }
}

/** The groups that these windows can watch: the largest of each, and those that the rule remembers. */
function wantedGroups({ measure, ranked }: GroupedBuckets, ends: readonly number[], state: GroupedState) {
  const wanted = new Map<string, Cell[]>(state.groups.map(({ cells }) => [groupKey(cells), cells]))
  const rankingOf = createRanking(ranked, measure)
  for (const endMs of ends)
    for (const { key, cells } of rankingOf(endMs).ranked.slice(0, groupsMax)) wanted.set(key, cells)
  return wanted
}

/** Reads for series with the same range in one statement, and puts what was found where it belongs. */
async function readInto(
  deps: MeasureDeps,
  { measure }: GroupedBuckets,
  tasks: readonly { series: GroupSeries; fromMs: number; toMs: number; into: 'buckets' | 'references' }[],
  reading: Reading,
): Promise<void> {
  const alike = Map.groupBy(tasks, ({ fromMs, toMs, into }) => `${fromMs} ${toMs} ${into}`)
  for (const group of alike.values()) {
    const [first] = group
    if (!first || first.fromMs >= first.toMs) continue
    const { fromMs, toMs } = first
    const cells = group.map(({ series }) => series.cells)
    const found = await readGroups(deps, measure, cells, { fromMs, toMs, ...reading })
    for (const { series, into } of group)
      for (const [startMs, bucket] of found.get(groupKey(series.cells)) ?? []) series[into].set(startMs, bucket)
  }
}

/** Counts the different values of groups over whole windows: those to judge, and those that they are compared with. */
async function readCounts(
  deps: MeasureDeps,
  { measure, condition }: GroupedBuckets,
  all: readonly GroupSeries[],
  ends: readonly number[],
  reading: Reading,
): Promise<void> {
  const [fromMs, toMs] = [ends[0], ends.at(-1)]
  if (measure.recipes.uniques.length === 0 || fromMs === undefined || toMs === undefined) return
  const read = (of: readonly GroupSeries[], range: { fromMs: number; toMs: number }) =>
    readGroupUniques(
      deps,
      measure,
      of.map(({ cells }) => cells),
      { ...range, ...reading },
    )
  const found = await read(all, { fromMs, toMs })
  for (const group of all) group.uniques = found.get(groupKey(group.cells)) ?? noCounts
  const rangesOf = ({ referenceTo }: GroupSeries) => referenceEnds({ condition, measure, referenceTo }, ends)
  const compared = all.filter((group) => rangesOf(group).length > 0)
  const [first] = compared
  const references = await Array.fromAsync(first ? rangesOf(first) : [], async (range) => ({
    ...range,
    counts: await read(compared, range),
  }))
  for (const group of compared)
    group.referenceUniques = (endMs) =>
      references.find((range) => endMs >= range.fromMs && endMs <= range.toMs)?.counts.get(groupKey(group.cells))?.(
        endMs,
      ) ?? []
}

/**
 * Reads what the groups of these windows need beside their ranked buckets: buckets that have more groups than were ranked,
 * different values, and the windows that they are compared with. So each value is exact, however many groups there are.
 */
export async function readSeries(
  deps: MeasureDeps,
  grouped: GroupedBuckets,
  ends: readonly number[],
  state: GroupedState,
  reading: Reading,
): Promise<void> {
  const { measure, condition, ranked, series } = grouped
  for (const [key, cells] of wantedGroups(grouped, ends, state))
    if (!series.has(key)) series.set(key, seriesOf(grouped, key, cells))
  const firstMs = (ends[0] ?? 0) - measure.windowMs
  const truncated = [...ranked].filter(([startMs, bucket]) => startMs >= firstMs && isTruncated(bucket))
  const starts = truncated.map(([startMs]) => startMs)
  const [oldest, newest] = [Math.min(...starts), Math.max(...starts)]
  const all = [...series.values()]
  const fills = all
    .map((group) => ({ series: group, fromMs: Math.max(oldest, group.filledTo), toMs: newest + measure.stepMs }))
    .map((task) => ({ ...task, into: 'buckets' as const }))
  const references = all.flatMap((group) =>
    referencesToRead({ condition, measure, referenceTo: group.referenceTo }, ends).map((range) => ({
      series: group,
      ...range,
      into: 'references' as const,
    })),
  )
  await readInto(deps, grouped, [...(starts.length > 0 ? fills : []), ...references], reading)
  await readCounts(deps, grouped, all, ends, reading)
  const last = ends.at(-1) ?? 0
  for (const group of all) {
    group.filledTo = Math.max(group.filledTo, last)
    group.referenceTo = last
  }
}

/** Reads what a rule by groups needs to judge these windows. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function readGrouped(
  deps: MeasureDeps,
  grouped: GroupedBuckets,
  ends: readonly number[],
  state: GroupedState,
  reading: Reading,
): Promise<void> {
  const [first = 0, last = 0] = [ends[0], ends.at(-1)]
  const fromMs = Math.max(grouped.rankedTo, first - grouped.measure.windowMs)
  addRanked(grouped, await readRanked(deps, grouped.measure, { fromMs, toMs: last, ...reading }))
  grouped.rankedTo = Math.max(grouped.rankedTo, last)
  await readSeries(deps, grouped, ends, state, reading)
}

/** Judges the window that ends at a time. The windows must follow each other. */
export function judgeGroups(grouped: GroupedBuckets, condition: DecidingPart, state: GroupedState, endMs: number) {
  const { measure, series, rankingOf } = grouped
  const measureOf = (cells: Cell[]): MetricMeasure =>
    series.get(groupKey(cells))?.measureAt(endMs) ?? { atMs: endMs, value: null, rows: 0, reference: null, waits: '' }
  return stepGroups(condition, state, rankingOf(endMs), { windowMs: measure.windowMs, measureOf })
}

/** Drops buckets that no later window has, and the groups that the rule does not remember. */
export function forgetGroups({ measure, condition, ranked, series }: GroupedBuckets, state: GroupedState, end: number) {
  for (const startMs of ranked.keys()) if (startMs < end - measure.windowMs) ranked.delete(startMs)
  const known = new Set(state.groups.map(({ cells }) => groupKey(cells)))
  for (const [key, { buckets, references }] of series)
    if (known.has(key)) forgetBuckets({ measure, buckets, referenceBuckets: references, condition }, end)
    else series.delete(key)
}
