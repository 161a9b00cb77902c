import type { Clock } from '../../base/clock.ts'
import { type Lane, lanes } from '../../base/lane.ts'
import type { Observe } from '../../base/observe.ts'
import type { RecordOutcomes } from '../../journal/request-log.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import { dropRows } from '../../store/events/row-file.ts'
import type { Batch, BatchEffects, BatchResult, FinishedTo } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import type { MetricBuffers } from '../kinds/metric/memory.ts'
import type { MapCacheDeps } from '../symbolicate/map-cache.ts'
import type { Deduplicated, Memory } from './deduplicate.ts'
import type { Readers } from './pace.ts'
import type { RefinedRange } from './range.ts'
import { committedOutcomes } from './record-outcomes.ts'
import { type Waits, withRetry } from './retry.ts'
import type { WorkerSetup } from './worker.ts'
import type { WorkerPool, WorkerThread } from './worker-pool.ts'

export type RefineDeps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<
    | 'batches.cursor'
    | 'batches.openBatches'
    | 'batches.openBatch'
    | 'batches.commitBatch'
    | 'ledger.touchKeys'
    | 'projects.projectSettings'
  >
  events: EventStore
  blobs: BlobStore
  workers: number
  worker: WorkerSetup
  /** Starts a worker thread instead of the pool. Tests set it. */
  startThread?: (setup: WorkerSetup) => WorkerThread
  readers: Readers
  /** Finds uploaded source maps. Without it, frames stay unmapped. */
  artifacts?: MapCacheDeps['meta']
  /** Called after each commit, never before. The result lists changed issues, if any. */
  committed(result: BatchResult): void
  /** The journal before this position is no longer needed. */
  trim(before: number): void
  /** Outcomes of the committed records, the newest of each key, for the request log. */
  ended?(ends: RecordOutcomes[]): void
  /** The loop has stopped for good. The process should exit and restart, which recovers. */
  failed(error: unknown): void
}

export type Totals = { batches: number; records: number; events: number; ms: number }

export type Work = RefineDeps & {
  memory: Memory
  metrics: MetricBuffers
  pool: WorkerPool
  stopped: AbortController
  totals: Totals
  waits: Waits
  /** The cursors in the meta store. */
  cursors: Record<Lane, number>
}

/**
 * Commits a batch. `finished`: positions before which lanes have nothing left then. A lane without records gets no
 * batches, and its cursor would hold back the trim of the journal and all that waits for complete data.
 */
export async function commit(
  work: Work,
  batch: Batch,
  range: RefinedRange,
  { groups }: Deduplicated,
  effects: BatchEffects,
  startedMs: number,
  finished: FinishedTo = {},
): Promise<void> {
  const result = await withRetry(work, 'database', () =>
    work.meta.batches.commitBatch(batch, effects, work.clock.now(), finished),
  )
  if (range.uses.length > 0) await withRetry(work, 'database', () => work.meta.ledger.touchKeys(range.uses))
  dropRows(range.lines.values())
  for (const lane of lanes) {
    work.cursors[lane] = Math.max(work.cursors[lane], lane === batch.lane ? batch.to : 0, finished[lane] ?? 0)
  }
  work.trim(Math.min(...Object.values(work.cursors)))
  for (const key of range.spools) work.blobs.delete(key).catch(() => undefined)
  for (const { blobKey } of range.again) work.blobs.delete(blobKey).catch(() => undefined)
  work.totals.batches++
  work.totals.records += range.records
  work.totals.events += effects.events.length
  work.totals.ms += Math.max(0, work.clock.now() - startedMs)
  if (range.ends.length > 0) work.ended?.(committedOutcomes(range.ends, effects, groups))
  work.committed(result)
}
