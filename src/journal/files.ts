import {
  close as closeFile,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncate,
  ftruncateSync,
  mkdirSync,
  open as openFile,
  openSync,
  promises,
  renameSync,
  rmSync,
  statfs,
  statSync,
  writev,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Observe } from '../base/observe.ts'
import { Beside } from './budget.ts'
import { listSegments, listSpares, readNewest, segmentPath, syncFolder, validBytes, writeNewest } from './folder.ts'
import { type JournalReader, type JournalWriter, type RecordHead, type Room, segmentSpan } from './journal.ts'
import { createReader, type ReaderOptions } from './reader.ts'
import { encodePrefix, endMark, offsetOf, prefixBytes, recordBytes, recordBytesMax, segmentOf } from './record.ts'

/** What the writer needs; sizes in bytes. */
export type WriterOptions = {
  folder: string
  /** Bound of what waits, bodies beside the journal included; 10% of the disk where that is less. At it, appends are refused. */
  bytesMax: number
  /** Free space under which appends are refused. */
  diskReserveBytes: number
  /** How long the first record of a group waits for others; a group that is being written is never waited for longer. */
  groupMs: number
  clock: Clock
  observe: Observe
  /** Everything before this position was refined in an earlier life. */
  trimmedTo?: number
  /** Size at which a segment ends, 64 MiB unless a test says otherwise. */
  segmentBytes?: number
}

type Waiting = {
  head: Buffer
  body: Buffer
  beside: number
  resolve: (jpos: number) => void
  reject: (error: unknown) => void
}
type Open = { segment: number; handle: number; offset: number }

const mebibyte = 1024 * 1024
/** 16 MiB keep a group's latency near that of its sync; 340 records are 1,020 parts, under the 1,024 of one writev. */
const groupBytesMax = 16 * mebibyte
const groupRecordsMax = 340
const sparesMax = 2
const freeCheckMs = 1000
/** Kept for the record that will name a body, so that one that came whole is not refused for its head. */
const recordRoomBytes = 16 * 1024

const open = promisify(openFile)
const close = promisify(closeFile)
const truncate = promisify(ftruncate)
const sync = promisify(fdatasync)
const diskOf = promisify(statfs)
const write = (handle: number, parts: Buffer[], at: number) =>
  new Promise<number>((resolve, reject) => {
    writev(handle, parts, at, (error, bytes) => (error ? reject(error) : resolve(bytes)))
  })

/**
 * Opens the journal for appending: makes the folder (0700), begins a new segment (a torn tail is never appended to).
 * Throws the system's error when the folder cannot be made or written.
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
    besideBytes: () => writer.beside.waiting,
    room: (declared) => writer.room(declared),
    noteBeside: (jpos, bytes) => writer.noteBeside(jpos, bytes),
    doneBytes: () => writer.doneBytes,
    close: () => writer.close(),
  }
}

/**
 * Opens the journal for reading by pread; any number of readers, in any process.
 * `options.onCorrupt` hears once of each place where bytes had to be skipped.
 */
export function openJournalReader(folder: string, options: ReaderOptions = {}): JournalReader {
  return createReader(folder, options)
}

class Writer {
  durable = 0
  doneBytes = 0
  readonly beside = new Beside()
  readonly #options: WriterOptions
  readonly #segmentBytes: number
  readonly #listeners = new Set<(durable: number) => void>()
  /** Bytes of every segment in the folder. */
  readonly #sizes = new Map<number, number>()
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
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
    // Never a number twice, even when the segments were taken away: positions must grow.
    this.#lastSegment = Math.max(newest ?? 0, readNewest(folder), segmentOf(this.#trimmed))
    await this.#checkDisk()
    await this.#nextSegment()
    await this.trim(this.#trimmed)
  }

