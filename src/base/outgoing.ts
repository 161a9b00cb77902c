import { promises as dns, type LookupAddress } from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Clock } from './clock.ts'
import { MishapError } from './errors.ts'
import { isPublic, isWithin } from './network.ts'

/** One request to an address that a user configured: a webhook, later a source map or an uptime check. */
export type OutgoingRequest = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Called before each hop. If it returns false, the request is refused. */
  allows?(url: URL): boolean
  /** false: accepts untrusted certificates. */
  verifyTls?: boolean
}

/** `body` is decompressed and has at most `bytesMax`. `address` is the connected address. */
export type OutgoingAnswer = {
  status: number
  headers: Record<string, string>
  body: Buffer
  url: string
  address: string
}

/** Resolves a host name to all its addresses. Tests pass their own. */
export type Lookup = (host: string) => Promise<LookupAddress[]>

type OutgoingOptions = {
  clock: Clock
  /** Private or reserved addresses and CIDR ranges that an operator allows. */
  allowedNetworks: readonly string[]
  lookup?: Lookup
  /** Time limit of the request with its redirects, ms. */
  timeoutMs?: number
  bytesMax?: number
}

/** Sends user-configured requests. Throws OUTGOING_REFUSED, OUTGOING_FAILED, OUTGOING_TIMEOUT, OUTGOING_TOO_LARGE. */
export type Outgoing = { send(request: OutgoingRequest): Promise<OutgoingAnswer> }

const redirectsMax = 5
const unpack = promisify(gunzip)

const refused = (detail: string) => new MishapError('OUTGOING_REFUSED', { detail })

function parse(text: string): URL {
  if (!URL.canParse(text)) throw refused('The address is not a URL.')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('Mishap calls only http and https URLs.')
  if (url.username || url.password) throw refused('Mishap does not call a URL with a user name or password.')
  return url
}

/** Resolves the address once and connects to exactly that, so that a second DNS answer cannot change it. */
async function addressOf(url: URL, options: OutgoingOptions): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  let addresses: string[]
  if (isIP(host)) addresses = [host]
  else {
    const lookup: Lookup = options.lookup ?? ((name) => dns.lookup(name, { all: true }))
    try {
      addresses = (await lookup(host)).map((record) => record.address)
    } catch {
      throw new MishapError('OUTGOING_FAILED', { detail: `The name ${host} could not be resolved.` })
    }
  }
  // A name can lead into the network by one private address among public ones, so one refuses the whole name. The error
  // hides the address: users who can add a webhook could otherwise resolve names of our network.
  if (addresses.some((address) => !isPublic(address) && !isWithin(address, options.allowedNetworks)))
    throw refused(`${host} is at a private or reserved address.`)
  const [first] = addresses
  if (first === undefined) throw new MishapError('OUTGOING_FAILED', { detail: `The name ${host} has no address.` })
  return first
}

async function bodyOf(answer: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > bytesMax) {
      answer.destroy()
      throw new MishapError('OUTGOING_TOO_LARGE', { detail: `The answer is over ${bytesMax} bytes.` })
    }
    parts.push(part)
  }
  const body = Buffer.concat(parts)
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity' || body.length === 0) return body
  // The request only allows gzip: the runtime's Brotli decoder is not for untrusted input (decision 2).
  if (encoding !== 'gzip') throw refused(`The answer is encoded as "${encoding.slice(0, 40)}".`)
  try {
    return await unpack(body, { maxOutputLength: bytesMax })
  } catch {
    throw new MishapError('OUTGOING_TOO_LARGE', { detail: 'The answer is broken gzip or inflates beyond its limit.' })
  }
}

function open(request: OutgoingRequest, url: URL, address: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const client = url.protocol === 'https:' ? https : http
    const name = url.hostname.replace(/^\[|\]$/g, '')
    const sent = client.request({
      method: request.method,
      host: address,
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
      path: url.pathname + url.search,
      // The certificate is checked against the name. An IP address has no server name to send.
      ...(isIP(name) ? {} : { servername: name }),
      headers: { ...request.headers, host: url.host, 'accept-encoding': 'gzip' },
      agent: false,
      ...(request.verifyTls === false ? { rejectUnauthorized: false } : {}),
      signal,
    })
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end(request.body)
  })
}

function redirectOf(request: OutgoingRequest, answer: IncomingMessage, url: URL): string | undefined {
  const { location } = answer.headers
  const status = answer.statusCode ?? 0
  // A redirected write would send its body to an address that nobody configured, so the redirect itself is returned.
  if (
    !['GET', 'HEAD'].includes(request.method) ||
    location === undefined ||
    ![301, 302, 303, 307, 308].includes(status)
  )
    return undefined
  return URL.canParse(location, url) ? new URL(location, url).href : undefined
}

async function call(request: OutgoingRequest, options: OutgoingOptions, signal: AbortSignal): Promise<OutgoingAnswer> {
  let target = request.url
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const url = parse(target)
    if (request.allows?.(url) === false) throw refused(`${url.origin} is not an allowed origin.`)
    const address = await addressOf(url, options)
    signal.throwIfAborted()
    const answer = await open(request, url, address, signal)
    const next = redirectOf(request, answer, url)
    if (next === undefined) {
      const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]))
      const body = await bodyOf(answer, options.bytesMax ?? 1_048_576)
      return { status: answer.statusCode ?? 0, headers, body, url: url.href, address }
    }
    answer.destroy()
    target = next
  }
  throw refused(`More than ${redirectsMax} redirects.`)
}

/** Converts a connection error to a MishapError with its code; it never contains sent data. */
function failureOf(error: unknown): MishapError {
  if (error instanceof MishapError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new MishapError('OUTGOING_FAILED', { detail: `The call failed${code ? ` (${code})` : ''}.` })
}

/**
 * The only path for requests to user-supplied addresses. Each name is resolved once. Private and reserved ranges are
 * refused unless allowed, each redirect is checked again, and time and size are limited.
 */
export function createOutgoing(options: OutgoingOptions): Outgoing {
  const timeoutMs = options.timeoutMs ?? 10_000
  return {
    send: async (request) => {
      const stop = new AbortController()
      const late = new MishapError('OUTGOING_TIMEOUT', { detail: `No complete answer within ${timeoutMs} ms.` })
      const expired = new Promise<never>((_resolve, reject) => {
        stop.signal.addEventListener('abort', () => reject(late), { once: true })
      })
      const cancel = options.clock.after(timeoutMs, () => stop.abort())
      try {
        return await Promise.race([call(request, options, stop.signal), expired])
      } catch (error) {
        throw failureOf(error)
      } finally {
        cancel()
      }
    },
  }
}
