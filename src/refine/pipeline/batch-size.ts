import type { Lane } from '../../base/lane.ts'
import type { JournalRecord } from '../../journal/journal.ts'
import { byteLengthOf } from '../../store/events/row-file.ts'
import type { RefinedRange } from './range.ts'

/** Limits of a batch: records, and bytes of the journal. */
type BatchLimits = { recordsMax: number; bytesMax: number }

/**
 * Half more than what ends a wait while nobody reads: a batch also takes what comes until it begins. With 1,000 records and
 * 8 MiB, 2,000 events/s make three times as many parts (decision 28). More records would keep the thread that commits for
 * over 0.15 s if each is a new issue.
 */
export const eventsLimits: BatchLimits = { recordsMax: 3000, bytesMax: 12 * 1024 * 1024 }
/** Rows of bulk data are small: an insert of four times as many costs the engine half as much for each (decision 48). */
export const bulkLimits: BatchLimits = { recordsMax: 4000, bytesMax: 24 * 1024 * 1024 }
const bulkBytesMin = 2 * 1024 * 1024
/** Encoded rows of a bulk batch in a table: a larger insert is split, with a copy of all rows in memory. */
const rowBytesMax = 14 * 1024 * 1024
/** Encoded bytes for a received byte, until a batch says it. Points of OTLP have 2, spans and log lines 0.6. */
export const growthAtStart = 2
/** A smaller batch says nothing about the next batch. */
const growthBytesMin = 256 * 1024

/** The limits of the next batch of a lane. `growth`: see `growthOf`. The rows of bulk data should fit into one insert. */
export function limitsOf(lane: Lane, growth: number): BatchLimits {
  if (lane === 'events') return eventsLimits
  const bytesMax = Math.max(bulkBytesMin, Math.min(bulkLimits.bytesMax, Math.floor(rowBytesMax / growth)))
  return { ...bulkLimits, bytesMax }
}

/** Encoded bytes of the largest table for a received byte; undefined for a small batch. */
export function growthOf({ lines, outcomes }: Pick<RefinedRange, 'lines' | 'outcomes'>): number | undefined {
  const bytes = outcomes.reduce((sum, entry) => sum + (entry.outcome === 'received' ? entry.bytes : 0), 0)
  return bytes < growthBytesMin ? undefined : Math.max(1, ...[...lines.values()].map(byteLengthOf)) / bytes
}

/**
 * Cuts a read before its bodies have more than `bytesMax` bytes together. The journal has only the names of those that are
 * in the spool: 4,000 bodies of 1 MiB fit into one read of it. The first record always stays.
 */
export function cutToBodies<R extends Pick<JournalRecord, 'jpos' | 'head' | 'body'>>(
  read: { records: R[]; next: number },
  bytesMax: number,
): { records: R[]; next: number } {
  let bytes = 0
  for (const [at, { jpos, head, body }] of read.records.entries()) {
    bytes += head.spool?.bytes ?? body.length
    if (bytes > bytesMax && at > 0) return { records: read.records.slice(0, at), next: jpos }
  }
  return read
}
