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
import { durableHeader, ownOrigins } from '../base/network.ts'
import { requestIdOf } from '../base/observe.ts'
import { unreadBodyHeader } from '../domain/alerts/hook-calls.ts'
import { drain, refuseRequest } from './answers.ts'
import { addressGroup, createGate, type GateLimits, type Kind, type Requester } from './gate.ts'
import { createHookBodies } from './hook-bodies.ts'
import { type Body, bodyBytesMaxOf, createIncoming, type IncomingLimits, SenderLeft } from './incoming.ts'
import type { KnownCredentials } from './known-credentials.ts'
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
  durableHeader,
  unreadBodyHeader,
])

/** Clients that read nothing of an answer for this long are disconnected. */
const stalledMs = 30_000
/**
 * How long a request waits for an app process that does not listen yet. A start takes 2 to 4 s, on a busy machine 15.
 * Clients mostly do not repeat a 503.
 */
const startMs = 10_000
const startRetryMs = 100
/** Time limit for the app process to answer the probe. */
const probeMs = 3000

export type ProxyOptions = {
  socketPath: string
  clock: Clock
  /** Signed-in callers, who have separate capacity. */
  known: Pick<KnownCredentials, 'of'>
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
  /** Returns where the journal ends. App answers from what was stored until then. */
  durable?(): number
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
type HeldResources = {
  body: Body | undefined
  /** App refuses the request without its body. */
  isBodyUnread: boolean
  releaseRequest(): void
  releaseSlot(): void
  cleanups: (() => void)[]
}

/** A request in progress to the app process. */
type ProxiedRequest = { req: IncomingMessage; res: ServerResponse; requester: Requester; resources: HeldResources }

/** Disconnects clients that stop reading an answer: they would occupy a connection to the app process. */
function cutStalled(answer: IncomingMessage, { res, resources }: ProxiedRequest, clock: Clock): void {
  let cancel: (() => void) | undefined
  const onProgress = () => {
    cancel?.()
    cancel = undefined
  }
  answer.on('pause', () => {
    cancel ??= clock.after(stalledMs, () => res.destroy())
  })
  res.on('drain', onProgress)
  resources.cleanups.push(onProgress)
}

type Parts = {
  options: ProxyOptions
  gate: ReturnType<typeof createGate>
  /** Each kind has its own space: bodies of unknown callers cannot fill the space of known ones. */
  incoming: Record<Kind, ReturnType<typeof createIncoming>>
  agent: Agent
  hookBodies: ReturnType<typeof createHookBodies>
}

function fail({ options }: Parts, { req, res }: Pick<ProxiedRequest, 'req' | 'res'>, error: unknown): void {
  if (error instanceof SenderLeft || res.destroyed) return
  const mishapError = error instanceof MishapError ? error : new MishapError('INTERNAL')
  options.answered?.(mishapError.status)
  refuseRequest(req, res, mishapError, options.clock)
}

/** Reads the complete body of a request before using any resource of the app process. */
async function readBody({ options, gate, incoming }: Parts, req: IncomingMessage, requester: Requester) {
  if (!hasBody(req)) return undefined
  let cut = () => {}
  let bytes = () => 0
  const release = gate.body(requester, { bytes: () => bytes(), cut: () => cut() })
  try {
    const incomingBody = incoming[requester.kind].read(req, bodyBytesMaxOf(req.url ?? '/'), options.passed)
    cut = incomingBody.cut
    bytes = incomingBody.bytes
    return await incomingBody.completed
  } finally {
    release()
  }
}

/** Headers that this proxy adds to a request and its answer. `page` is only for pages. */
type OwnHeaders = {
  requestId: string
  nonce: string
  page: { 'content-security-policy': string; 'reporting-endpoints'?: string }
}

function ownHeadersOf(req: IncomingMessage, { dev, url, reportPath }: ProxyOptions): OwnHeaders {
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
function forwardAnswer(parts: Parts, proxied: ProxiedRequest, answer: IncomingMessage, ownHeaders: OwnHeaders): void {
  const { options, gate } = parts
  const { req, res, requester, resources } = proxied
  resources.releaseSlot()
  parts.hookBodies.answered(req, requester.address, answer)
  const type = String(answer.headers['content-type'] ?? '')
  if (type.startsWith('text/event-stream')) {
    const release = gate.stream(requester)
    if (!release) {
      answer.destroy()
      return void fail(parts, proxied, new MishapError('REQUEST_TOO_MANY_STREAMS', { retryAfterS: 30 }))
    }
    resources.releaseRequest()
    resources.cleanups.push(release)
  }
  const headers: OutgoingHttpHeaders = { ...answer.headers }
  for (const name of ['connection', 'keep-alive', 'transfer-encoding']) delete headers[name]
  if (type.startsWith('text/html')) Object.assign(headers, ownHeaders.page)
  headers['x-content-type-options'] = 'nosniff'
  headers['referrer-policy'] = 'same-origin'
  headers['cross-origin-opener-policy'] = 'same-origin'
  headers['x-request-id'] = ownHeaders.requestId
  options.answered?.(answer.statusCode ?? 502)
  res.writeHead(answer.statusCode ?? 502, headers)
  res.flushHeaders()
  cutStalled(answer, proxied, options.clock)
  pipeline(answer, res, () => undefined)
}

/** Whether nobody listens at the socket, so that no byte of a request was sent. */
const isAbsent = (error: NodeJS.ErrnoException): boolean =>
  error.syscall === 'connect' && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')

/**
 * Sends a complete request to the app process and forwards the answer with backpressure. Tries again while the process
 * is starting. `sinceMs`: the time of the first try.
 */
function forward(parts: Parts, proxied: ProxiedRequest, sinceMs = parts.options.clock.now()): void {
  const { options, agent } = parts
  const { req, res, resources } = proxied
  const ownHeaders = ownHeadersOf(req, options)
  const upstream = request(
    {
      socketPath: options.socketPath,
      agent,
      method: req.method,
      path: req.url,
      headers: {
        ...passedOn(req, options, resources.body),
        ...(resources.isBodyUnread ? { [unreadBodyHeader]: '1' } : {}),
        ...(options.durable ? { [durableHeader]: String(options.durable()) } : {}),
        'x-request-id': ownHeaders.requestId,
        'x-nonce': ownHeaders.nonce,
        'content-security-policy': ownHeaders.page['content-security-policy'],
      },
      maxHeaderSize: answerHeaderBytesMax,
    },
    (answer) => forwardAnswer(parts, proxied, answer, ownHeaders),
  )
  upstream.on('error', (error) => {
    if (res.headersSent) return void res.destroy()
    if (isAbsent(error) && !res.destroyed && options.clock.now() - sinceMs < startMs) {
      const cancel = options.clock.after(startRetryMs, () => forward(parts, proxied, sinceMs))
      resources.cleanups.push(cancel)
      return
    }
    fail(parts, proxied, new MishapError('STORE_UNAVAILABLE', { detail: 'Mishap is starting.', retryAfterS: 1 }))
  })
  resources.cleanups.push(() => {
    if (!res.writableFinished) upstream.destroy()
  })
  const { body } = resources
  if (!body) return void upstream.end()
  // The answer can take long. A slow reader must not occupy the body space.
  upstream.once('finish', () => body.free())
  // A body can be read once, so it is left alone until somebody listens.
  upstream.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', () => body.sendTo(upstream))
    else body.sendTo(upstream)
  })
}

