// Log containers as version 11 of the JavaScript SDKs sends them: 100 lines of about 200 bytes with 12 attributes each.
import { randomFillSync } from 'node:crypto'
import { randomOf } from '../src/random.cases.ts'

export const linesEach = 100
/** Containers whose texts differ. Each send has ids and times of its own. */
const containers = 400

/** Words of which texts are made. */
export const verbs = [
  'accepted',
  'refused',
  'loaded',
  'queued',
  'retried',
  'shipped',
  'cancelled',
  'updated',
  'expired',
  'synced',
]
export const things = ['payment', 'cart', 'shipment', 'basket', 'invoice', 'webhook', 'price list', 'stock level']
export const tails = [
  'by the gateway after a check of the remaining balance and of the limits of this merchant',
  'because the upstream answered late and the budget of the request was almost used up by then',
  'while the worker was waiting for a free connection of the pool that all of its threads share',
  'and the result was written to the outbox, from where a job sends it to all of its subscribers',
]
const levels = ['info', 'info', 'info', 'info', 'info', 'info', 'debug', 'warn', 'error', 'fatal']

const random = randomOf(7)
const upTo = (max: number) => Math.floor(random() * max)
const oneOf = <T>(all: readonly T[]): T => all[upTo(all.length)] as T
const text = (value: string) => ({ type: 'string', value })
const integer = (value: number) => ({ type: 'integer', value })

function lineOf(request: { trace: string; span: string; user: number; order: number; node: number }) {
  const body = `${oneOf(things)} ${request.order} ${oneOf(verbs)} in ${upTo(2000)} ms, attempt ${1 + upTo(3)}, ${oneOf(tails)}, region eu-${request.node % 4}, node ${request.node}`
  return {
    timestamp: 1_795_253_853.4458,
    level: oneOf(levels),
    body,
    trace_id: request.trace,
    span_id: request.span,
    attributes: {
      'sentry.release': text('shop@1.4.2'),
      'sentry.environment': text('production'),
      'sentry.sdk.name': text('sentry.javascript.node'),
      'sentry.sdk.version': text('11.12.0'),
      'sentry.origin': text('auto.log.pino'),
      'server.address': text(`web-${request.node}`),
      'user.id': text(`u${request.user}`),
      'http.route': text(`/api/${oneOf(things)}/[id]`),
      'http.request.method': text(oneOf(['GET', 'POST', 'PUT'])),
      plan: text(oneOf(['free', 'pro', 'team'])),
      duration: integer(upTo(2000)),
      'http.response.status_code': integer(oneOf([200, 200, 201, 404, 500])),
    },
  }
}

const hex = (bytes: number) => randomFillSync(Buffer.alloc(bytes)).toString('hex')

/** One container: traces of 8 lines, spans of 4. */
function containerOf(): string {
  let request = { trace: '', span: '', user: 0, order: 0, node: 0 }
  const items = Array.from({ length: linesEach }, (_, n) => {
    if (n % 8 === 0)
      request = { trace: hex(16), span: hex(8), user: upTo(20_000), order: upTo(100_000), node: upTo(12) }
    else if (n % 4 === 0) request = { ...request, span: hex(8) }
    return lineOf(request)
  })
  const header = { type: 'log', item_count: linesEach, content_type: 'application/vnd.sentry.items.log+json' }
  return ['{}', JSON.stringify(header), JSON.stringify({ version: 2, items })].join('\n')
}

type Place = { at: number[]; length: number }

/** Places of the times and of the ids, each id with all of its places. */
function placesOf(body: string): { times: number[]; ids: Place[] } {
  const times = [...body.matchAll(/"timestamp":(?=1\d{9}\.)/g)].map((match) => match.index + match[0].length)
  const byId = new Map<string, Place>()
  for (const match of body.matchAll(/"(?:trace|span)_id":"([0-9a-f]+)"/g)) {
    const id = match[1] ?? ''
    const place = byId.get(id) ?? { at: [], length: id.length }
    place.at.push(match.index + match[0].length - 1 - id.length)
    byId.set(id, place)
  }
  return { times, ids: [...byId.values()] }
}

export type LogLoad = { bodies: Buffer[]; next(index: number): Buffer }

/** Creates the load. */
export function createLogLoad(): LogLoad {
  const all = Array.from({ length: containers }, () => {
    const body = containerOf()
    return { bytes: Buffer.from(body), ...placesOf(body) }
  })
  const ids = Buffer.alloc(16)
  return {
    bodies: all.map(({ bytes }) => bytes),
    next: (index) => {
      const found = all[index % all.length]
      if (!found) throw new Error('no containers')
      const body = Buffer.from(found.bytes)
      const now = (Date.now() / 1000).toFixed(3)
      for (const at of found.times) body.write(now, at, 'latin1')
      for (const { at, length } of found.ids) {
        const id = randomFillSync(ids).toString('hex', 0, length / 2)
        for (const place of at) body.write(id, place, 'latin1')
      }
      return body
    },
  }
}
