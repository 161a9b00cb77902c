import type { MetricStore } from '../../../store/events/metric-store.ts'
import { createSeriesLimit, type SeriesLimit, seriesBytes } from './series.ts'
import { createStreams, type RangeStreams, type Streams, streamsBytes } from './streams.ts'

/** Memory about metrics that all refine workers share. Its pages take no memory until metrics arrive. */
export type MetricBuffers = { series: SharedArrayBuffer; streams: SharedArrayBuffer }

/** The state of metrics: what outlives a batch, and `streams` of the current range. */
export type MetricMemory = { series: SeriesLimit; shared: Streams; streams: RangeStreams }

export const createMetricBuffers = (): MetricBuffers => ({
  series: new SharedArrayBuffer(seriesBytes),
  streams: new SharedArrayBuffer(streamsBytes),
})

export function openMetricMemory(buffers: MetricBuffers): MetricMemory {
  const shared = createStreams(buffers.streams)
  return { series: createSeriesLimit(buffers.series), shared, streams: shared.beginRange() }
}

/** How far a start reads back, in ms. Exporters send every stream at least once in that time. */
const restoredMs = 3_600_000
const restoredMax = 60_000

/** The positions of records, from `from` up to, but not including, `to`. */
type Positions = { from: number; to: number }

/**
 * Reads the last totals of the past hour in records between two positions from the store. Returns the time (ms) from which
 * on all are read. Throws STORE_UNAVAILABLE.
 */
export async function readTotals(
  buffers: MetricBuffers,
  events: Pick<MetricStore, 'recentTotals'>,
  positions: Positions,
  nowMs: number,
): Promise<number> {
  const sinceMs = nowMs - restoredMs
  const points = await events.recentTotals(sinceMs, positions, restoredMax)
  const streams = createStreams(buffers.streams)
  for (const point of points) streams.restore(point)
  // Those beyond the limit are older than all that were read.
  const oldestMs = points.length < restoredMax ? sinceMs : (points.at(-1)?.timeMs ?? sinceMs) + 1
  return Math.max(sinceMs, oldestMs)
}

/**
 * Makes the streams of committed records known, at a start. Rows of open batches (from `cursor` on) are left out, because
 * these batches are refined again. Throws STORE_UNAVAILABLE.
 */
export async function restoreStreams(
  buffers: MetricBuffers,
  events: Pick<MetricStore, 'recentTotals'>,
  { cursor, nowMs }: { cursor: number; nowMs: number },
): Promise<void> {
  createStreams(buffers.streams).knowSince(await readTotals(buffers, events, { from: 0, to: cursor }, nowMs))
}