/** Reads the body and waits for a turn. Returns undefined if the request was refused or the client disconnected. */
async function admit(parts: Parts, req: IncomingMessage, res: ServerResponse): Promise<ProxiedRequest | undefined> {
  const { options, gate } = parts
  const credential = options.known.of(req.headers)
  const address = addressGroup(options.clientOf(req).address)
  const requester: Requester = { kind: credential === undefined ? 'unknown' : 'known', address, credential }
  const resources: HeldResources = {
    body: undefined,
    isBodyUnread: hasBody(req) && parts.hookBodies.isUnneeded(req, address),
    releaseRequest: () => undefined,
    releaseSlot: () => undefined,
    cleanups: [],
  }
  const aborted = new AbortController()
  const releaseAll = () => {
    aborted.abort()
    resources.body?.free()
    resources.releaseRequest()
    resources.releaseSlot()
    for (const cleanup of resources.cleanups) cleanup()
  }
  res.once('close', releaseAll)
  const proxied = { req, res, requester, resources }
  try {
    // App counts the refused call. The rest of its body is read and dropped, so that the client sees the answer.
    if (resources.isBodyUnread) drain(req, options.clock)
    else resources.body = await readBody(parts, req, requester)
    resources.releaseRequest = gate.request(requester)
    resources.releaseSlot = (await gate.enqueue(requester, aborted.signal)) ?? resources.releaseSlot
    if (!res.closed) return proxied
    releaseAll()
  } catch (error) {
    fail(parts, proxied, error)
  }
  return undefined
}

/** Returns whether the app process answers a request that goes through the normal path. */
async function answersAt({ options, gate, agent }: Parts): Promise<boolean> {
  const stop = new AbortController()
  const cancel = options.clock.after(probeMs, () => stop.abort())
  const releaseSlot = await gate
    .enqueue({ kind: 'known', address: '', credential: undefined }, stop.signal)
    .catch(() => undefined)
  try {
    if (!releaseSlot) return false
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
    releaseSlot?.()
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
  const newIncoming = () =>
    createIncoming({ clock, folder, diskReserveBytes, ...(limits.incoming ? { limits: limits.incoming } : {}) })
  const parts: Parts = {
    options,
    agent,
    gate: createGate(clock, limits.gate),
    hookBodies: createHookBodies(clock),
    incoming: { known: newIncoming(), unknown: newIncoming() },
  }
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const proxied = await admit(parts, req, res)
    if (proxied) forward(parts, proxied)
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
    for (const [from, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.on('error', () => other.destroy())
      from.on('close', () => other.destroy())
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