  /**
   * What a crash left open is sealed now: readers then take a wrong checksum for what it is, and lag is counted right.
   * Synced either way: after kill -9 whole records may stand there that only the page cache holds, and refine will commit them.
   */
  #cut(segment: number): void {
    const path = segmentPath(this.#options.folder, segment)
    const valid = validBytes(this.#options.folder, segment)
    const handle = openSync(path, 'r+')
    try {
      const { size } = fstatSync(handle)
      if (size > valid) {
        this.#options.observe.info({ segment, bytes: size - valid }, 'the open end of the journal was cut')
        ftruncateSync(handle, valid)
      }
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  }

  append(head: RecordHead, body: Buffer): Promise<number> {
    const headBytes = Buffer.from(JSON.stringify(head))
    const bytes = recordBytes(headBytes.length, body.length)
    const beside = head.spool?.bytes ?? 0
    const refusal = bytes > recordBytesMax ? new MishapError('ACCEPT_TOO_LARGE') : this.#refusal(bytes, beside)
    if (refusal) return Promise.reject(refusal)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ head: headBytes, body, beside, resolve, reject })
      this.#waitingBytes += bytes
      this.beside.add(beside)
      this.#wake()
    })
  }

  room(declared = 0): Room {
    const { beside } = this
    const use = beside.begin(declared)
    if (declared > 0) {
      const held = declared + recordRoomBytes
      const refusal = this.#refusal(0, held, declared + beside.declared, beside.held)
      if (refusal) throw refusal
      beside.count(use, 0, held, declared)
    }
    return {
      grow: (bytes) => {
        if (use.lost) throw new MishapError('ACCEPT_OVERLOADED', { retryAfterS: 10 })
        const came = use.came + bytes
        const held = Math.max(use.held, came + recordRoomBytes)
        const ask = (givenBack: number) =>
          this.#refusal(0, held, bytes + beside.declared - use.coming, beside.held - use.held - givenBack)
        // Within what was declared only what truly came of others stands in the way.
        const refusal = came <= declared ? this.#refusal(0, came, bytes, beside.rooms - use.came) : ask(0)
        if (refusal && (declared > 0 || !beside.takeFromLater(use, (givenBack) => !ask(givenBack)))) throw refusal
        beside.count(use, came, held, Math.max(0, declared - came))
        this.#freeBytes -= bytes
      },
      free: () => beside.end(use),
    }
  }

  noteBeside(jpos: number, bytes: number): void {
    if (jpos < this.#trimmed) return
    this.beside.add(bytes)
    this.beside.stand(jpos, bytes)
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

  /** A trimmed segment becomes a spare: writing over existing blocks spares the file system its own journal (56% at 14 kB). */
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
   * Whether `bytes` in the journal and a body of `beside` bytes are too much beside `rooms` of others; `free` bytes have
   * to be found on the disk yet. A body counts for at most half of the bound, so that one that is larger than the bound gets in when little waits.
   */
  #refusal(bytes: number, beside: number, free = bytes, rooms = this.beside.rooms): MishapError | undefined {
    if (this.#closed) return new MishapError('ACCEPT_OVERLOADED', { detail: 'Mishap is stopping.', retryAfterS: 5 })
    // either way: a clock that was set back must not keep an old answer for hours
    if (Math.abs(this.#options.clock.now() - this.#freeCheckedMs) >= freeCheckMs) void this.#checkDisk()
    if (this.#freeBytes - this.#waitingBytes - free < this.#options.diskReserveBytes) {
      return new MishapError('ACCEPT_DISK_FULL', { retryAfterS: 60 })
    }
    const waits = this.lagBytes() + this.#waitingBytes + rooms
    if (waits + bytes + Math.min(beside, this.#boundBytes / 2) > this.#boundBytes) {
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
      this.#options.observe.warn({ error: String(error) }, 'the free space of the journal’s disk is unknown')
    }
  }

  #wake(): void {
    if (this.#writing || this.#cancelDelay) return
    if (this.#options.groupMs === 0) {
      // A microtask, so that what one tick appends shares a sync.
      this.#cancelDelay = () => {}
      queueMicrotask(() => this.#start())
      return
    }
    this.#cancelDelay = this.#options.clock.after(this.#options.groupMs, () => this.#start())
  }

  #start(): void {
    this.#cancelDelay = undefined
    if (this.#writing || this.#waiting.length === 0) return
    this.#writing = this.#run()
  }

  /** One group at a time; what arrives meanwhile is the next group, which starts at once. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#take()
      const written = await this.#writeGroup(group)
      if (written === undefined) {
        for (const entry of group) {
          this.beside.drop(entry.beside)
          entry.reject(new MishapError('ACCEPT_DISK_FULL', { retryAfterS: 60 }))
        }
        continue
      }
      let at = written
      for (const entry of group) {
        this.beside.stand(at, entry.beside)
        entry.resolve(at)
        at += recordBytes(entry.head.length, entry.body.length)
      }
      this.#tell()
    }
    // Here and not in a later tick: an append in between would find a writer that no longer looks.
    this.#writing = undefined
  }

  /** A listener's fault must not stop the journal. */
  #tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener(this.durable)
      } catch (error) {
        this.#options.observe.error({ error: String(error) }, 'a listener of the journal failed')
      }
    }
  }

  #take(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const entry of this.#waiting) {
      const next = recordBytes(entry.head.length, entry.body.length)
      if (count > 0 && (count >= groupRecordsMax || bytes + next > Math.min(groupBytesMax, this.#segmentBytes / 4)))
        break
      bytes += next
      count++
    }
    this.#waitingBytes -= bytes
    return this.#waiting.splice(0, count)
  }

  /** Writes and syncs a group. Returns the position of its first record; undefined when the disk refused. */
  async #writeGroup(group: Waiting[]): Promise<number | undefined> {
    try {
      const groupBytes = group.reduce((sum, entry) => sum + recordBytes(entry.head.length, entry.body.length), 0)
      if (this.#current && this.#current.offset > 0 && this.#current.offset + groupBytes > this.#segmentBytes)
        await this.#seal()
      const current = this.#current ?? (await this.#nextSegment())
      const from = current.segment * segmentSpan + current.offset
      const parts: Buffer[] = []
      let at = from
      for (const entry of group) {
        parts.push(encodePrefix(at, entry.head, entry.body), entry.head, entry.body)
        at += prefixBytes + entry.head.length + entry.body.length
      }
      parts.push(endMark)
      const bytes = await write(current.handle, parts, current.offset)
      if (bytes !== groupBytes + endMark.length)
        throw new Error(`wrote ${bytes} of ${groupBytes + endMark.length} bytes`)
      await sync(current.handle)
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

  /** Begins the next segment, in a spare file if any exists. Syncs the folder before anything is written. */
  async #nextSegment(): Promise<Open> {
    const { folder } = this.#options
    const segment = ++this.#lastSegment
    const path = segmentPath(folder, segment)
    const spare = this.#spares.pop()
    if (spare !== undefined) renameSync(join(folder, spare), path)
    const flags = constants.O_WRONLY | constants.O_CREAT | (spare === undefined ? constants.O_EXCL : 0)
    const handle = await open(path, flags, 0o600)
    try {
      // A recycled file must not begin with what looks like its end; a new one must not be empty for readers' sake.
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

  /** Ends the segment: cuts it behind its last synced record, so that what was refused is not read later. */
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
