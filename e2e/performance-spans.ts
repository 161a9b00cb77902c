import { randomBytes } from 'node:crypto'

/** Spans of a shop as SDK 11 streams them (span v2), for the tests of the performance pages. */

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')
export const attribute = (value: string | number | boolean) => ({
  type: typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'double',
  value,
})
export type Attributes = Record<string, string | number | boolean>
export type Made = {
  name: string
  op: string
  startS: number
  ms: number
  attributes?: Attributes
  failed?: boolean
}
/** A segment and its child spans, whose starts are seconds after the segment's. */
export type Segment = Made & { route: string; release: string; rate: number; children?: Made[] }

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile/15E148 Safari/604.1'

function spansOf(
  { route, release, rate, children = [], ...segment }: Segment,
  newId: (bytes: number) => string,
): Record<string, unknown>[] {
  const [traceId, segmentId] = [newId(16), newId(8)]
  const made = (span: Made, own: Attributes, isSegment: boolean) => ({
    trace_id: traceId,
    span_id: isSegment ? segmentId : newId(8),
    ...(isSegment ? {} : { parent_span_id: segmentId }),
    name: span.name,
    status: span.failed ? 'error' : 'ok',
    is_segment: isSegment,
    start_timestamp: span.startS,
    end_timestamp: span.startS + span.ms / 1000,
    attributes: Object.fromEntries(
      Object.entries<string | number | boolean>({
        'sentry.op': span.op,
        'sentry.release': release,
        'sentry.environment': 'production',
        'sentry.sample_rate': rate,
        'sentry.segment.name': segment.name,
        'sentry.segment.id': segmentId,
        ...own,
        ...span.attributes,
      }).map(([key, value]) => [key, attribute(value)]),
    ),
  })
  const named = { 'http.route': route, 'sentry.segment.name.source': 'route' }
  return [
    ...children.map((child) => made({ ...child, startS: segment.startS + child.startS }, {}, false)),
    made(segment, named, true),
  ]
}

/** An envelope with spans as SDK 11 streams them. */
export function spanEnvelope(items: readonly Record<string, unknown>[], sentAt = new Date()): string {
  const header = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
  return `${JSON.stringify({ sent_at: sentAt.toISOString() })}\n${JSON.stringify(header)}\n${JSON.stringify({ items })}\n`
}

/** Envelopes of at most about 600 spans. `newId` makes the ids, of this many bytes; `sentAt` is the time of sending. */
export function envelopesOf(
  segments: readonly Segment[],
  { newId = hex, sentAt }: { newId?: (bytes: number) => string; sentAt?: Date } = {},
): string[] {
  const envelopes: string[] = []
  let items: Record<string, unknown>[] = []
  const flush = () => {
    if (items.length === 0) return
    envelopes.push(spanEnvelope(items, sentAt))
    items = []
  }
  for (const segment of segments) {
    items.push(...spansOf(segment, newId))
    if (items.length > 550) flush()
  }
  flush()
  return envelopes
}

const queryText = 'SELECT * FROM items WHERE order_id = '

/** A request with one query, or a slow one with a flag that runs a query for each of twelve rows. */
export function request(startS: number, isSlow: boolean, rate = 0.1): Segment {
  const ms = (isSlow ? 1900 : 120) * (0.8 + Math.random() * 0.5)
  return {
    name: 'GET /orders/[id]',
    op: 'http.server',
    route: '/orders/[id]',
    release: isSlow ? 'shop@2.0.0' : 'shop@1.9.0',
    startS,
    ms,
    rate,
    failed: isSlow && Math.random() < 0.05,
    attributes: {
      'flag.new-cart': isSlow ? 'on' : 'off',
      'server.address': isSlow ? 'db-3.internal' : 'db-1.internal',
    },
    children: [
      {
        name: 'SELECT orders',
        op: 'db',
        startS: 0.01,
        ms: ms * 0.2,
        attributes: { 'db.system.name': 'postgresql', 'db.query.text': 'SELECT * FROM orders WHERE id = 7' },
      },
      ...Array.from({ length: isSlow ? 12 : 1 }, (_, k) => ({
        name: 'SELECT items',
        op: 'db',
        startS: 0.02 + (k * ms) / 20_000,
        ms: ms / 25,
        attributes: { 'db.system.name': 'postgresql', 'db.query.text': queryText + k },
      })),
      {
        name: 'GET https://stock.example/levels',
        op: 'http.client',
        startS: 0.03,
        ms: ms * 0.15,
        attributes: {
          'url.full': 'https://stock.example/levels/7',
          'http.request.method': 'GET',
          'http.response.status_code': 200,
        },
      },
    ],
  }
}

