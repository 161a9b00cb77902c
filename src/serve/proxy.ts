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
 * Longest headers of an answer: a list's Link header repeats the request's URL (at most 16 KiB) twice, escaped again.
 * At Node's own 16 KiB a long search would be told that Mishap is starting.
 */
const answerHeaderBytesMax = 128 * 1024

/** Headers that concern one connection only, and those by which a client could pretend to be this proxy. */
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

/** Who does not take any of an answer for this long is cut off. */
const stalledMs = 30_000
/** Process app answers within this time, or it does not answer. */
const probeMs = 3000

export type ProxyOptions = {
  socketPath: string
  clock: Clock
  /** Who is signed in: they have a reserve. */
  known: Pick<Known, 'of'>
  /** Folder for bodies that are too long for memory. */
  folder: string
  diskReserveBytes: number
  limits?: { gate?: GateLimits; incoming?: IncomingLimits }
  /** Development: the bundler needs eval, inline styles and a web socket. */
  dev: boolean
  /** MISHAP_URL. */
  url: URL
  /** Address and scheme of the client after trusted proxies. */
  clientOf(req: IncomingMessage): { address: string; proto: 'http' | 'https'; host: string }
  /** Address on this origin that takes reports of what the policy kept from pages; undefined: nobody does. */
  reportPath?(): string | undefined
  /** Told of each answer's status. */
  answered?(status: number): void
  /** Told of the bytes of each body that pass. */
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
  // A body without its frame would be read as the connection's next request, and its answer given to somebody else.
  delete headers['content-length']
  if (body) headers['content-length'] = String(body.bytes)
  else if (req.headers['content-length'] !== undefined) headers['content-length'] = '0'
  const client = options.clientOf(req)
  // Next runs an action only when its Origin has this host. Main has held Origin against MISHAP_URL before, so a proxy
  // that passes its own idea of Host takes no form away.
  const { origin = '' } = req.headers
  headers['x-forwarded-host'] = ownOrigins(options.url.href).includes(origin) ? new URL(origin).host : client.host
  headers['x-forwarded-proto'] = client.proto
  headers['x-forwarded-for'] = client.address
  return headers
}

/** Whether a body comes with a request. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** What one request holds; all of it goes back at the latest when its answer ends. */
type Held = { body: Body | undefined; request(): void; turn(): void; ends: (() => void)[] }

/** One request under way to process app. */
type Passing = { req: IncomingMessage; res: ServerResponse; asker: Asker; held: Held }

/** Cuts off who takes nothing of an answer: it would hold a connection to process app. */
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
  /** Each kind has its own room: bodies of nobody who is known take none of the others'. */
  incoming: Record<Kind, ReturnType<typeof createIncoming>>
  agent: Agent
}

function fail({ options }: Parts, { req, res }: Pick<Passing, 'req' | 'res'>, error: unknown): void {
  if (error instanceof Left || res.destroyed) return
  const known = error instanceof MishapError ? error : new MishapError('INTERNAL')
  options.answered?.(known.status)
  refuseRequest(req, res, known, options.clock)
}

/** The whole body of a request, before anything of process app is taken for it. */
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

/** What this proxy adds to a request and to its answer; `page`: to that of a page. */
type Own = {
  requestId: string
  nonce: string
  page: { 'content-security-policy': string; 'reporting-endpoints'?: string }
}

function ownOf(req: IncomingMessage, { dev, url, reportPath }: ProxyOptions): Own {
  const nonce = randomBytes(16).toString('base64')
  const path = reportPath?.()
  // Browsers take endpoints on secure origins only, and where they do they leave report-uri alone.
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

/** Passes an answer on. A page gets the policy of pages. */
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

/** Asks process app, which gets a whole request, and passes its answer on with backpressure. */
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
  // An answer may take long, and whoever reads it slowly must not hold the room.
  upstream.once('finish', () => held.body?.free())
  held.body.sendTo(upstream)
}

/** Reads a request's body and waits for its turn; undefined: it was refused, or its sender left. */
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

/** Whether process app answers a request that takes the way of all others. */
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
 * Passes requests to process app over its Unix socket. A request's body is read whole before, so that no slow sender
 * holds a connection to app; how many may be in progress is bounded (gate.ts). Pages get the content security policy with
 * a nonce of their own; a client's own nonce or forwarded headers are dropped.
 */
export function createProxy(options: ProxyOptions) {
  const { clock, folder, diskReserveBytes, limits = {} } = options
  // The gate bounds connections, not the agent: its queue has no order and no end.
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
  /** A web socket (development only). */
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
    /** For a request that asks process app in its own way, under the same limits; false: it was answered, or its sender left. */
    admits: async (req: IncomingMessage, res: ServerResponse) => (await admit(parts, req, res)) !== undefined,
    answers: () => answersAt(parts),
    close: () => agent.destroy(),
  }
}
