import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type Clock, systemClock } from '../base/clock.ts'
import { type Config, readConfig } from '../base/config.ts'
import type { Lane } from '../base/lane.ts'
import { silent } from '../base/observe.ts'
import type { JournalWriter, RecordHead } from '../journal/journal.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { IngestKey, KeySnapshot } from '../store/meta/meta.ts'
import { createIngest, type Ingest } from './ingest.ts'

export const publicKey = '0123456789abcdef0123456789abcdef'
export const otherKey = 'f'.repeat(32)
export const disabledKey = 'd'.repeat(32)
export const eventId = 'a'.repeat(32)

type Answer = { status: number; headers: IncomingHttpHeaders; body: string }
export type Sent = { method?: string; headers?: Record<string, string>; body?: Buffer | string | Iterable<Buffer> }

/** A journal in memory. `failWith` makes appends reject, `roomWith` makes room reservations throw. */
function memoryJournal() {
  const records: { head: RecordHead; body: Buffer }[] = []
  const state: {
    failWith: Error | undefined
    roomWith: Error | undefined
    rooms: number
    /** Rooms that are not freed yet, the bytes asked for each, and the lanes, each time another one was said. */
    open: number
    asked: number[]
    lanes: Lane[]
  } = { failWith: undefined, roomWith: undefined, rooms: 0, open: 0, asked: [], lanes: [] }
  const writer: JournalWriter = {
    append: async (head, body) => {
      if (state.failWith) throw state.failWith
      records.push({ head, body: Buffer.from(body) })
      return records.length
    },
    durable: () => records.length,
    onDurable: () => () => undefined,
    trim: async () => undefined,
    lagBytes: () => 0,
    bodyBytes: () => 0,
    waitingBytes: () => 0,
    reserve: (declared = 0, lane = 'events') => {
      let own = 0
      let freed = false
      state.asked.push(declared)
      state.lanes.push(lane)
      state.open++
      return {
        grow: (bytes, known) => {
          if (state.roomWith) throw state.roomWith
          if (known && known !== state.lanes.at(-1)) state.lanes.push(known)
          own += bytes
          state.rooms += bytes
        },
        free: () => {
          if (!freed) state.open--
          freed = true
          state.rooms -= own
          own = 0
        },
      }
    },
    addBody: () => undefined,
    doneBytes: () => 0,
    close: async () => undefined,
  }
  return { writer, records, state }
}

/** A blob store in memory. Each piece of a stream waits for `pace`. */
function memoryBlobs() {
  const blobs = new Map<string, Buffer>()
  const state: { pace: ((bytes: number) => Promise<void>) | undefined } = { pace: undefined }
  const store: BlobStore = {
    put: async (key, bytes) => void blobs.set(key, Buffer.from(bytes)),
    putStream: async (key, stream, bytesMax) => {
      const pieces: Buffer[] = []
      let bytes = 0
      for await (const piece of stream) {
        bytes += piece.length
        await state.pace?.(piece.length)
        if (bytes > bytesMax) throw new Error('too long')
        pieces.push(Buffer.from(piece))
      }
      blobs.set(key, Buffer.concat(pieces))
      return { bytes }
    },
    get: async (key) => blobs.get(key),
    getStream: async () => undefined,
    reader: async () => undefined,
    delete: async (key) => void blobs.delete(key),
    list: async () => [...blobs.keys()],
    size: async () => 0,
    isRemote: false,
    ping: async () => undefined,
    sweep: async () => 0,
  }
  return { store, blobs, state }
}

/** Answered for URLs that ingest does not own. */
export const unownedStatus = 418

export type Rig = {
  accept: Ingest
  port: number
  journal: ReturnType<typeof memoryJournal>
  blobs: Map<string, Buffer>
  writing: ReturnType<typeof memoryBlobs>['state']
  keys: Record<string, IngestKey>
  send(path: string, sent?: Sent): Promise<Answer>
  /** Writes `text` to a bare socket. Resolves with all received bytes when the server closes or after `waitMs`. */
  raw(text: string | Buffer, options?: { half?: boolean; abort?: boolean; waitMs?: number }): Promise<string>
  close(): Promise<void>
}

/** Ingest with a real HTTP server: project 7 of organization 3 with an open and a disabled key, and project 8. */
export async function createRig(
  options: { config?: Partial<Config>; clock?: Clock; key?: Partial<IngestKey>; bodyBytesMax?: number } = {},
): Promise<Rig> {
  const read = readConfig({}, {})
  if ('error' in read) throw new Error(read.error.sentence)
  const journal = memoryJournal()
  const { store, blobs, state: writing } = memoryBlobs()
  const open = { organizationId: 3, active: true, allowedOrigins: [] }
  const keys: Record<string, IngestKey> = {
    [publicKey]: { ...open, keyId: 1, projectId: 7, ...options.key },
    [otherKey]: { ...open, keyId: 2, projectId: 8 },
    [disabledKey]: { ...open, keyId: 4, projectId: 7, active: false },
  }
  const snapshot: KeySnapshot = { version: 1, keys }
  const accept = createIngest({
    config: { ...read.config, ...options.config },
    clock: options.clock ?? systemClock,
    observe: silent,
    journal: journal.writer,
    blobs: store,
    keys: () => snapshot,
    ...(options.bodyBytesMax === undefined ? {} : { bodyBytesMax: options.bodyBytesMax }),
  })
  const server = createServer((req, res) => {
    if (!accept.handle(req, res)) res.writeHead(unownedStatus).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    accept,
    port,
    journal,
    blobs,
    writing,
    keys,
    send: (path, sent) => send(port, path, sent),
    raw: (text, how) => raw(port, text, how),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(port: number, path: string, { method = 'POST', headers = {}, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks).toString() }),
      )
    })
    req.on('error', reject)
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) req.end(body)
    else {
      for (const piece of body) req.write(piece)
      req.end()
    }
  })
}

function raw(
  port: number,
  text: string | Buffer,
  how: { half?: boolean; abort?: boolean; waitMs?: number } = {},
): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(text, () => {
        if (how.half) socket.end()
        if (how.abort) socket.resetAndDestroy()
      })
    })
    const cancel = systemClock.after(how.waitMs ?? 1000, () => socket.destroy())
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('end', () => socket.end())
    socket.on('error', () => undefined)
    socket.on('close', () => {
      cancel()
      resolve(answer)
    })
  })
}

/** Resolves once `done` returns true; rejects after 2 s. */
export async function until(done: () => boolean): Promise<void> {
  for (let turn = 0; turn < 400; turn++) {
    if (done()) return
    await systemClock.sleep(5)
  }
  throw new Error('did not happen within 2 s')
}

export const auth = { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${publicKey}` }

/** An envelope with an item of each given type and a small payload. */
export function envelopeOf(header: Record<string, unknown>, ...types: string[]): Buffer {
  return Buffer.from([JSON.stringify(header), ...types.flatMap((type) => [JSON.stringify({ type }), '{}'])].join('\n'))
}

/** Returns the code in an error body, or ''. */
export function codeOf(answer: Answer): string {
  if (!answer.body.startsWith('{')) return ''
  return (JSON.parse(answer.body) as { code?: string }).code ?? ''
}
