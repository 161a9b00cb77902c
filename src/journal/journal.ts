import type { DataCategory } from '../base/outcome.ts'

/**
 * The durable queue between accept and refine. What `append` has resolved for survives kill -9 and power loss.
 * A position (`jpos`) is `segment * 2^28 + offset`: one number below 2^53 for 33 million segments of at most 256 MiB,
 * so it needs no bigint anywhere (2^40 would leave 8,192 segments, which last some hours at full load).
 */
export const segmentSpan = 2 ** 28

export type RecordKind = 'envelope' | 'store' | 'security' | 'attachments' | 'minidump' | 'outcomes'

/** What accept knows about one request; the body follows it in the record. */
export type RecordHead = {
  kind: RecordKind
  receivedMs: number
  projectId: number
  organizationId: number
  keyId: number
  /** Client address after trusted proxies; '' when unknown. */
  clientAddress: string
  userAgent: string
  origin: string
  contentType: string
  /** Sec-CH-UA* headers as sent, lower-case names. */
  clientHints?: Record<string, string>
  /** The id that was answered (store, minidump), or the event that attachments belong to: 32 lower-case hex. */
  eventId?: string
  /** Indexes of the envelope's items that a rate limit or limit took out; accept has counted them. */
  skip?: number[]
  /** Query of the security routes. */
  release?: string
  environment?: string
  /** A body over 1 MiB lies in the blob store instead of the record: its key and size in bytes. */
  spool?: { key: string; bytes: number }
  /** Only this event of the record (0 = its first) is wanted: the others are stored. */
  only?: number
  /** Only the transaction or the spans in this item of the envelope (0 = its first) are wanted: all others have ended. */
  onlyItem?: number
  /** The record is a dead item that a person sent again; the commit takes that one out. */
  again?: DeadAgain
}

/** Which dead item a record was, and how that was counted. */
export type DeadAgain = {
  id: number
  blobKey: string
  projectId: number
  keyId: number
  category: DataCategory
  itemType: string
  /** What was counted as dead beside it, each as one: its spans, or entries of category `of`. */
  spans?: number
  of?: DataCategory
  bytes: number
}

export type JournalRecord = {
  jpos: number
  /** Position right behind this record. */
  end: number
  head: RecordHead
  /** Empty when the head names a spool. */
  body: Buffer
}

/**
 * Disk for a body that is being written beside the journal; it counts as waiting until it is freed. What was declared of
 * it is kept from other bodies at once, so that those that come together do not refuse each other half-way; events may
 * take it until its bytes come.
 */
export type Room = {
  /** Takes so many bytes more, of what was declared first. Throws MishapError ACCEPT_OVERLOADED or ACCEPT_DISK_FULL. */
  grow(bytes: number): void
  /** The body is gone, or a record names it now. Safe to repeat. */
  free(): void
}

/** The writing side; lives in process main only. */
export type JournalWriter = {
  /** Resolves with the record's jpos once it is on disk. Rejects with MishapError ACCEPT_OVERLOADED or ACCEPT_DISK_FULL. */
  append(head: RecordHead, body: Buffer): Promise<number>
  /** Everything before this position is on disk; readers never read past it. */
  durable(): number
  /** Called after each group that became durable. Returns the way to stop. */
  onDurable(listener: (durable: number) => void): () => void
  /** Removes whole segments before `before`; keeps what is not yet refined. */
  trim(before: number): Promise<void>
  /** What waits: bytes between the trim position and durable, and the bodies beside the journal that belong to them. */
  lagBytes(): number
  /** Those bodies alone. */
  besideBytes(): number
  /** Room for a body of `declared` bytes, 0 when nobody knows. Throws MishapError ACCEPT_OVERLOADED or ACCEPT_DISK_FULL. */
  room(declared?: number): Room
  /** Counts a body that a record of an earlier life names. */
  noteBeside(jpos: number, bytes: number): void
  /** Bytes that were done with (trimmed) since this writer was opened; only grows. */
  doneBytes(): number
  close(): Promise<void>
}

/** The reading side; lives in process app (and its workers), reads by pread, never blocks the writer. */
export type JournalReader = {
  /**
   * Records from `from` (a record's start, or 0) up to `durable`: at most `bytesMax` and `recordsMax`, at least 1
   * record. `next` is where to go on; equal to `from` when nothing is there. A torn tail of an older segment ends that
   * segment.
   */
  read(from: number, durable: number, recordsMax: number, bytesMax: number): { records: JournalRecord[]; next: number }
  /** Records between two positions, at most `recordsMax`, by their lengths alone: 2 us each, whatever they hold. */
  count(from: number, durable: number, recordsMax: number): number
  close(): void
}
