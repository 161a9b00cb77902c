import { api, ingest, type Product, type Project, until } from '../product.ts'
import { fixedMs, hostileTexts, idOf, release } from './data.ts'

// Metrics of a shop for the pictures: a day of them, the same in each run, on the fixed time of the screens.

type Point = {
  agoS: number
  name: string
  type: string
  value: number
  unit?: string
  attributes: Record<string, string>
}

const everyS = 900
const points = 96

/** A counter, a gauge and a distribution, each with an attribute of two values. */
const shopPoints = (): Point[] =>
  Array.from({ length: points }, (_, n): Point[] => {
    const agoS = n * everyS + 60
    const plan = n % 3 === 0 ? 'pro' : 'free'
    return [
      { agoS, name: 'orders', type: 'counter', value: 1 + (n % 7), attributes: { plan } },
      { agoS, name: 'queue.length', type: 'gauge', value: 20 + (n % 24), attributes: { queue: 'mail' } },
      {
        agoS,
        name: 'cart.value',
        type: 'distribution',
        value: 15 + ((n * 37) % 180),
        unit: 'euro',
        attributes: { plan },
      },
    ]
  }).flat()

/** Metrics whose names and attributes are markup, a very long word or text against the direction. */
const hostilePoints = (): Point[] =>
  hostileTexts.map((text, n) => ({
    agoS: n * 60 + 60,
    name: text.slice(0, 200),
    type: 'counter',
    value: 1,
    unit: text.slice(0, 20),
    attributes: { [text.slice(0, 50)]: text.slice(0, 200) },
  }))

async function send(product: { url: string }, project: Project, all: readonly Point[], nowMs = fixedMs): Promise<void> {
  const items = all.map(({ agoS, attributes, ...point }) => ({
    ...point,
    timestamp: nowMs / 1000 - agoS,
    trace_id: idOf(`metric ${point.name} ${agoS}`),
    attributes: Object.fromEntries(
      Object.entries({ 'sentry.release': release, 'sentry.environment': 'production', ...attributes }).map(
        ([name, value]) => [name, { type: 'string', value }],
      ),
    ),
  }))
  const type = 'application/vnd.sentry.items.trace-metric+json'
  const header = { type: 'trace_metric', item_count: items.length, content_type: type }
  await ingest(product, project, `{}\n${JSON.stringify(header)}\n${JSON.stringify({ items })}\n`)
  const names = new Set(all.map(({ name }) => name)).size
  await until(`the metrics of ${project.org}`, 60_000, async () => {
    const { json } = await api(product, project, `/organizations/${project.org}/metrics/?statsPeriod=14d`)
    return (json as { metrics: unknown[] }).metrics.length >= names
  })
}

/** Sends the metrics of the shop. */
export const sendShopMetrics = (product: Product, project: Project): Promise<void> =>
  send(product, project, shopPoints())

/** Sends metrics of the minutes before `nowMs` that try to break screens. */
export const sendHostileMetrics = (product: { url: string }, project: Project, nowMs = fixedMs): Promise<void> =>
  send(product, project, hostilePoints(), nowMs)
