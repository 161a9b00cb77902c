import { randomBytes } from 'node:crypto'
import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { ownOrigins } from '../base/network.ts'
import { requestIdOf } from '../base/observe.ts'
import { refuseRequest } from './answers.ts'
import { type Asker, addressGroup, createGate, type GateLimits, type Kind } from './gate.ts'
import { type Body, bodyBytesMaxOf, createIncoming, type IncomingLimits, Left } from './incoming.ts'
import type { Known } from './known-credentials.ts'
import { contentPolicy, reportingEndpoints } from './policy.ts'

/**
 * Maximum answer headers: the Link header of a list repeats the request URL (at most 16 KiB) twice, escaped again. With
 * Node's default of 16 KiB, a long search would answer that Mishap is starting.
 */
const answerHeaderBytesMax = 128 * 1024

/** Headers of one connection only, and headers with which a client could impersonate this proxy. */
const notPassed = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  'forwarded',
  'x-nonce',
  'content-security-policy',
  'x-middleware-subrequest',
])

/** Clients that read nothing of an answer for this long are disconnected. */
const stalledMs = 30_000
/** Time limit for the app process to answer the probe. */
const probeMs = 3000

export type ProxyOptions = {
  socketPath: string
  clock: Clock
  /** Signed-in callers, who have separate capacity. */
  known: Pick<Known, 'of'>
  /** Folder for bodies too large for memory. */
  folder: string
  diskReserveBytes: number
  limits?: { gate?: GateLimits; incoming?: IncomingLimits }
  /** Development: the bundler needs eval, inline styles and a web socket. */
  dev: boolean
  /** MISHAP_URL. */
  url: URL
  /** Returns address and scheme of the client behind trusted proxies. */
  clientOf(req: IncomingMessage): { address: string; proto: 'http' | 'https'; host: string }
  /** Returns the path on this origin for policy violation reports; undefined: no reports. */
  reportPath?(): string | undefined
  /** Called with the status of each answer. */
  answered?(status: number): void
  /** Called with the bytes of each body piece. */
  passed?(bytes: number): void
}

function passedOn(req: IncomingMessage, options: ProxyOptions, body?: Body): IncomingHttpHeaders {
  const named = new Set(
    (req.headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => part.trim()),
  )
  const headers: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(req.headers))
    if (!notPassed.has(name) && !named.has(name)) headers[name] = value
  // Without framing, a body would be read as the next request of the connection and its answer go to another client.
  delete headers['content-length']
  if (body) headers['content-length'] = String(body.bytes)
  else if (req.headers['content-length'] !== undefined) headers['content-length'] = '0'
  const client = options.clientOf(req)
  // Next runs an action only if its Origin has this host. The main process has already compared Origin with MISHAP_URL,
  // so a proxy that passes a different Host blocks no form.
  const { origin = '' } = req.headers
  headers['x-forwarded-host'] = ownOrigins(options.url.href).includes(origin) ? new URL(origin).host : client.host
  headers['x-forwarded-proto'] = client.proto
  headers['x-forwarded-for'] = client.address
  return headers
}

/** Returns whether a request has a body. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Resources of one request. All are released when its answer ends, or earlier. */
type Held = { body: Body | undefined; request(): void; turn(): void; ends: (() => void)[] }

/** A request in progress to the app process. */
type Passing = { req: IncomingMessage; res: ServerResponse; asker: Asker; held: Held }

/** Disconnects clients that stop reading an answer: they would occupy a connection to the app process. */
function cutStalled(answer: IncomingMessage, { res, held }: Passing, clock: Clock): void {
  let cancel: (() => void) | undefined
  const moves = () => {
    cancel?.()
    cancel = undefined
  }
  answer.on('pause', () => {
    cancel ??= clock.after(stalledMs, () => res.destroy())
  })
  res.on('drain', moves)
  held.ends.push(moves)
}

