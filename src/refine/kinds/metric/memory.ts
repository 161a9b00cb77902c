import type { MetricStore } from '../../../store/events/metric-store.ts'
import { createSeriesLimit, type SeriesLimit, seriesBytes } from './series.ts'
import { createStreams, type RangeStreams, type Streams, streamsBytes } from './streams.ts'

/** Memory about metrics that all refine workers share. Its pages take no memory until metrics arrive. */
export type MetricBuffers = { series: SharedArrayBuffer; streams: SharedArrayBuffer }

/** The state of metrics that outlives a batch. `streams`: those of the current range. */
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

/** Points of the store are cut to ms. A point that is sent again must not look newer than itself. */
const endOfMs = 0.999

/**
 * Reads the last totals of cumulative streams from the store, at a start. Rows of open batches (from `cursor` on) are
 * left out, because these batches are refined again. Throws STORE_UNAVAILABLE.
 */
export async function restoreStreams(
  buffers: MetricBuffers,
  events: Pick<MetricStore, 'recentTotals'>,
  { cursor, nowMs }: { cursor: number; nowMs: number },
): Promise<void> {
  const streams = createStreams(buffers.streams)
  const sinceMs = nowMs - restoredMs
  const points = await events.recentTotals(sinceMs, cursor, restoredMax)
  // Those beyond the limit are older than all that were read.
  const oldestMs = points.length < restoredMax ? sinceMs : (points.at(-1)?.timeMs ?? sinceMs) + 1
  // Before the points: where they have no room, it becomes later.
  streams.knowSince(Math.max(sinceMs, oldestMs))
  for (const point of points) streams.restore({ ...point, timeMs: point.timeMs + endOfMs })
}
