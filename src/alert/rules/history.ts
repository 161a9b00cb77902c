import { MishapError } from '../../base/errors.ts'
import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import { type Buckets, createWindows, firstRowsMs, type Measure, readBuckets } from '../../query/metrics/measures.ts'
import { type CountsAt, readUniques, uniquePieces } from '../../query/metrics/unique-counts.ts'
import { createMeasures, referenceRanges } from './measure.ts'
import type { MetricMeasure } from './metric.ts'
import { queryLimits } from './query-limits.ts'

type Deps = Pick<QueryDeps, 'clock' | 'events' | 'meta'>
type Range = { fromMs: number; toMs: number }

const dayMs = 86_400_000
/** Bins of a day of minutes are some MB of JSON. Other parts are a number each. */
const pieceOf = ({ recipes }: Measure): number =>
  recipes.parts.some(({ merge }) => merge === 'bins') ? 2 * dayMs : Number.POSITIVE_INFINITY

/** What was stored of a rule's windows. */
export type History = {
  measure: Measure
  buckets: Buckets
  uniquesAt: CountsAt
  /** Rows before it were not read in time. */
  readFrom: number
  firstMs: number | null
}

/** Whether a query reached its limits, and somebody still waits for the answer. */
const isTooMuch = (error: unknown, signal: AbortSignal | undefined): boolean =>
  error instanceof MishapError && error.code === 'QUERY_TIMEOUT' && !signal?.aborted

/** Reads buckets from the newest piece of a range to the oldest, as far as the limits allow. Returns how far. */
async function readPieces(
  deps: Deps,
  measure: Measure,
  { fromMs, toMs }: Range,
  pieceMs: number,
  { buckets, signal }: { buckets: Buckets; signal: AbortSignal | undefined },
): Promise<number> {
  for (let endMs = toMs; endMs > fromMs; ) {
    const startMs = Math.max(fromMs, Math.floor((endMs - pieceMs) / measure.stepMs) * measure.stepMs)
    try {
      const [found] = await readBuckets(deps, [measure], { fromMs: startMs, toMs: endMs, limits: queryLimits, signal })
      for (const [at, bucket] of found ?? []) buckets.set(at, bucket)
    } catch (error) {
      if (!isTooMuch(error, signal)) throw error
      // A day at a time, until one of them is too much.
      return pieceMs > dayMs ? readPieces(deps, measure, { fromMs, toMs: endMs }, dayMs, { buckets, signal }) : endMs
    }
    endMs = startMs
  }
  return fromMs
}

/** Counts different values from the newest windows to the oldest, as far as the limits allow. */
async function readCounts(
  deps: Deps,
  measure: Measure,
  range: Range,
  signal: AbortSignal | undefined,
): Promise<Pick<History, 'uniquesAt' | 'readFrom'>> {
  const found: (Range & { countsAt: CountsAt })[] = []
  const uniquesAt: CountsAt = (endMs) =>
    found.find(({ fromMs, toMs }) => endMs >= fromMs && endMs <= toMs)?.countsAt(endMs) ?? []
  const { recipes, windowMs } = measure
  const ends = { fromMs: range.fromMs + windowMs, toMs: range.toMs }
  for (const piece of recipes.uniques.length > 0 ? uniquePieces(measure, ends) : []) {
    try {
      const [countsAt] = await readUniques(deps, [measure], { ...piece, limits: queryLimits, signal })
      if (countsAt) found.push({ ...piece, countsAt })
    } catch (error) {
      if (!isTooMuch(error, signal)) throw error
      const oldest = found.at(-1)
      return { uniquesAt, readFrom: oldest ? oldest.fromMs - windowMs : range.toMs }
    }
  }
  return { uniquesAt, readFrom: range.fromMs }
}

/**
 * Reads what a rule needs to judge the windows that end in a range, with those that it compares with. `spareMs`: longer
 * windows are measured, too. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function readHistory(
  deps: Deps,
  measure: Measure,
  { threshold }: Pick<MetricCondition, 'threshold'>,
  { fromMs, toMs, spareMs }: Range & { spareMs: number },
  signal?: AbortSignal,
): Promise<History> {
  const references = referenceRanges(threshold, measure, { fromMs, toMs })
  const starts = [fromMs - measure.windowMs - spareMs, ...references.map((range) => range.fromMs)]
  const needed = { fromMs: Math.max(0, Math.min(...starts)), toMs }
  const buckets: Buckets = new Map()
  const [readFrom, counts, firstMs] = await Promise.all([
    readPieces(deps, measure, needed, pieceOf(measure), { buckets, signal }),
    readCounts(deps, measure, needed, signal),
    threshold.type === 'fixed' ? null : firstRowsMs(deps, measure, toMs, queryLimits),
  ])
  const { uniquesAt } = counts
  return { measure, buckets, uniquesAt, readFrom: Math.max(readFrom, counts.readFrom), firstMs }
}

/** Measures the windows of a history that end in a range and were read completely. */
export function measuresOf(
  { buckets, uniquesAt, readFrom, firstMs }: History,
  measure: Measure,
  { threshold }: Pick<MetricCondition, 'threshold'>,
  { fromMs, toMs }: Range,
): MetricMeasure[] {
  const { stepMs, windowMs } = measure
  const measureAt = createMeasures({
    compared: threshold,
    stepMs,
    windowMs,
    current: createWindows(measure, buckets, uniquesAt),
    reference: createWindows(measure, buckets, uniquesAt),
    // What was not read is as if it had not been there: a rule waits for what it compares with.
    firstMs: () => (firstMs === null ? null : Math.max(firstMs, readFrom)),
  })
  const measures: MetricMeasure[] = []
  for (let endMs = Math.max(fromMs, Math.ceil((readFrom + windowMs) / stepMs) * stepMs); endMs <= toMs; endMs += stepMs)
    measures.push(measureAt(endMs))
  return measures
}
