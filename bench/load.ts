import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { root } from '../e2e/product.ts'

/** A prepared request. Each send overwrites its event id. */
type Template = { head: Buffer; body: Buffer; idAt: number[] }

type LoadOptions = {
  port: number
  path: string
  bodies: Buffer[]
  connections: number /** `rate`: requests/s over all connections. Without it, as fast as they are answered. */
  rate?: number
  /** Default: text, as browsers send envelopes. */
  contentType?: string
  /** Opens a new connection when the server closes one: some servers answer one request on each. */
  reconnects?: boolean
  /** Makes the body of a send instead of a copy with another event id. It has the length of the body at this index. */
  renew?(index: number): Buffer
}
type LoadResult = {
  sent: number
  ok: number
  refused: Record<number, number>
  seconds: number
  latenciesMs: Float64Array
  ids: string[]
}

const recorded = (name: string) => readFileSync(join(root, 'fixtures/envelopes', name))

/** Real error envelopes: 7 of 10 have about 2 kB from the browser SDK, 3 of 10 about 12 kB with 100 breadcrumbs. */
export function realBodies(): { small: Buffer; large: Buffer; mix: Buffer[] } {
  const small = recorded('browser-11.12.0-unhandled-03-event.envelope')
  const large = recorded('browser-11.12.0-exception120-01-event.envelope')
  return { small, large, mix: [small, small, large, small, small, large, small, small, large, small] }
}

function template({ path, port, contentType = 'text/plain;charset=UTF-8' }: LoadOptions, body: Buffer): Template {
  const id = /"event_id":"([0-9a-f]{32})"/.exec(body.toString('latin1'))?.[1] ?? ''
  const idAt: number[] = []
  for (let at = body.indexOf(id); id && at >= 0; at = body.indexOf(id, at + 1)) idAt.push(at)
  const head = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  return { head, body, idAt }
}

/** Runs one connection, which sends the next request after the answer to the last one. */
function runConnection(
  options: LoadOptions,
  templates: Template[],
  state: { index: number; ends: number; result: LoadResult; times: number[]; every: number; began: number },
): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect(options.port, '127.0.0.1')
    socket.setNoDelay(true)
    let sentAt = 0
    let id = ''
    let buffered = ''
    let failed = false
    const send = () => {
      const now = performance.now()
      if (now >= state.ends) return void socket.end()
      const due = state.began + state.result.sent * state.every
      if (state.every > 0 && due > now) return void setTimeout(send, due - now)
      const index = state.index++
      const template = templates[index % templates.length]
      if (!template) return void socket.end()
      state.result.sent++
      const body = options.renew?.(index) ?? Buffer.from(template.body)
      id = randomBytes(16).toString('hex')
      for (const at of template.idAt) body.write(id, at, 'latin1')
      sentAt = performance.now()
      socket.write(Buffer.concat([template.head, body]))
    }
    socket.on('connect', send)
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1')
      const end = buffered.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(buffered)?.[1] ?? 0)
      if (buffered.length < end + 4 + length) return
      const status = Number(buffered.slice(9, 12))
      const closing = /\r\nconnection: close\r\n/i.test(buffered.slice(0, end + 2))
      buffered = ''
      state.times.push(performance.now() - sentAt)
      if (status === 200) {
        state.result.ok++
        state.result.ids.push(id)
      } else state.result.refused[status] = (state.result.refused[status] ?? 0) + 1
      if (closing) socket.end()
      else send()
    })
    socket.on('error', () => {
      failed = true
    })
    socket.on('close', () => {
      if (!options.reconnects || performance.now() >= state.ends) return resolve()
      // The pause keeps a server that is gone from being asked in a tight loop.
      setTimeout(() => resolve(runConnection(options, templates, state)), failed ? 20 : 0)
    })
  })
}

/** Sends load to loopback for `seconds`. */
export async function runLoad(options: LoadOptions, seconds: number): Promise<LoadResult> {
  const templates = options.bodies.map((body) => template(options, body))
  const began = performance.now()
  const result: LoadResult = { sent: 0, ok: 0, refused: {}, seconds: 0, latenciesMs: new Float64Array(), ids: [] }
  const state = {
    index: 0,
    ends: began + seconds * 1000,
    result,
    times: [] as number[],
    every: options.rate ? 1000 / options.rate : 0,
    began,
  }
  await Promise.all(Array.from({ length: options.connections }, () => runConnection(options, templates, state)))
  result.seconds = (performance.now() - began) / 1000
  result.latenciesMs = Float64Array.from(state.times).sort()
  return result
}

/** The value below which the fraction `share` of the sorted values lies. */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Median of unsorted values; of an even number, the upper one of the middle two. NaN if there are none. */
export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
