import { createHash } from 'node:crypto'
import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { AwsV4Signer } from 'aws4fetch'
import type { BlobCredentials, BlobsConfig } from '../../../base/blobs-config.ts'
import type { Clock } from '../../../base/clock.ts'
import { MishapError } from '../../../base/errors.ts'

/** Why a request failed: no connection, a certificate that does not verify, or an answer that refuses it. */
type FaultKind = 'unreachable' | 'tls' | 'refused'

/** A failure of the blob store, never of a record. `code`: of the system or of the S3 answer. */
export class S3Fault extends MishapError {
  readonly kind: FaultKind
  readonly reason: string

  constructor(kind: FaultKind, reason: string, detail: string) {
    super('BLOBS_UNAVAILABLE', { detail })
    this.kind = kind
    this.reason = reason
  }
}

type S3Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Without it, the request is about the bucket. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Buffer
}

export type S3Answer = { status: number; headers: IncomingHttpHeaders; text: string }
type S3Stream = { status: number; headers: IncomingHttpHeaders; stream: IncomingMessage }

/** Sends signed requests to one bucket. */
export type S3Client = {
  config: BlobsConfig
  /**
   * Returns an answer that says something about the request: below 500, and no request to slow down. Repeats others and
   * failed connections, up to `triesMax` times. Throws S3Fault.
   */
  call(request: S3Request): Promise<S3Answer>
  /** Like `call`, without reading the body. The caller reads or destroys it. */
  open(request: S3Request): Promise<S3Stream>
  /** Waits before a repeated try: a random time that grows with each try. */
  pause(tries: number): Promise<void>
  /** Returns the fault of an answer with an error status. */
  faultOf(answer: Pick<S3Answer, 'status' | 'text'>): S3Fault
}

export type S3Options = {
  config: BlobsConfig
  credentials: BlobCredentials
  clock: Clock
  /** Returns a number from 0 to 1. */
  random?: () => number
  /** Time without a byte after which a request has failed, ms. It also limits connecting. */
  idleMs?: number
}

/** With the pauses below, a store that is away is noticed after 0.4 to 0.9 s. Callers then wait themselves. */
export const triesMax = 4
const pauseMs = 100
const idleMsDefault = 15_000
/** Answers that `call` reads are lists and errors. */
const answerBytesMax = 16 * 1024 * 1024
/** Answers that a later try can change: overload, and time-outs of the server. */
const passing = new Set([408, 429, 500, 502, 503, 504])
const emptyHash = createHash('sha256').update('').digest('hex')

/** Codes of Node and OpenSSL for a certificate that does not verify, and for a server that does not speak TLS. */
const tlsCodes = /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS|ERR_SSL|EPROTO|INVALID_CA)/

/** Returns the text of an element of an answer; '' if it is absent. Texts of Mishap's requests need no more of XML. */
export const elementOf = (xml: string, name: string): string =>
  (new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&amp;', '&')

const whereOf = ({ endpoint, bucket }: BlobsConfig) => `${endpoint}/${bucket}`

function connectionFault(config: BlobsConfig, error: unknown): S3Fault {
  const code = String((error as NodeJS.ErrnoException).code ?? (error as Error).message)
  const kind = tlsCodes.test(code) ? 'tls' : 'unreachable'
  const what = kind === 'tls' ? 'fails TLS' : 'is not reachable'
  return new S3Fault(kind, code, `The blob store ${whereOf(config)} ${what}: ${code}.`)
}

function answerFault(config: BlobsConfig, { status, text }: Pick<S3Answer, 'status' | 'text'>): S3Fault {
  const code = elementOf(text, 'Code') || `HTTP ${status}`
  const message = elementOf(text, 'Message').slice(0, 200)
  return new S3Fault(
    'refused',
    code,
    `The blob store ${whereOf(config)} answers ${code}${message ? `: ${message}` : '.'}`,
  )
}

/** Returns address and headers of a signed request. The signature covers the hash of the body. */
async function sign({ config, credentials, clock }: S3Options, { method, key, query, headers, body }: S3Request) {
  const parts = key === undefined ? [config.bucket] : [config.bucket, config.prefix, key].filter((part) => part !== '')
  const search = new URLSearchParams(query).toString()
  const hash = body ? createHash('sha256').update(body).digest('hex') : emptyHash
  const signed = await new AwsV4Signer({
    ...credentials,
    method,
    url: `${config.endpoint}/${parts.join('/')}${search ? `?${search}` : ''}`,
    headers: { ...headers, 'x-amz-content-sha256': hash },
    service: 's3',
    region: config.region,
    datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  }).sign()
  return { url: signed.url, headers: { ...Object.fromEntries(signed.headers), 'content-length': body?.length ?? 0 } }
}

/** Returns a function that sends a request once. It resolves with the head of the answer. */
function createSender(options: S3Options): (request: S3Request) => Promise<S3Stream> {
  const isTls = options.config.endpoint.startsWith('https:')
  const pool = { keepAlive: true, maxSockets: 16 }
  const agent = isTls ? new HttpsAgent(pool) : new HttpAgent(pool)
  const timeout = options.idleMs ?? idleMsDefault
  return async (request) => {
    const { url, headers } = await sign(options, request)
    return new Promise((resolve, reject) => {
      const sent = (isTls ? requestHttps : requestHttp)(url, { method: request.method, agent, headers, timeout })
      // The error also reaches a reader of the answer.
      sent.on('timeout', () => sent.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })))
      sent.on('error', reject)
      sent.on('response', (stream) => resolve({ status: stream.statusCode ?? 0, headers: stream.headers, stream }))
      sent.end(request.body)
    })
  }
}

async function readAnswer({ status, headers, stream }: S3Stream, config: BlobsConfig): Promise<S3Answer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > answerBytesMax)
      throw new S3Fault('refused', 'too large', `The blob store ${whereOf(config)} answers too much.`)
    parts.push(part)
  }
  return { status, headers, text: Buffer.concat(parts).toString('utf8') }
}

/** Makes a client. It connects with the first request and keeps up to 16 connections. */
export function createS3Client(options: S3Options): S3Client {
  const { config, clock, random = Math.random } = options
  const send = createSender(options)
  const pause = (tries: number) => clock.sleep(pauseMs * 2 ** Math.min(tries, 6) * (0.5 + random() / 2))
  const faultOf = (answer: Pick<S3Answer, 'status' | 'text'>) => answerFault(config, answer)

  /** Tries until `run` gives an answer that is not passing. */
  async function repeated<T extends { status: number }>(
    run: () => Promise<T>,
    failed: (answer: T) => Promise<S3Fault>,
  ) {
    for (let tries = 1; ; tries++) {
      let fault: S3Fault
      try {
        const answer = await run()
        if (!passing.has(answer.status)) return answer
        fault = await failed(answer)
      } catch (error) {
        fault = error instanceof S3Fault ? error : connectionFault(config, error)
        // A certificate does not change within a second.
        if (fault.kind === 'tls') throw fault
      }
      if (tries >= triesMax) throw fault
      await pause(tries)
    }
  }

  const call = async (request: S3Request) => readAnswer(await send(request), config)
  return {
    config,
    pause,
    faultOf,
    call: (request) =>
      repeated(
        () => call(request),
        async (answer) => faultOf(answer),
      ),
    open: (request) =>
      repeated(
        () => send(request),
        async (answer) => faultOf(await readAnswer(answer, config)),
      ),
  }
}
