import { api, ingest, type Product, type Project, until } from '../product.ts'
import { fixedMs, hostileTexts, idOf, release } from './data.ts'

// Log lines of a shop for the pictures: a day of them, the same in each run, on the fixed time of the screens.

type Line = { agoS: number; level: string; body: string; service: string; attributes?: Record<string, string | number> }

const minuteS = 60
const services = ['shop-web', 'checkout-api', 'billing']

/** A day of ordinary lines, with an hour in which a pool of connections runs dry. */
function shopLines(): Line[] {
  const ordinary = Array.from({ length: 1440 }, (_, n): Line => {
    const service = services[n % services.length] ?? ''
    return n % 9 === 0
      ? { agoS: n * minuteS, level: 'debug', body: `cache miss for sku A-${1000 + (n % 50)}`, service }
      : {
          agoS: n * minuteS,
          level: 'info',
          body: `GET /api/cart 200 in ${20 + (n % 70)} ms`,
          service,
          attributes: { 'cart.id': 8800 + n },
        }
  })
  const outage = Array.from({ length: 120 }, (_, n): Line => {
    const agoS = 4 * 3600 + n * 30
    return n % 3 === 0
      ? {
          agoS,
          level: 'error',
          body: 'pool timeout after 1,500 ms on db-3.internal',
          service: 'billing',
          attributes: { 'pool.in_use': 20, 'pool.size': 20, route: 'POST /quote' },
        }
      : {
          agoS,
          level: 'warn',
          body: `pool wait 1,${400 + n} ms for a connection, 20 of 20 in use`,
          service: 'checkout-api',
        }
  })
  const newest: Line[] = [
    {
      agoS: 4,
      level: 'fatal',
      body: 'worker 3 stopped: remaining connection slots are reserved for superuser',
      service: 'billing',
    },
    {
      agoS: 3,
      level: 'warn',
      body: 'cart 8812 loaded without summary, flag new-cart is on',
      service: 'shop-web',
      attributes: { 'cart.id': 8812 },
    },
    { agoS: 2, level: 'info', body: '{"order":{"items":[{"id":"A-1"},{"id":"B-2"}]}}', service: 'checkout-api' },
  ]
  return [...ordinary, ...outage, ...newest]
}

/** Lines whose texts are markup, escapes of terminals, very long, deep, or against the direction. */
function hostileLines(): Line[] {
  const texts = [...hostileTexts, '\u001b[31mred\u001b[0m\r\n\tnext\u0085line', '['.repeat(9000), 'n'.repeat(16_384)]
  return texts.flatMap((text, n): Line[] => [
    {
      agoS: n * 60,
      level: 'error',
      body: text,
      service: text.slice(0, 100),
      attributes: { [text.slice(0, 100)]: text },
    },
    { agoS: n * 60 + 1, level: text.slice(0, 20), body: `{"order":"${'x'.repeat(n * 100)}"`, service: 'web' },
  ])
}

function envelopesOf(lines: readonly Line[]): string[] {
  const chunks = Array.from({ length: Math.ceil(lines.length / 100) }, (_, at) => lines.slice(at * 100, at * 100 + 100))
  return chunks.map((chunk) => {
    const items = chunk.map(({ agoS, level, body, service, attributes = {} }) => ({
      timestamp: fixedMs / 1000 - agoS,
      trace_id: idOf(`log ${service} ${agoS % 7}`),
      level,
      body,
      attributes: Object.fromEntries(
        Object.entries({
          'service.name': service,
          'sentry.release': release,
          'sentry.environment': 'production',
          ...attributes,
        }).map(([name, value]) => [name, { type: typeof value === 'number' ? 'double' : 'string', value }]),
      ),
    }))
    const header = { type: 'log', item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' }
    return `{}\n${JSON.stringify(header)}\n${JSON.stringify({ items })}\n`
  })
}

async function send(product: Product, project: Project, lines: readonly Line[]): Promise<void> {
  for (const envelope of envelopesOf(lines)) await ingest(product, project, envelope)
  await until(`the log lines of ${project.org}`, 60_000, async () => {
    const { json } = await api(product, project, `/organizations/${project.org}/logs/summary/?statsPeriod=14d`)
    return (json as { samples: number }).samples >= lines.length
  })
}

/** Sends the log lines of the shop. */
export const sendShopLogs = (product: Product, project: Project): Promise<void> => send(product, project, shopLines())

/** Sends log lines that try to break screens. */
export const sendHostileLogs = (product: Product, project: Project): Promise<void> =>
  send(product, project, hostileLines())
