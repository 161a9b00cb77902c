import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  promises,
  renameSync,
  rmSync,
  statSync,
  writevSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Lane } from '../base/lane.ts'
import type { Observe } from '../base/observe.ts'
import { BodyBudget, reserveBody } from './budget.ts'
import { close, diskOf, open, sync, truncate, write } from './disk.ts'
import { listSegments, listSpares, readNewest, segmentPath, syncFolder, validBytes, writeNewest } from './folder.ts'
import {
  type BodyReservation,
  type JournalReader,
  type JournalWriter,
  type RecordHead,
  segmentSpan,
} from './journal.ts'
import { createReader, type ReaderOptions } from './reader.ts'
import {
  copiedBytesMax,
  encodedBytes,
  encodeHead,
  encodeRecord,
  endMark,
  offsetOf,
  recordBytes,
  recordBytesMax,
  segmentOf,
} from './record.ts'

/** Options of the writer. Sizes in bytes. */
export type WriterOptions = {
  folder: string
  /** Limit of waiting bytes (and bodies outside the journal), at most 10% of the disk. Appends above it are refused. */
  bytesMax: number
  /** Appends are refused when less disk space than this is free. */
  diskReserveBytes: number
  /**
   * How long the first record of a group waits for more, and four times that if few have come. A group that forms during
   * a write starts right after it, or this much later if few have come.
   */
  groupMs: number
  clock: Clock
  observe: Observe
  /** Everything before this position was processed before the restart. */
  trimmedTo?: number
  /** Size at which a segment ends. Default 64 MiB. */
  segmentBytes?: number
}

type Waiting = {
  head: Buffer
  body: Buffer
  bodyBytes: number
  resolve: (jpos: number) => void
  reject: (error: unknown) => void
}
type Open = { segment: number; handle: number; offset: number }

const mebibyte = 1024 * 1024
/** 16 MiB keep the latency of a group near that of its sync. 340 records are at most 681 parts; one writev takes 1,024. */
const groupBytesMax = 16 * mebibyte
const groupRecordsMax = 340
/** Buffer for the records of a group: 64 of 2 kB fit twice. */
const bufferBytes = 256 * 1024
/**
 * It grows for larger groups up to this size, beyond which a group gets a buffer of its own. 32 envelopes of 12 kB are
 * 0.4 MB: with a new buffer for each of their groups, V8 collected the heap of process main every 0.24 s.
 */
const bufferBytesMax = 2 * mebibyte
/**
 * A group of 2 to 7 records waits three times as long again, because more records come at this rate. At 2,000 events/s main
 * needs 0.20 of a core instead of 0.27. With such a wait for any group, 64 senders that wait for answers sent a third less.
 */
const enoughRecords = 8
const furtherWaits = 3
const sparesMax = 2
/** Share of the limit that bulk data can fill. The rest is for events, which would be refused behind it otherwise. */
const bulkShare = 0.9
const freeCheckMs = 1000
/**
 * This thread itself writes a smaller group to the page cache, in 10 us. A trip to another thread and back takes 60 us at a
 * low rate. Only the sync waits for the disk, in another thread. If a write and its sync took longer than `quickMs`, the next
 * write may wait for the disk too, so it goes to another thread.
 */
const directBytesMax = 64 * 1024
const quickMs = 25

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * Opens the journal for appending. Creates the folder (mode 0700) and begins a new segment, because nothing is appended
 * to a torn tail. @throws the system's error when the folder cannot be created or written.
 */
export async function openJournalWriter(options: WriterOptions): Promise<JournalWriter> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const writer = new Writer(options)
  await writer.begin()
  return {
    append: (head, body) => writer.append(head, body),
    durable: () => writer.durable,
    onDurable: (listener) => writer.onDurable(listener),
    trim: (before) => writer.trim(before),
    lagBytes: () => writer.lagBytes(),
    bodyBytes: () => writer.beside.waiting,
    waitingBytes: () => writer.waitingBytes,
    reserve: (declared, lane) => writer.reserve(declared, lane),
    addBody: (jpos, bytes) => writer.addBody(jpos, bytes),
    doneBytes: () => writer.doneBytes,
    close: () => writer.close(),
  }
}

/**
 * Opens the journal for reading with pread. Any number of readers can run, in any process. `options.onCorrupt` is
 * called once for each position where bytes were skipped.
 */
export function openJournalReader(folder: string, options: ReaderOptions = {}): JournalReader {
  return createReader(folder, options)
}

