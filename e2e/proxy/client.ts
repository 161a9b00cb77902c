import { connect as connectHttp2 } from 'node:http2'
import { type RequestOptions, request } from 'node:https'

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; text: string }
export type RequestSpec = {
  url: string
  certificate: string
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** The client address that the proxy sees. All of 127.0.0.0/8 is this machine. */
  from?: string
}

const optionsOf = (ask: RequestSpec): RequestOptions => ({
  method: ask.method ?? 'GET',
  headers: ask.headers ?? {},
  ca: ask.certificate,
  agent: false,
  maxHeaderSize: 65_536,
  ...(ask.from ? { localAddress: ask.from } : {}),
  family: 4,
})

/** Sends one request over TLS from a chosen address, and checks the certificate. */
export function ask(what: RequestSpec): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(what.url, optionsOf(what), (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(parts).toString() }),
      )
    })
    sent.on('error', reject)
    sent.end(what.body)
  })
}

/** Opens a stream and records each piece with its arrival time in ms. `stop` closes it. */
export function listen(
  what: RequestSpec,
): Promise<{ headers: Answer['headers']; pieces: { atMs: number; text: string }[]; stop(): void }> {
  return new Promise((resolve, reject) => {
    const sent = request(what.url, optionsOf(what), (answer) => {
      const pieces: { atMs: number; text: string }[] = []
      answer.on('data', (part: Buffer) => pieces.push({ atMs: performance.now(), text: part.toString() }))
      answer.on('error', () => undefined)
      resolve({ headers: answer.headers, pieces, stop: () => sent.destroy() })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Sends one GET over HTTP/2. */
export function sendHttp2(what: RequestSpec): Promise<Answer> {
  const { origin, pathname, search } = new URL(what.url)
  return new Promise((resolve, reject) => {
    const session = connectHttp2(origin, { ca: what.certificate })
    session.on('error', reject)
    const stream = session.request({ ':path': pathname + search, ...what.headers })
    const found: Answer = { status: 0, headers: {}, text: '' }
    stream.on('response', (headers) => {
      found.status = Number(headers[':status'])
      found.headers = headers as Answer['headers']
    })
    stream.on('data', (part: Buffer) => {
      found.text += part.toString()
    })
    stream.on('error', reject)
    stream.on('end', () => {
      session.close()
      resolve(found)
    })
  })
}
