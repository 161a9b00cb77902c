import type { Lane } from '../base/lane.ts'
import type { DataCategory } from '../base/outcome.ts'

/**
 * The durable queue between ingest and refine. Once `append` has resolved, a record survives kill -9 and power loss. A
 * position (`jpos`) is `segment * 2^28 + offset`: one number below 2^53 for 33 million segments of at most 256 MiB, so
 * it needs no bigint. A span of 2^40 would leave 8,192 segments, which last only some hours at full load.
 */
export const segmentSpan = 2 ** 28

export type RecordKind =
  | 'envelope'
  | 'store'
  | 'security'
  | 'attachments'
  | 'minidump'
  | 'otlp'
  | 'otlp_logs'
  | 'vercel_logs'
  | 'heroku_logs'
  | 'otlp_metrics'
  | 'detection'
  | 'outcomes'

/** Head of a record: what ingest knows about one request. The body follows it in the record. */
export type RecordHead = {
  kind: RecordKind
  /** Absent in lane `events`, and in records of versions without lanes. */
  lane?: 'bulk'
  receivedMs: number
  projectId: number
  organizationId: number
  keyId: number
  /** Client address after trusted proxies; '' when unknown. */
  clientAddress: string
  userAgent: string
  origin: string
  contentType: string
  /** Sec-CH-UA* headers as received, with lower-case names. */
  clientHints?: Record<string, string>
  /** The event id in the response (store, minidump), or the event of the attachments: 32 lower-case hex digits. */
  eventId?: string
  /** Indexes of the envelope's items that ingest dropped for a rate limit or another limit, and has counted. */
  skip?: number[]
  /** From the query string of the security routes. */
  release?: string
  environment?: string
  /** A body over 1 MiB is in the blob store instead of the record: its key and size in bytes. */
  spool?: { key: string; bytes: number }
  /** Process only this event of the record (0 = its first): the others are already stored. */
  only?: number
  /** Process only this item of the envelope or OTLP body (0 = its first): all others already have their outcome. */
  onlyItem?: number
  /** The record is a replayed dead letter. The commit removes that dead letter. */
  again?: ReplayedDeadLetter
}

/** The dead letter that a record came from, and how it was counted. */
export type ReplayedDeadLetter = {
  id: number
  blobKey: string
  projectId: number
  keyId: number
  category: DataCategory
  itemType: string
  /** Additional entries that were counted as dead: its spans, or entries of category `of`. */
  spans?: number
  of?: DataCategory
  bytes: number
}

export type JournalRecord = {
  jpos: number
  /** Position right after this record. */
  end: number
  head: RecordHead
  /** Empty when the body is in the spool. */
  body: Buffer
}

/**
 * A reservation for a body that is written outside the journal. It counts as waiting until it is freed. It reserves the
 * declared bytes against other bodies at once, so that concurrent bodies do not refuse each other half-way. Events can
 * use the reserved bytes until they arrive.
 */
export type BodyReservation = {
  /**
   * Takes more bytes, first the declared ones. `lane`: of the body, as far as it is known by now; by default that of the
   * call before. Bulk data gets no more than its share of the limit. @throws MishapError ACCEPT_OVERLOADED or
   * ACCEPT_DISK_FULL.
   */
  grow(bytes: number, lane?: Lane): void
  /** Frees the reservation when the body was removed or a record names it. Safe to repeat. */
  free(): void
}

/** The writer. It lives only in process main. */
export type JournalWriter = {
  /** Resolves with the jpos of a record on disk. Rejects with MishapError ACCEPT_OVERLOADED or ACCEPT_DISK_FULL. */
  append(head: RecordHead, body: Buffer): Promise<number>
  /** Everything before this position is on disk. Readers never read past it. */
  durable(): number
  /** Calls the listener after each group that became durable. Returns a function that removes the listener. */
  onDurable(listener: (durable: number) => void): () => void
  /** Removes whole segments before `before`. Records from `before` on stay. */
  trim(before: number): Promise<void>
  /** Waiting bytes between the trim and durable positions, plus the bodies of these records outside the journal. */
  lagBytes(): number
  /** The bytes of those bodies only. */
  bodyBytes(): number
  /** Bytes of appended records that are not durable yet. */
  waitingBytes(): number
  /** Reserves `declared` bytes, 0 if unknown, of a lane. Throws MishapError ACCEPT_OVERLOADED or ACCEPT_DISK_FULL. */
  reserve(declared?: number, lane?: Lane): BodyReservation
  /** Counts a body whose record was written before the restart. */
  addBody(jpos: number, bytes: number): void
  /** Bytes trimmed since this writer was opened. The value only grows. */
  doneBytes(): number
  close(): Promise<void>
}

/**
 * Records of a lane between a position and `at`. It stops after `bytesMax` bytes of the lane, `recordsMax` records of
 * any lane, or at unreadable bytes (`isDamaged`), which only a read can skip.
 */
export type Survey = { records: number; bytes: number; at: number; isDamaged: boolean }

/** The reader. It lives in process app and its workers. It reads with pread and never blocks the writer. */
export type JournalReader = {
  /**
   * Reads records from `from` (a record's start, or 0) up to `durable`: at most `bytesMax` and `recordsMax`, but at
   * least one record. Continue at `next`; it equals `from` when there are no records. A torn tail of an older segment
   * ends that segment. With `lane`, it skips records of the other lane by their lengths, also after the last record.
   */
  read(
    from: number,
    durable: number,
    recordsMax: number,
    bytesMax: number,
    lane?: Lane,
  ): { records: JournalRecord[]; next: number }
  /** Counts at most `recordsMax` records between two positions. Reads blocks of 16 KiB for their lengths. */
  count(from: number, durable: number, recordsMax: number, lane?: Lane): number
  /** Sums up the records of a lane between two positions without reading their bodies, see `Survey`. */
  survey(from: number, durable: number, lane: Lane, limits: { bytesMax: number; recordsMax: number }): Survey
  close(): void
}
