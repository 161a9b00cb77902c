import { randomUUID } from 'node:crypto'
import { type FileHandle, open, statfs, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { bundleFileBytesMax, chunkRequestBytesMax } from '../wire/upload.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Longest body of a call that is no upload: that of one with commits, which app measures itself. */
const bodyBytesMax = 9 * MiB
/** Heads and boundaries of parts come on top of what they hold. */
const framingBytes = 2 * MiB
const uploads: readonly [path: RegExp, bytesMax: number][] = [
  [/^\/api\/0\/organizations\/[^/]+\/chunk-upload\/?$/, chunkRequestBytesMax + framingBytes],
  [
    /^\/api\/0\/(?:organizations|projects\/[^/]+)\/[^/]+\/releases\/[^/]+\/files\/?$/,
    bundleFileBytesMax + framingBytes,
  ],
]

/** Bytes that the body of a request to `target` may have. */
export function bodyBytesMaxOf(target: string): number {
  const path = target.split('?', 1)[0] ?? ''
  return uploads.find(([form]) => form.test(path))?.[1] ?? bodyBytesMax
}

export type IncomingLimits = {
  /** A longer body goes to a file. */
  memoryBytesEach: number
  /** All bodies in memory; with more they go to files. */
  memoryBytes: number
  /** All files. */
  fileBytes: number
  /** As in ingest: a sender has this long, and a second more for each `slowBytesPerS` that came, never more than this ahead. */
  slowMs: number
  slowBytesPerS: number
}

/** For one kind of asker (gate.ts). */
export const incomingLimits: IncomingLimits = {
  memoryBytesEach: 64 * KiB,
  memoryBytes: 16 * MiB,
  fileBytes: 2048 * MiB,
  slowMs: 30_000,
  slowBytesPerS: 64 * KiB,
}

/** Room in files is taken in steps of this size. */
const stepBytes = 16 * MiB

export type Body = {
  bytes: number
  /** Writes it to `to` and ends that. */
  sendTo(to: Writable): void
  /** Gives its room back. To be called once it was sent, or is not needed any more. */
  free(): void
}

type Deps = {
  clock: Clock
  /** Folder for bodies that do not stay in memory; a file there has no name while it is used. */
  folder: string
  /** Space that stays free on its volume. */
  diskReserveBytes: number
  limits?: IncomingLimits
}

/** Room that all bodies share. */
type Room = Deps & { limits: IncomingLimits; held: { memory: number; files: number } }

/** The sender left in the middle: nobody is there to be answered. */
export class Left extends Error {}

const diskFull = () => new MishapError('ACCEPT_DISK_FULL', { retryAfterS: 60 })
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** A body's bytes: in memory while it is small, then in a file that has no name. */
class Store implements Body {
  bytes = 0
  readonly #room: Room
  #pieces: Buffer[] = []
  #memory = 0
  #files = 0
  #file: FileHandle | undefined
  #freed = false

  constructor(room: Room) {
    this.#room = room
  }

  /** Takes a piece. A promise where it has to be written first. Rejects with ACCEPT_DISK_FULL. */
  add(piece: Buffer): Promise<void> | undefined {
    this.bytes += piece.length
    const { held, limits } = this.#room
    this.#pieces.push(piece)
    this.#memory += piece.length
    held.memory += piece.length
    if (!this.#file && this.bytes <= limits.memoryBytesEach && held.memory <= limits.memoryBytes) return undefined
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
    this.#room.held.memory -= this.#memory
    this.#memory = 0
    this.#pieces = []
  }

  /** Takes more room in files. Throws REQUEST_OVERLOADED, ACCEPT_DISK_FULL. */
  async #widen(): Promise<void> {
    const { held, limits, folder, diskReserveBytes } = this.#room
    if (this.bytes <= this.#files) return
    const step = Math.min(stepBytes, limits.fileBytes)
    if (held.files + step > limits.fileBytes) throw new MishapError('REQUEST_OVERLOADED', { retryAfterS: 10 })
    held.files += step
    this.#files += step
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize - diskReserveBytes < step) throw diskFull()
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
    this.#room.held.files -= this.#files
    this.#dropMemory()
    this.#close()
  }

  #close(): void {
    const file = this.#file
    this.#file = undefined
    file?.close().catch(() => undefined)
  }
}

/** One body that comes in. */
type Coming = {
  /** Resolves with the whole body. Rejects with Left, ACCEPT_TIMEOUT, ACCEPT_TOO_LARGE, ACCEPT_DISK_FULL, REQUEST_OVERLOADED. */
  whole: Promise<Body>
  bytes(): number
  /** Ends it: another body needs the place. */
  cut(): void
}

/** Reads bodies of requests before process app hears of them. */
export function createIncoming(deps: Deps) {
  const room: Room = { ...deps, limits: deps.limits ?? incomingLimits, held: { memory: 0, files: 0 } }
  return {
    /** Bytes that bodies take now. */
    held: (): Readonly<Room['held']> => room.held,
    /** Reads the body of a request; `passed` is told of each piece. */
    read: (req: IncomingMessage, bytesMax: number, passed?: (bytes: number) => void): Coming =>
      read(room, req, bytesMax, passed),
  }
}

function read(room: Room, req: IncomingMessage, bytesMax: number, passed?: (bytes: number) => void): Coming {
  const { clock, limits } = room
  const { promise, resolve, reject } = Promise.withResolvers<Body>()
  const store = new Store(room)
  const state = { dueMs: clock.now() + limits.slowMs, writing: false, came: false, ended: false }
  let cancel = () => {}
  function end(error?: Error): void {
    if (state.ended) return
    state.ended = true
    cancel()
    req.off('data', onData)
    req.off('end', onEnd)
    req.off('close', onLeft)
    req.off('error', onLeft)
    if (!error) return void resolve(store)
    store.free()
    reject(error)
  }
  const watch = (ms: number) => {
    cancel = clock.after(ms, () => {
      const restMs = state.dueMs - clock.now()
      if (state.writing) watch(limits.slowMs)
      else if (restMs > 1) watch(Math.min(restMs, limits.slowMs))
      else end(new MishapError('ACCEPT_TIMEOUT'))
    })
  }
  const onData = (piece: Buffer) => {
    passed?.(piece.length)
    if (store.bytes + piece.length > bytesMax) return void end(tooLarge(bytesMax))
    state.dueMs = Math.min(clock.now() + limits.slowMs, state.dueMs + (piece.length / limits.slowBytesPerS) * 1000)
    const written = store.add(piece)
    if (!written) return
    // The time that the disk takes is not the sender's.
    const sinceMs = clock.now()
    state.writing = true
    req.pause()
    written.then(() => {
      state.writing = false
      state.dueMs += Math.max(0, clock.now() - sinceMs)
      if (state.came) end()
      else if (!state.ended) req.resume()
    }, end)
  }
  const onEnd = () => {
    state.came = true
    // The last piece may be on its way to the file.
    if (!state.writing) end()
  }
  const onLeft = () => {
    if (!state.came) end(new Left())
  }
  const declared = Number(req.headers['content-length'] ?? 0)
  if (declared > bytesMax) end(tooLarge(bytesMax))
  else {
    watch(limits.slowMs)
    req.on('data', onData)
    req.on('end', onEnd)
    req.on('close', onLeft)
    req.on('error', onLeft)
  }
  return { whole: promise, bytes: () => store.bytes, cut: () => end(new MishapError('ACCEPT_TIMEOUT')) }
}

const tooLarge = (bytesMax: number) =>
  new MishapError('ACCEPT_TOO_LARGE', { detail: `The body is over ${bytesMax} bytes.` })
