import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { freeBytesOf } from '../base/free-bytes.ts'
import { bundleFileBytesMax, chunkRequestBytesMax } from '../wire/upload.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Maximum body of calls other than uploads: a call with commits, whose size the app checks itself. */
const bodyBytesMax = 9 * MiB
/** Headers and boundaries of parts add to their content. */
const framingBytes = 2 * MiB
const uploads: readonly [path: RegExp, bytesMax: number][] = [
  [/^\/api\/0\/organizations\/[^/]+\/chunk-upload\/?$/, chunkRequestBytesMax + framingBytes],
  [
    /^\/api\/0\/(?:organizations|projects\/[^/]+)\/[^/]+\/releases\/[^/]+\/files\/?$/,
    bundleFileBytesMax + framingBytes,
  ],
]

/** Returns the maximum body bytes of a request to `target`. */
export function bodyBytesMaxOf(target: string): number {
  const path = target.split('?', 1)[0] ?? ''
  return uploads.find(([form]) => form.test(path))?.[1] ?? bodyBytesMax
}

export type IncomingLimits = {
  /** Larger bodies go to a file. */
  memoryBytesEach: number
  /** Maximum of all bodies in memory. Beyond it, bodies go to files. */
  memoryBytes: number
  /** Maximum of all files. */
  fileBytes: number
  /** As in ingest: a client has `slowMs`, plus 1 s per `slowBytesPerS` received, never more than `slowMs` ahead. */
  slowMs: number
  slowBytesPerS: number
}

/** Limits per kind of caller (gate.ts). */
export const incomingLimits: IncomingLimits = {
  memoryBytesEach: 64 * KiB,
  memoryBytes: 16 * MiB,
  fileBytes: 2048 * MiB,
  slowMs: 30_000,
  slowBytesPerS: 64 * KiB,
}

/** File space is reserved in steps of this size. */
const stepBytes = 16 * MiB

export type Body = {
  bytes: number
  /** Writes the body to `to` and ends the stream. */
  sendTo(to: Writable): void
  /** Frees its space. Call it once the body is sent or no longer needed. */
  free(): void
}

type Deps = {
  clock: Clock
  /** Folder for bodies too large for memory. Their files are unlinked while in use. */
  folder: string
  /** Space to leave free on its volume. */
  diskReserveBytes: number
  limits?: IncomingLimits
}

/** Space that all bodies share. */
type SharedBudget = Deps & { limits: IncomingLimits; used: { memory: number; files: number } }

/** The client disconnected before the end: there is nobody to answer. */
export class SenderLeft extends Error {}

const diskFull = () => new MishapError('ACCEPT_DISK_FULL', { retryAfterS: 60 })
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The bytes of a body: in memory while small, then in an unlinked file. */
class Store implements Body {
  bytes = 0
  readonly #room: SharedBudget
  #pieces: Buffer[] = []
  #memory = 0
  #files = 0
  #file: FileHandle | undefined
  #freed = false

  constructor(budget: SharedBudget) {
    this.#room = budget
  }

