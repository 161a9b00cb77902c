import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import type { RestTraceError, RestTraceSpan } from '../../src/contract/explore/traces.ts'
import type { RestRequestLog } from '../../src/contract/request-log.ts'
import type { RestLedger } from '../../src/contract/status.ts'
import { api, bootstrap, type Project, until } from '../product.ts'
import { execute, preparePython, python } from './otlp/python.ts'

// The official SDKs of OpenTelemetry for Node and Python send one trace over OTLP. It must look like that of any SDK.

const product = inject('product')
type Client = {
  name: string
  format: 'json' | 'protobuf'
  compression: 'none' | 'gzip'
  platform: string
  run: (env: Record<string, string>) => Promise<string>
}
const node = (env: Record<string, string>) => execute(process.execPath, ['send.js'], env)
const sendPy = (env: Record<string, string>) => python('send.py', env)
const clients: Client[] = [
  { name: 'node-proto', format: 'protobuf', compression: 'none', platform: 'node', run: node },
  { name: 'node-proto-gzip', format: 'protobuf', compression: 'gzip', platform: 'node', run: node },
  { name: 'node-http', format: 'json', compression: 'none', platform: 'node', run: node },
  { name: 'node-http-gzip', format: 'json', compression: 'gzip', platform: 'node', run: node },
  { name: 'python-proto', format: 'protobuf', compression: 'none', platform: 'python', run: sendPy },
  { name: 'python-proto-gzip', format: 'protobuf', compression: 'gzip', platform: 'python', run: sendPy },
]

const O = '/organizations/otlp'
type Key = { dsn: { otlp_traces: string } }

/** Checks the trace as the REST API shows it. */
async function expectTrace(project: Project, traceId: string): Promise<void> {
  const trace = await until('the trace', 20_000, async () => {
    const found = (await api(product, project, `${O}/trace/${traceId}/`)).json as (RestTraceSpan | RestTraceError)[]
    return found.length > 0 && found
  })
  expect(trace).toMatchObject([
    {
      event_type: 'span',
      is_transaction: true,
      name: 'POST /quote',
      transaction: 'POST /quote',
      op: 'http.server',
      status: 'error',
      kind: 'server',
      release: '2.3.4',
      environment: 'production',
      repaired: 0,
      additional_attributes: {
        'service.name': 'billing',
        'http.route': '/quote',
        'cart.items': 3,
        'otel.scope.name': 'shop',
        'otel.status_description': 'no rate',
      },
      // The Python SDK does not say whether a linked span was sampled.
      links: [{ trace_id: traceId, span_id: 'b7ad6b7169203332', sampled: expect.any(Boolean) }],
      events: [{ name: 'exception', attributes: { 'exception.message': 'no rate for this country' } }],
      children: [
        {
          is_transaction: false,
          name: 'SELECT quotes',
          transaction: 'POST /quote',
          op: 'db',
          kind: 'client',
          status: 'unset',
          release: '2.3.4',
          additional_attributes: { 'db.query.text': 'SELECT * FROM quotes', 'service.name': 'billing' },
        },
      ],
    },
  ])
}

test.for(clients)('$name: a trace over OTLP is stored, shown and counted', async (client, { skip }) => {
  const reason = client.run === sendPy ? await preparePython() : undefined
  if (reason !== undefined) console.error(`${client.name} is skipped: ${reason}`)
  skip(reason !== undefined, reason)

  const project = bootstrap(product, 'otlp', client.name)
  const keys = (await api(product, project, `/projects/otlp/${project.slug}/keys/`)).json as Key[]
  const traceId = randomBytes(16).toString('hex')
  await client.run({
    OTLP_URL: keys[0]?.dsn.otlp_traces ?? '',
    OTLP_KEY: project.key,
    OTLP_FORMAT: client.format,
    OTLP_COMPRESSION: client.compression,
    TRACE_ID: traceId,
  })
  await expectTrace(project, traceId)
  const meta = (await api(product, project, `${O}/trace-meta/${traceId}/`)).json
  expect(meta).toMatchObject({
    span_count: 2,
    segments: [{ name: 'POST /quote', platform: client.platform, spans: 1 }],
  })
  // The rows are inserted before the batch is committed, so the trace can be read a moment before it is counted.
  const rows = await until('the ledger', 20_000, async () => {
    const ledger = (await api(product, project, `${O}/ledger/?range=1h&project=${project.id}`)).json as RestLedger
    return ledger.rows.length > 0 && ledger.rows
  })
  expect(rows.map(({ category, outcome, quantity }) => [category, outcome, quantity])).toEqual([['span', 'stored', 2]])
  // An exception of a span is no error event.
  expect((await api(product, project, `${O}/issues/?query=&project=${project.id}`)).json).toEqual([])
  // Ingest reports its requests twice a second.
  const [request, ...others] = await until('the request log', 20_000, async () => {
    const log = await api(product, project, `/projects/otlp/${project.slug}/ingest/`)
    const { requests } = log.json as RestRequestLog
    return requests[0]?.items[0]?.outcome === 'stored' && requests
  })
  expect(others).toEqual([])
  expect(request).toMatchObject({
    route: 'otlp',
    status: 200,
    code: 'OK',
    items: [{ type: 'otlp', outcome: 'stored' }],
  })
})

test('a partial success and a refusal are answered and counted', async () => {
  const project = bootstrap(product, 'otlp', 'refused')
  const send = (headers: Record<string, string>, body: string) =>
    fetch(`${product.url}/api/${project.id}/otlp/v1/traces?sentry_key=${project.key}`, {
      method: 'POST',
      headers,
      body,
    })
  const bad = { resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 'x', spanId: 'y' }] }] }] }
  const partial = await send({ 'content-type': 'application/json' }, JSON.stringify(bad))
  expect([partial.status, await partial.json()]).toMatchObject([200, { partialSuccess: { rejectedSpans: '1' } }])
  const refused = await send({ 'content-type': 'text/plain' }, 'x')
  expect([refused.status, await refused.json()]).toMatchObject([415, { code: 3 }])
  await until('the invalid span', 20_000, async () => {
    const { rows } = (await api(product, project, `${O}/ledger/?range=1h&project=${project.id}`)).json as RestLedger
    const counts = rows
      .filter((row) => row.outcome === 'invalid')
      .map((row) => [row.category, row.reason, row.quantity])
    return counts.length === 2 && counts.every(([category, , quantity]) => category === 'span' && quantity === 1)
  })
  expect((await api(product, project, `${O}/issues/?query=&project=${project.id}`)).json).toEqual([])
})