/** Spans of web vitals, each with the element that caused it. */
const vitals = (isPoor: boolean): Made[] => [
  {
    name: 'Largest contentful paint',
    op: 'ui.webvital.lcp',
    startS: 0,
    ms: 0,
    attributes: {
      'browser.web_vital.lcp.value': isPoor ? 4800 : 1100,
      'browser.web_vital.lcp.element': isPoor ? 'body > main > img.hero' : 'body > h1',
      'browser.navigation.type': 'navigate',
    },
  },
  {
    name: 'Layout shift',
    op: 'ui.webvital.cls',
    startS: 0,
    ms: 0,
    attributes: {
      'browser.web_vital.cls.value': isPoor ? 0.31 : 0.02,
      'browser.web_vital.cls.source.1': 'div.banner',
    },
  },
  {
    name: 'Click',
    op: 'ui.interaction.click',
    startS: 0.2,
    ms: 40,
    attributes: { 'browser.web_vital.inp.value': isPoor ? 620 : 80, 'browser.web_vital.inp.target': 'button#buy' },
  },
]

/** A page load with its vitals, an asset, and a page that the router loads ahead. */
export function pageLoad(route: string, startS: number, ms: number, isPoor: boolean, rate = 1): Segment {
  return {
    name: route,
    op: 'pageload',
    route,
    release: 'shop@2.0.0',
    startS,
    ms,
    rate,
    attributes: {
      'url.path': route.replace('[id]', '7'),
      'url.template': route,
      'user_agent.original': isPoor ? phone : chrome,
      'browser.navigation.type': 'navigate',
      'browser.web_vital.ttfb.value': isPoor ? 900 : 120,
      'browser.web_vital.fcp.value': isPoor ? 3200 : 700,
    },
    children: [
      ...vitals(isPoor),
      {
        name: 'cdn.example',
        op: 'resource.script',
        startS: 0.02,
        ms: ms * 0.3,
        attributes: {
          'url.full': 'https://cdn.example/_next/static/chunks/main.js',
          'http.response.size': 318_546,
          'resource.render_blocking_status': 'blocking',
        },
      },
      {
        name: 'GET shop.example',
        op: 'http.client',
        startS: 0.3,
        ms: 30,
        attributes: {
          'url.full': 'https://shop.example/help?_rsc=1abc',
          'url.query': '_rsc=1abc',
          'http.request.method': 'GET',
          'http.request.prefetch': true,
          'http.response.status_code': 200,
        },
      },
    ],
  }
}

/** A navigation of the router. A broken one gets no data: the browser then loads the document. */
export function navigation(route: string, startS: number, ms: number, isBroken: boolean): Segment {
  return {
    name: route,
    op: 'navigation',
    route,
    release: 'shop@2.0.0',
    startS,
    ms,
    rate: 1,
    failed: isBroken,
    attributes: { 'url.path': route, 'url.template': route, 'navigation.type': 'router.push' },
    children: [
      {
        name: 'GET shop.example',
        op: 'http.client',
        startS: 0.01,
        ms: 40,
        failed: isBroken,
        attributes: {
          'url.full': `https://shop.example${route}?_rsc=2abc`,
          'url.query': '_rsc=2abc',
          'http.request.method': 'GET',
          'http.response.status_code': isBroken ? 503 : 200,
        },
      },
    ],
  }
}

/** A run of a queue consumer: it begins a trace of its own and has no request. */
export const job = (startS: number, ms: number, rate = 0.1): Segment => ({
  name: 'send_invoice',
  op: 'queue.process',
  route: 'send_invoice',
  release: 'shop@2.0.0',
  startS,
  ms,
  rate,
  attributes: { 'messaging.system': 'bullmq', 'messaging.destination.name': 'invoices' },
  children: [
    {
      name: 'INSERT invoices',
      op: 'db',
      startS: 0.01,
      ms: ms * 0.5,
      attributes: { 'db.system.name': 'postgresql', 'db.query.text': 'INSERT INTO invoices (id) VALUES (7)' },
    },
  ],
})

/** A page that the browser restored from its back/forward cache, as SDK 11 reports it. */
export const restored = (route: string, startS: number): Segment => ({
  name: 'Navigation',
  op: 'navigation',
  route,
  release: 'shop@2.0.0',
  startS,
  ms: 2,
  rate: 1,
  attributes: { 'url.path': route, 'url.template': route, 'browser.navigation.type': 'back-forward-cache' },
})

/** A navigation without a page load for which the browser reports vitals, as SDK 11 sends them. */
export const softNavigation = (route: string, startS: number): Segment => ({
  ...navigation(route, startS, 400, false),
  children: vitals(true).map((vital) => ({
    ...vital,
    attributes: { ...vital.attributes, 'browser.navigation.type': 'soft-navigation' },
  })),
})