class Writer {
  durable = 0
  doneBytes = 0
  readonly beside = new BodyBudget()
  readonly #options: WriterOptions
  readonly #segmentBytes: number
  readonly #listeners = new Set<(durable: number) => void>()
  /** Size in bytes of every segment in the folder. */
  readonly #sizes = new Map<number, number>()
  readonly #waiting: Waiting[] = []
  /** Bytes of records that are not durable yet, with the group that is being written. */
  waitingBytes = 0
  #current: Open | undefined
  #lastSegment = 0
  #trimmed: number
  #writing: Promise<void> | undefined
  #cancelDelay: (() => void) | undefined
  #closed = false
  #spares: string[] = []
  #freeBytes = Number.POSITIVE_INFINITY
  #boundBytes: number
  #freeCheckedMs = Number.NEGATIVE_INFINITY
  #buffer = Buffer.allocUnsafeSlow(bufferBytes)
  /** How long the last write and its sync took. */
  #syncMs = 0

  constructor(options: WriterOptions) {
    this.#options = options
    this.#segmentBytes = options.segmentBytes ?? 64 * mebibyte
    this.#trimmed = options.trimmedTo ?? 0
    this.#boundBytes = options.bytesMax
  }

  async begin(): Promise<void> {
    const { folder } = this.#options
    const segments = listSegments(folder)
    const newest = segments.at(-1)
    if (newest !== undefined) this.#cut(newest)
    for (const segment of segments) this.#sizes.set(segment, statSync(segmentPath(folder, segment)).size)
    this.#spares = listSpares(folder)
    // Never reuse a number, even when the segments were removed: positions must grow.
    this.#lastSegment = Math.max(newest ?? 0, readNewest(folder), segmentOf(this.#trimmed))
    await this.#checkDisk()
    await this.#nextSegment()
    await this.trim(this.#trimmed)
  }

  /**
   * Cuts the torn end that a crash left. Readers can then treat a wrong checksum as corruption, and the lag is correct.
   * Always syncs: after kill -9, whole records can exist only in the page cache, and refine will commit them.
   */
  #cut(segment: number): void {
    const path = segmentPath(this.#options.folder, segment)
    const valid = validBytes(this.#options.folder, segment)
    const handle = openSync(path, 'r+')
    try {
      const { size } = fstatSync(handle)
      if (size > valid) {
        this.#options.observe.info({ segment, bytes: size - valid }, 'the incomplete end of the journal was cut off')
        ftruncateSync(handle, valid)
      }
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  }

  append(head: RecordHead, body: Buffer): Promise<number> {
    const headBytes = encodeHead(head)
    const bytes = recordBytes(headBytes.length, body.length)
    const bodyBytes = head.spool?.bytes ?? 0
    const refusal =
      bytes > recordBytesMax
        ? new MishapError('ACCEPT_TOO_LARGE')
        : this.#refusal(bytes, bodyBytes, bytes, this.beside.writtenBytes, head.lane)
    if (refusal) return Promise.reject(refusal)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ head: headBytes, body, bodyBytes, resolve, reject })
      this.waitingBytes += bytes
      this.beside.add(bodyBytes)
      this.#wake()
    })
  }

  reserve(declared = 0, lane: Lane = 'events'): BodyReservation {
    return reserveBody(this.beside, declared, lane, {
      refusal: (bodyBytes, free, writtenBytes, of) => this.#refusal(0, bodyBytes, free, writtenBytes, of),
      taken: (bytes) => {
        this.#freeBytes -= bytes
      },
    })
  }

  addBody(jpos: number, bytes: number): void {
    if (jpos < this.#trimmed) return
    this.beside.add(bytes)
    this.beside.addStored(jpos, bytes)
  }

  onDurable(listener: (durable: number) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  lagBytes(): number {
    const first = segmentOf(this.#trimmed)
    let bytes = this.beside.waiting
    for (const [segment, size] of this.#sizes) {
      if (segment > first) bytes += size
      else if (segment === first) bytes += Math.max(0, size - offsetOf(this.#trimmed))
    }
    return bytes
  }

  /** Keeps trimmed segments as spares: overwriting blocks avoids writes to the file system's journal (56% at 14 kB). */
  async trim(before: number): Promise<void> {
    const lag = this.lagBytes()
    if (before > this.#trimmed) this.#trimmed = before
    this.beside.trim(this.#trimmed)
    this.doneBytes += lag - this.lagBytes()
    const first = segmentOf(this.#trimmed)
    for (const segment of [...this.#sizes.keys()]) {
      if (segment >= first || segment === this.#current?.segment) continue
      this.#sizes.delete(segment)
      const path = segmentPath(this.#options.folder, segment)
      if (this.#spares.length >= sparesMax) {
        await promises.rm(path, { force: true })
        continue
      }
      const spare = `spare-${segment}`
      await promises.rename(path, join(this.#options.folder, spare))
      this.#spares.push(spare)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelDelay?.()
    this.#cancelDelay = undefined
    this.#start()
    await this.#writing
    await this.#seal()
  }

  /**
   * Checks `bytes` in the journal, a body of `bodyBytes` bytes and `writtenBytes` bytes of others against the limits of a
   * lane. `free`: bytes not yet on disk. A body counts for at most half of the limit, so an oversized one passes when little waits.
   */
  #refusal(
    bytes: number,
    bodyBytes: number,
    free = bytes,
    writtenBytes = this.beside.writtenBytes,
    lane: Lane = 'events',
  ): MishapError | undefined {
    const boundBytes = this.#boundBytes * (lane === 'bulk' ? bulkShare : 1)
    if (this.#closed) return new MishapError('ACCEPT_OVERLOADED', { detail: 'Mishap is stopping.', retryAfterS: 5 })
    // The absolute difference: a clock that was set back must not preserve an old value for hours.
    if (Math.abs(this.#options.clock.now() - this.#freeCheckedMs) >= freeCheckMs) void this.#checkDisk()
    if (this.#freeBytes - this.waitingBytes - free < this.#options.diskReserveBytes) {
      return new MishapError('ACCEPT_DISK_FULL', { retryAfterS: 60 })
    }
    const waitingBytes = this.lagBytes() + this.waitingBytes + writtenBytes
    if (waitingBytes + bytes + Math.min(bodyBytes, boundBytes / 2) > boundBytes) {
      return new MishapError('ACCEPT_OVERLOADED', { retryAfterS: 10 })
    }
    return undefined
  }

  async #checkDisk(): Promise<void> {
    this.#freeCheckedMs = this.#options.clock.now()
    try {
      const disk = await diskOf(this.#options.folder)
      this.#freeBytes = disk.bavail * disk.bsize
      this.#boundBytes = Math.min(this.#options.bytesMax, Math.floor((disk.blocks * disk.bsize) / 10))
    } catch (error) {
      this.#options.observe.warn({ error: String(error) }, 'the free disk space of the journal is unknown')
    }
  }

  #wake(): void {
    if (this.#writing || this.#cancelDelay) return
    if (this.#options.groupMs === 0) {
      // A microtask, so that all records of one tick share a sync.
      this.#cancelDelay = () => {}
      queueMicrotask(() => this.#start())
      return
    }
    const { clock, groupMs } = this.#options
    this.#cancelDelay = clock.after(groupMs, () => {
      // A single record is not delayed at a low rate.
      if (this.#waiting.length === 1 || this.#waiting.length >= enoughRecords) this.#start()
      else this.#cancelDelay = clock.after(groupMs * furtherWaits, () => this.#start())
    })
  }

  #start(): void {
    this.#cancelDelay = undefined
    if (this.#writing || this.#waiting.length === 0) return
    this.#writing = this.#run()
  }

  /** Writes one group at a time. Records that arrive meanwhile form the next group; a few of them wait `groupMs` for others. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const { group, bytes } = this.#take()
      const written = await this.#writeGroup(group, bytes)
      // Until here its bytes were in no segment's size.
      this.waitingBytes -= bytes
      if (written === undefined) {
        for (const entry of group) {
          this.beside.drop(entry.bodyBytes)
          entry.reject(new MishapError('ACCEPT_DISK_FULL', { retryAfterS: 60 }))
        }
        continue
      }
      let at = written
      for (const entry of group) {
        this.beside.addStored(at, entry.bodyBytes)
        entry.resolve(at)
        at += recordBytes(entry.head.length, entry.body.length)
      }
      this.#tell()
      // Requests that arrived in the same turn of the event loop join the next group, so there are fewer syncs.
      if (this.#waiting.length > 0 && !this.#closed) await turn()
      // A few wait for others: 4,000 records/s made 1,200 syncs a second, one for each three of them (decision 28).
      if (this.#options.groupMs > 0 && this.#waiting.length < enoughRecords && !this.#closed) break
    }
    // Clear it in this tick: an append before a later tick would rely on a writer that has already stopped.
    this.#writing = undefined
    if (this.#waiting.length === 0) return
    this.#cancelDelay = this.#options.clock.after(this.#options.groupMs, () => this.#start())
  }

  /** Notifies the listeners. A failing listener must not stop the journal. */
  #tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener(this.durable)
      } catch (error) {
        this.#options.observe.error({ error: String(error) }, 'a listener of the journal failed')
      }
    }
  }

  /** Takes the records of the next group, and their size. */
  #take(): { group: Waiting[]; bytes: number } {
    let bytes = 0
    let count = 0
    for (const entry of this.#waiting) {
      const next = recordBytes(entry.head.length, entry.body.length)
      if (count > 0 && (count >= groupRecordsMax || bytes + next > Math.min(groupBytesMax, this.#segmentBytes / 4)))
        break
      bytes += next
      count++
    }
    return { group: this.#waiting.splice(0, count), bytes }
  }

  /** Returns the parts to write for a group: its records from the position `from` on, and the end mark. */
  #encode(group: Waiting[], from: number): Buffer[] {
    const size = group.reduce((sum, { head, body }) => sum + encodedBytes(head.length, body.length), endMark.length)
    // One group is written at a time, so all groups share one buffer.
    if (size > this.#buffer.length && size <= bufferBytesMax)
      this.#buffer = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(size)))
    const buffer = size <= this.#buffer.length ? this.#buffer : Buffer.allocUnsafeSlow(size)
    const parts: Buffer[] = []
    let jpos = from
    let begin = 0
    let end = 0
    for (const { head, body } of group) {
      end = encodeRecord(buffer, end, jpos, head, body)
      jpos += recordBytes(head.length, body.length)
      if (body.length <= copiedBytesMax) continue
      parts.push(buffer.subarray(begin, end), body)
      begin = end
    }
    buffer.set(endMark, end)
    parts.push(buffer.subarray(begin, end + endMark.length))
    return parts
  }

  /** Writes and syncs a group. Returns the position of its first record, or undefined when the disk refused it. */
  async #writeGroup(group: Waiting[], groupBytes: number): Promise<number | undefined> {
    try {
      if (this.#current && this.#current.offset > 0 && this.#current.offset + groupBytes > this.#segmentBytes)
        await this.#seal()
      const current = this.#current ?? (await this.#nextSegment())
      const from = current.segment * segmentSpan + current.offset
      const parts = this.#encode(group, from)
      const beganMs = this.#options.clock.now()
      const isDirect = groupBytes <= directBytesMax && this.#syncMs < quickMs
      const bytes = isDirect
        ? writevSync(current.handle, parts, current.offset)
        : await write(current.handle, parts, current.offset)
      if (bytes !== groupBytes + endMark.length)
        throw new Error(`wrote ${bytes} of ${groupBytes + endMark.length} bytes`)
      await sync(current.handle)
      this.#syncMs = Math.abs(this.#options.clock.now() - beganMs)
      current.offset += groupBytes
      this.#freeBytes -= groupBytes
      this.#sizes.set(current.segment, current.offset)
      this.durable = current.segment * segmentSpan + current.offset
      return from
    } catch (error) {
      this.#options.observe.error(
        { error: String(error), records: group.length },
        'a group could not be written to the journal',
      )
      await this.#seal()
      return undefined
    }
  }

  /** Begins the next segment, in a spare file if one exists. Syncs the folder before any record is written. */
  async #nextSegment(): Promise<Open> {
    const { folder } = this.#options
    const segment = ++this.#lastSegment
    const path = segmentPath(folder, segment)
    const spare = this.#spares.pop()
    if (spare !== undefined) renameSync(join(folder, spare), path)
    const flags = constants.O_WRONLY | constants.O_CREAT | (spare === undefined ? constants.O_EXCL : 0)
    const handle = await open(path, flags, 0o600)
    try {
      // A recycled file must not begin with old records, and readers must not find a new file empty.
      await write(handle, [endMark], 0)
      await sync(handle)
      writeNewest(folder, segment)
      syncFolder(folder)
    } catch (error) {
      await close(handle)
      rmSync(path, { force: true })
      throw error
    }
    this.#current = { segment, handle, offset: 0 }
    this.#sizes.set(segment, 0)
    this.durable = segment * segmentSpan
    return this.#current
  }

  /** Ends the segment. Cuts it after the last synced record, so that refused records are not read later. */
  async #seal(): Promise<void> {
    const current = this.#current
    this.#current = undefined
    if (!current) return
    try {
      await truncate(current.handle, current.offset)
    } catch (error) {
      this.#options.observe.warn(
        { error: String(error), segment: current.segment },
        'a segment of the journal could not be cut to its length',
      )
    }
    await close(current.handle).catch(() => {})
  }
}
