import { createHash } from 'node:crypto'
import { envelopeOf, errorEvent, ingest, type Product, type Project } from '../product.ts'

/** The time on which all data and all screens stand: a Tuesday at noon, UTC. */
export const fixedMs = Date.UTC(2026, 10, 17, 12)
export const release = 'shop@4.18.0'
export const releaseBefore = 'shop@4.17.2'
export const digest = '2774530905'

/** The same id for the same name in each run. */
export const idOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32)
export const traceId: string = idOf('trace')
/** The span of that trace in which the error was thrown. */
const errorSpanId: string = idOf(`${traceId} render`).slice(0, 16)
export const hostileTraceId: string = idOf('hostile trace')

type DemoIssue = {
  type: string
  value: string
  culprit: string
  level: string
  times: number
  users: number
  handled: boolean
}

const demoIssues: readonly DemoIssue[] = [
  {
    type: 'TypeError',
    value: "Cannot read properties of undefined (reading 'total')",
    culprit: 'checkout/CartSummary.tsx',
    level: 'error',
    times: 96,
    users: 61,
    handled: false,
  },
  {
    type: 'ChunkLoadError',
    value: 'Loading chunk 418 failed (timeout: /_next/static/chunks/418.js)',
    culprit: 'webpack/runtime.js',
    level: 'error',
    times: 48,
    users: 40,
    handled: true,
  },
  {
    type: 'PaymentDeclinedError',
    value: 'Issuer declined with code 05 (do_not_honor)',
    culprit: 'api/pay/route.ts',
    level: 'warning',
    times: 70,
    users: 52,
    handled: true,
  },
  {
    type: 'HydrationError',
    value: 'Text content did not match. Server: "21 Nov" Client: "20 Nov"',
    culprit: 'ui/DateBadge.tsx',
    level: 'error',
    times: 30,
    users: 11,
    handled: false,
  },
  {
    type: 'OperationalError',
    value: 'remaining connection slots are reserved for superuser',
    culprit: 'billing/db.ts',
    level: 'fatal',
    times: 64,
    users: 31,
    handled: false,
  },
  {
    type: 'TimeoutError',
    value: 'The operation was aborted due to timeout after 8000 ms',
    culprit: 'lib/http.ts',
    level: 'warning',
    times: 55,
    users: 44,
    handled: true,
  },
  {
    type: 'RangeError',
    value: 'Invalid time value',
    culprit: 'reports/range.ts',
    level: 'error',
    times: 21,
    users: 17,
    handled: false,
  },
  {
    type: 'SyntaxError',
    value: 'Unexpected token < in JSON at position 0',
    culprit: 'api/client.ts',
    level: 'error',
    times: 39,
    users: 29,
    handled: false,
  },
  {
    type: 'ValidationError',
    value: 'Expected number, received string at "quantity"',
    culprit: 'cart/schema.ts',
    level: 'info',
    times: 26,
    users: 20,
    handled: true,
  },
  {
    type: 'AbortError',
    value: 'The user aborted a request',
    culprit: 'search/suggest.ts',
    level: 'info',
    times: 14,
    users: 12,
    handled: true,
  },
  {
    type: 'QuotaExceededError',
    value: "Failed to execute 'setItem' on 'Storage'",
    culprit: 'cart/persist.ts',
    level: 'warning',
    times: 18,
    users: 9,
    handled: true,
  },
  {
    type: 'ReferenceError',
    value: 'gtag is not defined',
    culprit: 'analytics/track.ts',
    level: 'error',
    times: 12,
    users: 12,
    handled: false,
  },
]

/** How many events `sendShop` and `sendHostile` send. */
export const shopEvents: number = demoIssues.reduce((sum, { times }) => sum + times, 0)
export const hostileEvents = 3
/** The time of the newest event of the first issue, the one that the trace belongs to. */
export const traceErrorMs: number = fixedMs - 400_000

function stackOf(demoIssue: DemoIssue): Record<string, unknown>[] {
  const filename = `https://shop.acme.test/${demoIssue.culprit}`
  const place = { filename, function: demoIssue.type.replace('Error', ''), lineno: 12, colno: 5, in_app: true }
  const source = {
    pre_context: ['export function totals(cart: Cart) {', "  const sum = { net: 0, currency: 'EUR' }"],
    context_line: '  sum.net += cart.summary.total',
    post_context: ['  return sum', '}'],
    vars: { cart: { items: [{ sku: 'A1' }], summary: null } },
  }
  return [
    { ...place, function: 'render', lineno: 40 },
    { ...place, ...source },
  ]
}

