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
import { errorBody, MishapError } from '../errors.ts'
import { requestIdOf } from '../observe.ts'

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

export type ProxyOptions = {
  socketPath: string
  /** Development: the bundler needs eval, inline styles and a web socket. */
  dev: boolean
  /** MISHAP_URL. */
  url: URL
  /** Address and scheme of the client after trusted proxies. */
  clientOf(req: IncomingMessage): { address: string; proto: 'http' | 'https'; host: string }
  /** Told of each answer's status. */
  answered?(status: number): void
  /** Told of the bytes of each body that pass. */
  passed?(bytes: number): void
}

/** The policy of every page; `nonce` admits our own scripts, which admit their chunks by 'strict-dynamic'. */
export function contentPolicy(nonce: string, dev: boolean): string {
  const script = dev ? `'self' 'unsafe-eval' 'unsafe-inline'` : `'self' 'nonce-${nonce}' 'strict-dynamic'`
  const style = dev ? `'self' 'unsafe-inline'` : `'self' 'nonce-${nonce}'`
  return [
    `default-src 'self'`,
    `script-src ${script}`,
    `style-src ${style}`,
    `style-src-attr 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'${dev ? ' ws:' : ''}`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `form-action 'self'`,
  ].join('; ')
}

function passedOn(req: IncomingMessage, options: ProxyOptions): IncomingHttpHeaders {
  const named = new Set(
    (req.headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((one) => one.trim()),
  )
  const headers: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(req.headers))
    if (!notPassed.has(name) && (!named.has(name) || name === 'content-length')) headers[name] = value
  // A body without its frame would be read as the connection's next request, and its answer given to somebody else:
  // Node frames no body of a GET by itself, and "Connection: content-length" must not take the length away.
  if (req.headers['transfer-encoding'] !== undefined) {
    delete headers['content-length']
    headers['transfer-encoding'] = 'chunked'
  }
  const client = options.clientOf(req)
  // Next runs an action only when its Origin has this host. Main has held Origin against MISHAP_URL before, so a proxy
  // that passes its own idea of Host takes no form away.
  headers['x-forwarded-host'] = req.headers.origin === options.url.origin ? options.url.host : client.host
  headers['x-forwarded-proto'] = client.proto
  headers['x-forwarded-for'] = client.address
  return headers
}

/** A page for the moments in which process app is not there: no script, asks again by itself. */
function startingPage(res: ServerResponse, wantsHtml: boolean): void {
  if (!wantsHtml) {
    const body = JSON.stringify(
      errorBody(new MishapError('STORE_UNAVAILABLE', { detail: 'Mishap is starting.', retryAfterS: 1 })),
    )
    res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1', 'cache-control': 'no-store' })
    return void res.end(body)
  }
  res.writeHead(503, {
    'content-type': 'text/html; charset=utf-8',
    'retry-after': '1',
    refresh: '1',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
  })
  res.end(
    '<!doctype html><html lang="en"><title>Mishap is starting</title><h1>Mishap is starting</h1><p>Events are being accepted. This page loads again by itself.</p>',
  )
}

/**
 * Passes a request to process app over its Unix socket and streams the answer back, with backpressure both ways.
 * Pages get the content security policy with a nonce of their own; a client's own nonce or forwarded headers are dropped.
 */
export function createProxy(options: ProxyOptions) {
  const agent = new Agent({ keepAlive: true, maxSockets: 512, maxFreeSockets: 64 })
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const nonce = randomBytes(16).toString('base64')
    const policy = contentPolicy(nonce, options.dev)
    const requestId = requestIdOf(req.headers)
    const headers: OutgoingHttpHeaders = {
      ...passedOn(req, options),
      'x-request-id': requestId,
      'x-nonce': nonce,
      'content-security-policy': policy,
    }
    const upstream = request(
      {
        socketPath: options.socketPath,
        agent,
        method: req.method,
        path: req.url,
        headers,
        maxHeaderSize: answerHeaderBytesMax,
      },
      (answer) => {
        const back: OutgoingHttpHeaders = { ...answer.headers }
        for (const name of ['connection', 'keep-alive', 'transfer-encoding']) delete back[name]
        if (String(back['content-type'] ?? '').startsWith('text/html')) back['content-security-policy'] = policy
        back['x-content-type-options'] = 'nosniff'
        back['referrer-policy'] = 'same-origin'
        back['cross-origin-opener-policy'] = 'same-origin'
        back['x-request-id'] = requestId
        options.answered?.(answer.statusCode ?? 502)
        res.writeHead(answer.statusCode ?? 502, back)
        res.flushHeaders()
        pipeline(answer, res, () => undefined)
      },
    )
    upstream.on('error', () => {
      if (res.headersSent) return void res.destroy()
      options.answered?.(503)
      startingPage(res, (req.headers.accept ?? '').includes('text/html'))
    })
    res.on('close', () => {
      if (!res.writableFinished) upstream.destroy()
    })
    const { passed } = options
    if (passed) req.on('data', (piece: Buffer) => passed(piece.length))
    pipeline(req, upstream, () => undefined)
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
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  }
  return { handle, upgrade, close: () => agent.destroy() }
}