type Parts = {
  options: ProxyOptions
  gate: ReturnType<typeof createGate>
  /** Each kind has its own space: bodies of unknown callers cannot fill the space of known ones. */
  incoming: Record<Kind, ReturnType<typeof createIncoming>>
  agent: Agent
}

function fail({ options }: Parts, { req, res }: Pick<Passing, 'req' | 'res'>, error: unknown): void {
  if (error instanceof Left || res.destroyed) return
  const known = error instanceof MishapError ? error : new MishapError('INTERNAL')
  options.answered?.(known.status)
  refuseRequest(req, res, known, options.clock)
}

/** Reads the complete body of a request before using any resource of the app process. */
async function readBody({ options, gate, incoming }: Parts, req: IncomingMessage, asker: Asker) {
  if (!hasBody(req)) return undefined
  let cut = () => {}
  let bytes = () => 0
  const release = gate.body(asker, { bytes: () => bytes(), cut: () => cut() })
  try {
    const coming = incoming[asker.kind].read(req, bodyBytesMaxOf(req.url ?? '/'), options.passed)
    cut = coming.cut
    bytes = coming.bytes
    return await coming.whole
  } finally {
    release()
  }
}

/** Headers that this proxy adds to a request and its answer. `page` is only for pages. */
type Own = {
  requestId: string
  nonce: string
  page: { 'content-security-policy': string; 'reporting-endpoints'?: string }
}

function ownOf(req: IncomingMessage, { dev, url, reportPath }: ProxyOptions): Own {
  const nonce = randomBytes(16).toString('base64')
  const path = reportPath?.()
  // Browsers accept endpoints only on secure origins, and then ignore report-uri.
  const isSecure = url.protocol === 'https:'
  return {
    requestId: requestIdOf(req.headers),
    nonce,
    page: {
      'content-security-policy': contentPolicy(nonce, dev, path, isSecure),
      ...(path !== undefined && isSecure ? { 'reporting-endpoints': reportingEndpoints(path) } : {}),
    },
  }
}

/** Forwards an answer. Pages get the page policy. */
function passBack(parts: Parts, passing: Passing, answer: IncomingMessage, own: Own): void {
  const { options, gate } = parts
  const { res, asker, held } = passing
  held.turn()
  const type = String(answer.headers['content-type'] ?? '')
  if (type.startsWith('text/event-stream')) {
    const release = gate.stream(asker)
    if (!release) {
      answer.destroy()
      return void fail(parts, passing, new MishapError('REQUEST_TOO_MANY_STREAMS', { retryAfterS: 30 }))
    }
    held.request()
    held.ends.push(release)
  }
  const back: OutgoingHttpHeaders = { ...answer.headers }
  for (const name of ['connection', 'keep-alive', 'transfer-encoding']) delete back[name]
  if (type.startsWith('text/html')) Object.assign(back, own.page)
  back['x-content-type-options'] = 'nosniff'
  back['referrer-policy'] = 'same-origin'
  back['cross-origin-opener-policy'] = 'same-origin'
  back['x-request-id'] = own.requestId
  options.answered?.(answer.statusCode ?? 502)
  res.writeHead(answer.statusCode ?? 502, back)
  res.flushHeaders()
  cutStalled(answer, passing, options.clock)
  pipeline(answer, res, () => undefined)
}

/** Sends a complete request to the app process and forwards the answer with backpressure. */
function ask(parts: Parts, passing: Passing): void {
  const { options, agent } = parts
  const { req, res, held } = passing
  const own = ownOf(req, options)
  const upstream = request(
    {
      socketPath: options.socketPath,
      agent,
      method: req.method,
      path: req.url,
      headers: {
        ...passedOn(req, options, held.body),
        'x-request-id': own.requestId,
        'x-nonce': own.nonce,
        'content-security-policy': own.page['content-security-policy'],
      },
      maxHeaderSize: answerHeaderBytesMax,
    },
    (answer) => passBack(parts, passing, answer, own),
  )
  upstream.on('error', () => {
    if (res.headersSent) return void res.destroy()
    fail(parts, passing, new MishapError('STORE_UNAVAILABLE', { detail: 'Mishap is starting.', retryAfterS: 1 }))
  })
  held.ends.push(() => {
    if (!res.writableFinished) upstream.destroy()
  })
  if (!held.body) return void upstream.end()
  // The answer can take long. A slow reader must not occupy the body space.
  upstream.once('finish', () => held.body?.free())
  held.body.sendTo(upstream)
}