/** One event of the shop. `number` decides its age, its user and its id. */
function shopEvent(
  demoIssue: DemoIssue,
  order: number,
  number: number,
): Record<string, unknown> & { event_id: string } {
  // More events in recent days. Each issue gets its own pattern.
  const age = ((number * 7919 + order * 104_729) % 1000) / 1000
  const timestamp = (fixedMs - age ** 2 * 13 * 86_400_000 - (order + 1) * 400_000) / 1000
  const { type, value, culprit, level, handled } = demoIssue
  const crumb = { category: 'ui.click', message: 'button.pay', timestamp: timestamp - 3, level: 'info' }
  return errorEvent(type, value, {
    event_id: idOf(`${type} ${number}`),
    timestamp,
    level,
    transaction: culprit,
    user: { id: String(number % demoIssue.users) },
    release: number % 3 === 0 ? releaseBefore : release,
    environment: 'production',
    tags: { route: `/${culprit.split('/')[0]}`, locale: number % 2 ? 'de-DE' : 'en-GB', digest: order ? '1' : digest },
    contexts: {
      trace: {
        trace_id: order + number === 0 ? traceId : idOf(`trace ${order} ${number}`),
        span_id: order + number === 0 ? errorSpanId : '1234567890abcdef',
      },
    },
    request: { url: `https://shop.acme.test/${culprit}`, method: 'GET' },
    breadcrumbs: { values: [crumb] },
    exception: {
      values: [{ type, value, mechanism: { type: 'generic', handled }, stacktrace: { frames: stackOf(demoIssue) } }],
    },
  })
}

/** Sends two weeks of invented errors of a shop, in the same order in each run. Returns the id of an event. */
export async function sendShop(product: Product, project: Project): Promise<string> {
  for (const [order, demoIssue] of demoIssues.entries())
    for (let number = 0; number < demoIssue.times; number++) {
      const answer = await ingest(product, project, envelopeOf(shopEvent(demoIssue, order, number)))
      if (answer.status !== 200) throw new Error(`the shop's event was refused with ${answer.status}`)
    }
  return idOf(`${demoIssues[0]?.type} 1`)
}

const markup = `"><img src=https://evil.example/x.png onerror=alert(1)><script>alert(2)</script>`
const long = 'W'.repeat(400)
/** Markup, a very long word and text against the direction. */
export const hostileTexts: readonly [string, string, string] = [
  markup,
  long,
  'abc\u202edcba\u0000\u200b \u05e9\u05dc\u05d5\u05dd',
]

/** Sends three issues whose every text is markup, a script link, a very long word or text against the direction. */
export async function sendHostile(product: Product, project: Project): Promise<string> {
  for (const text of hostileTexts) {
    const frame = {
      filename: `javascript:alert(4)//${text}`,
      function: text,
      lineno: 1,
      context_line: text,
      in_app: true,
    }
    const event = errorEvent('HostileError', text, {
      event_id: idOf(text),
      timestamp: fixedMs / 1000 - 5000,
      transaction: text,
      contexts: { trace: { trace_id: hostileTraceId, span_id: idOf(text).slice(0, 16) } },
      release: 'shop@4.18.0',
      environment: text.slice(0, 60),
      user: { id: text, email: text, username: text },
      tags: { plain: text.slice(0, 200), digest: '2774530906' },
      extra: { [text]: text },
      request: { url: `javascript:alert(4)?${text}`, method: text },
      breadcrumbs: { values: [{ category: text, message: text, timestamp: fixedMs / 1000 - 5001 }] },
      fingerprint: [text.slice(0, 20)],
      exception: { values: [{ type: text, value: text, module: text, stacktrace: { frames: [frame] } }] },
    })
    const answer = await ingest(product, project, envelopeOf(event))
    if (answer.status !== 200) throw new Error(`the hostile event was refused with ${answer.status}`)
  }
  return idOf(markup)
}