  /** Adds a piece. Returns a promise if it must be written first. Rejects with ACCEPT_DISK_FULL. */
  add(chunk: Buffer): Promise<void> | undefined {
    this.bytes += chunk.length
    const { used, limits } = this.#room
    this.#pieces.push(chunk)
    this.#memory += chunk.length
    used.memory += chunk.length
    if (!this.#file && this.bytes <= limits.memoryBytesEach && used.memory <= limits.memoryBytes) return undefined
    return this.#write()
  }

  async #write(): Promise<void> {
    const { folder } = this.#room
    const bytes = Buffer.concat(this.#pieces)
    try {
      await this.#widen()
      if (!this.#file) {
        const path = join(folder, `${randomUUID()}~`)
        this.#file = await open(path, 'wx+', 0o600)
        await unlink(path)
      }
      await this.#file.appendFile(bytes)
      this.#dropMemory()
    } catch (error) {
      if (fullCodes.has(String((error as NodeJS.ErrnoException).code))) throw diskFull()
      throw error
    } finally {
      if (this.#freed) this.#close()
    }
  }

  #dropMemory(): void {
    this.#room.used.memory -= this.#memory
    this.#memory = 0
    this.#pieces = []
  }

  /** Reserves more file space. Throws REQUEST_OVERLOADED, ACCEPT_DISK_FULL. */
  async #widen(): Promise<void> {
    const { used, limits, folder, diskReserveBytes } = this.#room
    if (this.bytes <= this.#files) return
    const step = Math.min(stepBytes, limits.fileBytes)
    if (used.files + step > limits.fileBytes) throw new MishapError('REQUEST_OVERLOADED', { retryAfterS: 10 })
    used.files += step
    this.#files += step
    if ((await freeBytesOf(folder)) - diskReserveBytes < step) throw diskFull()
  }

  sendTo(to: Writable): void {
    if (!this.#file) return void to.end(Buffer.concat(this.#pieces))
    const from = this.#file.createReadStream({ start: 0, autoClose: false })
    from.on('error', () => to.destroy())
    to.once('close', () => from.destroy())
    from.pipe(to)
  }

  free(): void {
    if (this.#freed) return
    this.#freed = true
    this.#room.used.files -= this.#files
    this.#dropMemory()
    this.#close()
  }

  #close(): void {
    const file = this.#file
    this.#file = undefined
    file?.close().catch(() => undefined)
  }
}

/** An incoming body. */
type IncomingBody = {
  /** The complete body. Rejects with Left, ACCEPT_TIMEOUT, ACCEPT_TOO_LARGE, ACCEPT_DISK_FULL, REQUEST_OVERLOADED. */
  completed: Promise<Body>
  bytes(): number
  /** Aborts it: another body needs the slot. */
  cut(): void
}

/** Reads request bodies before the app process receives the request. */
export function createIncoming(deps: Deps) {
  const budget: SharedBudget = { ...deps, limits: deps.limits ?? incomingLimits, used: { memory: 0, files: 0 } }
  return {
    /** Bytes that bodies use now. */
    used: (): Readonly<SharedBudget['used']> => budget.used,
    /** Reads the body of a request. `passed` is called with the bytes of each piece. */
    read: (req: IncomingMessage, bytesMax: number, passed?: (bytes: number) => void): IncomingBody =>
      read(budget, req, bytesMax, passed),
  }
}

function read(
  budget: SharedBudget,
  req: IncomingMessage,
  bytesMax: number,
  passed?: (bytes: number) => void,
): IncomingBody {
  const { clock, limits } = budget
  const { promise, resolve, reject } = Promise.withResolvers<Body>()
  const store = new Store(budget)
  const state = { dueMs: clock.now() + limits.slowMs, writing: false, isComplete: false, ended: false }
  let cancel = () => {}
  function finish(error?: Error): void {
    if (state.ended) return
    state.ended = true
    cancel()
    req.off('data', onData)
    req.off('end', onEnd)
    req.off('close', onSenderLeft)
    req.off('error', onSenderLeft)
    if (!error) return void resolve(store)
    store.free()
    reject(error)
  }
  const watch = (ms: number) => {
    cancel = clock.after(ms, () => {
      const remainingMs = state.dueMs - clock.now()
      if (state.writing) watch(limits.slowMs)
      else if (remainingMs > 1) watch(Math.min(remainingMs, limits.slowMs))
      else finish(new MishapError('ACCEPT_TIMEOUT'))
    })
  }
  const onData = (chunk: Buffer) => {
    passed?.(chunk.length)
    if (store.bytes + chunk.length > bytesMax) return void finish(tooLarge(bytesMax))
    state.dueMs = Math.min(clock.now() + limits.slowMs, state.dueMs + (chunk.length / limits.slowBytesPerS) * 1000)
    const written = store.add(chunk)
    if (!written) return
    // Disk time does not count for the client.
    const sinceMs = clock.now()
    state.writing = true
    req.pause()
    written.then(() => {
      state.writing = false
      state.dueMs += Math.max(0, clock.now() - sinceMs)
      if (state.isComplete) finish()
      else if (!state.ended) req.resume()
    }, finish)
  }
  const onEnd = () => {
    state.isComplete = true
    // The last piece can still be on its way to the file.
    if (!state.writing) finish()
  }
  const onSenderLeft = () => {
    if (!state.isComplete) finish(new SenderLeft())
  }
  const declared = Number(req.headers['content-length'] ?? 0)
  if (declared > bytesMax) finish(tooLarge(bytesMax))
  else {
    watch(limits.slowMs)
    req.on('data', onData)
    req.on('end', onEnd)
    req.on('close', onSenderLeft)
    req.on('error', onSenderLeft)
  }
  return { completed: promise, bytes: () => store.bytes, cut: () => finish(new MishapError('ACCEPT_TIMEOUT')) }
}

const tooLarge = (bytesMax: number) =>
  new MishapError('ACCEPT_TOO_LARGE', { detail: `The body is over ${bytesMax} bytes.` })
