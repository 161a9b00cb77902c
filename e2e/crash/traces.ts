// Traces of every format that is accepted, for traffic during failures, and what must be stored of them.
import { api, ingest, type Product, type Project } from '../product.ts'

/** A span of a server and five queries below it. */
const spansMax = 6
const hex = (n: number) => `${n}`.padStart(16, '0')
const queries = [1, 2, 3, 4, 5]

/** A transaction with its spans. */
function transactionOf(id: string): Buffer {
  const at = Date.now() / 1000
  const spans = queries.map((n) => ({
    span_id: hex(n),
    parent_span_id: id.slice(16),
    op: 'db',
    description: `query ${n}`,
    start_timestamp: at - 0.5,
    timestamp: at,
  }))
  const trace = { trace_id: id, span_id: id.slice(16), op: 'http.server' }
  const payload = { type: 'transaction', transaction: 'GET /', start_timestamp: at - 1, timestamp: at, spans }
  const body = JSON.stringify({ ...payload, contexts: { trace } })
  return Buffer.from(`{"event_id":"${id}"}\n{"type":"transaction"}\n${body}\n`)
}

/** A container of streamed spans, as SDK 11 sends it. */
function containerOf(id: string): Buffer {
  const at = Date.now() / 1000
  const text = (value: string) => ({ value, type: 'string' })
  const items = [0, ...queries].map((n) => ({
    trace_id: id,
    span_id: n === 0 ? id.slice(16) : hex(n),
    ...(n === 0 ? {} : { parent_span_id: id.slice(16) }),
    name: n === 0 ? 'GET /streamed' : `query ${n}`,
    status: 'ok',
    is_segment: n === 0,
    start_timestamp: at - 1,
    end_timestamp: at,
    attributes: {
      'sentry.op': text(n === 0 ? 'http.server' : 'db'),
      'sentry.segment.id': text(id.slice(16)),
      ...(n === 0 ? { 'http.route': text('/streamed') } : {}),
    },
  }))
  const head = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
  return Buffer.from(`{}\n${JSON.stringify(head)}\n${JSON.stringify({ version: 2, items })}\n`)
}

/** An export of OpenTelemetry. */
function exportOf(id: string): string {
  const ns = BigInt(Date.now()) * 1_000_000n
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } })
  const spans = [0, ...queries].map((n) => ({
    traceId: id,
    spanId: n === 0 ? id.slice(16) : hex(n),
    ...(n === 0 ? {} : { parentSpanId: id.slice(16) }),
    name: n === 0 ? 'GET /otlp' : `query ${n}`,
    kind: n === 0 ? 2 : 3,
    startTimeUnixNano: String(ns - 1_000_000_000n),
    endTimeUnixNano: String(ns),
    attributes: n === 0 ? [text('http.route', '/otlp'), text('http.request.method', 'GET')] : [text('db.system', 'pg')],
  }))
  const resource = { attributes: [text('service.name', 'crash')] }
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })
}

/** The transaction again beside a session, so that the record is not one of bulk data only: it takes the other lane. */
function mixedOf(id: string): Buffer {
  const now = new Date().toISOString()
  const attrs = { release: 'crash@1', environment: 'production' }
  const session = { sid: id, did: id, init: true, started: now, timestamp: now, status: 'ok', errors: 0, attrs }
  return Buffer.concat([transactionOf(id), Buffer.from(`{"type":"session"}\n${JSON.stringify(session)}\n`)])
}

/** Sends a transaction in both lanes of the journal at once. It must be stored once. Resolves with the better answer. */
async function sendTwice(product: { url: string }, project: Project, id: string): Promise<Response> {
  const sent = [transactionOf(id), mixedOf(id)].map((body) => ingest(product, project, body))
  const answers = (await Promise.allSettled(sent)).flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  const answer = answers.find(({ status }) => status === 200) ?? answers[0]
  for (const other of answers) if (other !== answer) await other.arrayBuffer()
  if (!answer) throw new Error('no answer')
  return answer
}

/** Sends a trace: by turns as a transaction (in both lanes), as streamed spans, and over OTLP. */
export function sendTrace(product: { url: string }, project: Project, id: string, n: number): Promise<Response> {
  if (n % 3 === 0) return sendTwice(product, project, id)
  if (n % 3 === 1) return ingest(product, project, containerOf(id))
  const options = { path: 'integration/otlp/v1/traces', headers: { 'content-type': 'application/json' } }
  return ingest(product, project, exportOf(id), options)
}

/** Checks that these acknowledged traces have all their spans, each once. */
export async function traceFaults(product: Product, project: Project, traceIds: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const id of traceIds) {
    const { json } = await api(product, project, `/organizations/${project.org}/trace-meta/${id}/`)
    const { span_count: spans } = json as { span_count: number }
    if (spans !== spansMax) faults.push(`the trace ${id} has ${spans} spans instead of ${spansMax}`)
  }
  return faults
}

type RouteRows = { rows: { route: string; samples: number }[] }
type SpanRows = { data: Record<string, string | number>[] }

/** Compares the rollup of spans, which the performance pages read, with the segments that are stored. */
export async function rollupFaults(product: Product, project: Project, acknowledged: number): Promise<string[]> {
  const at = `/organizations/${project.org}`
  const rolled = (await api(product, project, `${at}/performance/?statsPeriod=24h&sort=volume`)).json as RouteRows
  const query = 'dataset=spans&field=route&field=count_sample()&query=is_transaction:true&statsPeriod=24h'
  const stored = (await api(product, project, `${at}/events/?${query}`)).json as SpanRows
  const byRoute = (rows: readonly (readonly [unknown, unknown])[]) =>
    rows.map(([route, count]) => `${String(route)}: ${String(count)}`).sort()
  const sums = byRoute(rolled.rows.map(({ route, samples }) => [route, samples]))
  const rows = byRoute(stored.data.map((row) => [row['route'], row['count_sample()']]))
  const total = stored.data.reduce((sum, row) => sum + Number(row['count_sample()']), 0)
  return [
    ...(sums.join() === rows.join() ? [] : [`the rollup of spans says ${sums.join()}, stored are ${rows.join()}`]),
    ...(total >= acknowledged ? [] : [`${acknowledged} traces were acknowledged, ${total} are stored`]),
  ]
}