/** Reads the body and waits for a turn. Returns undefined if the request was refused or the client disconnected. */
async function admit(parts: Parts, req: IncomingMessage, res: ServerResponse): Promise<Passing | undefined> {
  const { options, gate } = parts
  const credential = options.known.of(req.headers)
  const address = addressGroup(options.clientOf(req).address)
  const asker: Asker = { kind: credential === undefined ? 'unknown' : 'known', address, credential }
  const held: Held = { body: undefined, request: () => undefined, turn: () => undefined, ends: [] }
  const gone = new AbortController()
  const giveBack = () => {
    gone.abort()
    held.body?.free()
    held.request()
    held.turn()
    for (const end of held.ends) end()
  }
  res.once('close', giveBack)
  const passing = { req, res, asker, held }
  try {
    held.body = await readBody(parts, req, asker)
    held.request = gate.request(asker)
    held.turn = (await gate.turn(asker, gone.signal)) ?? held.turn
    if (!res.closed) return passing
    giveBack()
  } catch (error) {
    fail(parts, passing, error)
  }
  return undefined
}

/** Returns whether the app process answers a request that goes through the normal path. */
async function answersAt({ options, gate, agent }: Parts): Promise<boolean> {
  const stop = new AbortController()
  const cancel = options.clock.after(probeMs, () => stop.abort())
  const turn = await gate
    .turn({ kind: 'known', address: '', credential: undefined }, stop.signal)
    .catch(() => undefined)
  try {
    if (!turn) return false
    return await new Promise<boolean>((resolve) => {
      const { socketPath } = options
      request({ socketPath, agent, path: '/api/0/status/access/', signal: stop.signal }, (answer) => {
        answer.resume()
        resolve(true)
      })
        .on('error', () => resolve(false))
        .end()
    })
  } finally {
    cancel()
    turn?.()
  }
}

/**
 * Passes requests to the app process over its Unix socket. Reads the complete body first, so that slow clients do not
 * occupy a connection to the app. gate.ts limits the number of requests. Pages get a content security policy with a new
 * nonce. Nonces and forwarded headers of clients are dropped.
 */
export function createProxy(options: ProxyOptions) {
  const { clock, folder, diskReserveBytes, limits = {} } = options
  // The gate limits connections, not the agent: the queue of the agent is unordered and unbounded.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
  const room = () =>
    createIncoming({ clock, folder, diskReserveBytes, ...(limits.incoming ? { limits: limits.incoming } : {}) })
  const parts: Parts = {
    options,
    agent,
    gate: createGate(clock, limits.gate),
    incoming: { known: room(), unknown: room() },
  }
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const passing = await admit(parts, req, res)
    if (passing) ask(parts, passing)
  }
  /** Forwards a web socket (development only). */
  const upgrade = (req: IncomingMessage, socket: Socket, head: Buffer): void => {
    const lines = Object.entries({
      ...passedOn(req, options),
      connection: 'Upgrade',
      upgrade: req.headers.upgrade,
    }).map(([name, value]) => `${name}: ${String(value)}`)
    const upstream = connect(options.socketPath, () => {
      upstream.write(`${req.method} ${req.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      if (head.length > 0) upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
    for (const [entry, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      entry.on('error', () => other.destroy())
      entry.on('close', () => other.destroy())
    }
  }
  return {
    handle,
    upgrade,
    /** Admits a request that the caller sends itself, with the same limits. False: answered or disconnected. */
    admits: async (req: IncomingMessage, res: ServerResponse) => (await admit(parts, req, res)) !== undefined,
    answers: () => answersAt(parts),
    close: () => agent.destroy(),
  }
}
