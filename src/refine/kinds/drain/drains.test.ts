import { describe, expect, test } from 'vitest'
import { noFilters } from '../../../domain/filters.ts'
import { drainLinesMax } from '../../../wire/drains.ts'
import { recordedMs, refineBody } from '../../pipeline/fixture.cases.ts'

type Refined = ReturnType<typeof refineBody>
const vercel = (body: string, contentType = 'application/json') =>
  refineBody(body, { kind: 'vercel_logs', contentType })
const frame = (text: string) => `${Buffer.byteLength(text)} ${text}`
const heroku = (...frames: string[]) =>
  refineBody(frames.map(frame).join(''), { kind: 'heroku_logs', contentType: 'application/logplex-1' })
const rowsOf = ({ logs }: Refined) => logs.flatMap(({ rows }) => rows)
const endsOf = ({ outcomes, logs }: Refined) =>
  [...logs.flatMap((group) => group.outcomes), ...outcomes].map(
    (end) => `${end.itemType} ${end.category} ${end.outcome} ${end.reason} ${end.quantity}`,
  )

const atMs = recordedMs - 5000
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const lambda = {
  id: '1573817187330377061717300000',
  deploymentId: 'dpl_233NRGRjVZX1caZrXWtz5g1TAksD',
  source: 'lambda',
  host: 'my-app.vercel.app',
  timestamp: atMs,
  projectId: 'gdufoJxB6b9b1fEqr1jUtFkyavUU',
  projectName: 'my-app',
  level: 'error',
  message: 'API request failed: token=PLANTED',
  type: 'stderr',
  entrypoint: 'api/index.js',
  path: '/api/users',
  statusCode: 500,
  environment: 'production',
  'trace.id': traceId,
  'span.id': 'f24e8631bd11faa7',
  proxy: {
    timestamp: atMs - 10,
    method: 'GET',
    host: 'my-app.vercel.app',
    path: '/api/users?page=1',
    userAgent: ['Mozilla/5.0'],
    clientIp: '120.75.16.101',
    statusCode: 500,
  },
}

/** A request as a drain reports it, and its end. */
type Visit = { address?: string; host?: string; agent?: string }
const vercelBody = (visits: readonly Visit[]) =>
  JSON.stringify(
    visits.map(({ address = '198.51.100.1', host = 'shop.test', agent = 'Mozilla/5.0' }, at) => ({
      ...lambda,
      message: `line ${at}`,
      proxy: { ...lambda.proxy, clientIp: address, host, userAgent: [agent] },
    })),
  )
const herokuBody = (visits: readonly Visit[]) =>
  visits
    .map(({ address = '198.51.100.1', host = 'shop.test' }) =>
      frame(
        `<158>1 2026-11-21T09:39:58Z host heroku router - at=info host=${host} path="/" fwd="${address}" status=200`,
      ),
    )
    .join('')

describe('the project filters lines', () => {
  const drains = [
    ['vercel_logs', vercelBody],
    ['heroku_logs', herokuBody],
  ] as const
  const filters = { ...noFilters, addresses: ['203.0.114.0/24'], localhost: true, crawlers: true }
  const listed: Visit = { address: '203.0.114.9' }

  test.each(drains)('%s: each by its own visitor, and the others keep their places', (kind, bodyOf) => {
    const all = refineBody(bodyOf([listed, {}, { host: 'localhost' }, {}, listed]), { kind }, { filters })
    expect(rowsOf(all).map(({ place }) => place)).toEqual([1, 3])
    expect(all.logs.map(({ place, places }) => [place, places])).toEqual([[1, [1, 3]]])
    expect(endsOf(all).toSorted()).toEqual([
      `${kind} log_item filtered ip_address 2`,
      `${kind} log_item filtered localhost 1`,
      `${kind} log_item stored ok 2`,
    ])
    expect(all.received).toBe(5)
  })
  test.each(drains)('%s: all lines, and none where the filters are off', (kind, bodyOf) => {
    const body = bodyOf([listed, listed])
    const dropped = refineBody(body, { kind }, { filters })
    expect([dropped.logs, endsOf(dropped)]).toEqual([[], [`${kind} log_item filtered ip_address 2`]])
    const kept = refineBody(body, { kind }, { filters: noFilters })
    expect(kept.logs.map(({ place, places }) => [place, places])).toEqual([[0, undefined]])
  })
  test('by the user agent of the request', () => {
    const all = refineBody(vercelBody([{ agent: 'Googlebot/2.1' }, {}]), { kind: 'vercel_logs' }, { filters })
    expect(endsOf(all)).toContain('vercel_logs log_item filtered web_crawler 1')
  })
  test('by an address that a row has no room for', () => {
    const fields = Array.from({ length: 38 }, (_, at) => `k_${'x'.repeat(at + 1)}=${'y'.repeat(120)}`)
    const text = `at=info ${fields.join(' ')} fwd="203.0.114.9"`
    const body = frame(`<158>1 2026-11-21T09:39:58Z host heroku router - ${text}`)
    expect(rowsOf(refineBody(body, { kind: 'heroku_logs' }))[0]?.attributes).not.toHaveProperty(['client.address'])
    expect(endsOf(refineBody(body, { kind: 'heroku_logs' }, { filters }))).toEqual([
      'heroku_logs log_item filtered ip_address 1',
    ])
  })
  test('a filter of later does not take out lines of a body that was stored, and they are found again', () => {
    const body = vercelBody([listed, {}, listed, {}])
    const again = refineBody(
      body,
      { kind: 'vercel_logs' },
      { filters },
      undefined,
      new Map([[1000, new Set([0, 1, 2, 3])]]),
    )
    expect(again.logs.map(({ place, places }) => [place, places])).toEqual([[0, [0, 1, 2, 3]]])
  })
  test('groups of a large body keep their numbers and keys', () => {
    const visits = Array.from({ length: 2500 }, (_, at): Visit => (at < 1000 || at % 2 === 0 ? listed : {}))
    const all = refineBody(vercelBody(visits), { kind: 'vercel_logs' }, { filters })
    const whole = refineBody(vercelBody(visits), { kind: 'vercel_logs' })
    expect(all.logs.map(({ index, place, key, rows }) => [index, place, key, rows.length])).toEqual([
      [1, 1001, whole.logs[1]?.key, 500],
      [2, 2001, whole.logs[2]?.key, 250],
    ])
    expect(endsOf(all)).toContain('vercel_logs log_item filtered ip_address 1750')
  })
})

describe('vercel', () => {
  test('a line of a function', () => {
    const [row] = rowsOf(vercel(JSON.stringify([lambda])))
    expect(row).toMatchObject({
      timeUs: atMs * 1000,
      traceId,
      spanId: 'f24e8631bd11faa7',
      level: 'error',
      body: 'API request failed: token=[Filtered]',
      service: 'my-app',
      host: 'my-app.vercel.app',
      logger: 'lambda',
      environment: 'production',
      origin: 'vercel',
      repaired: 0,
      attributes: {
        'vercel.deployment_id': 'dpl_233NRGRjVZX1caZrXWtz5g1TAksD',
        'vercel.source': 'lambda',
        'http.request.method': 'GET',
        'http.response.status_code': 500,
        'url.path': '/api/users?page=1',
        'client.address': '120.75.16.101',
        'user_agent.original': 'Mozilla/5.0',
      },
    })
    expect(row?.userHash).not.toBe('')
  })
  test.each<[string, object, object]>([
    [
      'a request without a message',
      { message: undefined, level: undefined },
      { body: 'GET /api/users?page=1 500', level: 'error' },
    ],
    ['an output', { level: undefined, type: 'stdout', statusCode: 200, proxy: undefined }, { level: 'info' }],
    ['an unknown level', { level: 'loud' }, { level: 'info', repaired: 1 }],
    ['no time', { timestamp: undefined, proxy: undefined }, { timeUs: recordedMs * 1000, repaired: 1 }],
    ['a message that is an object', { message: { a: [1] } }, { body: '{"a":[1]}' }],
  ])('%s', (_name, changes, expected) => {
    expect(rowsOf(vercel(JSON.stringify([{ ...lambda, ...changes }])))).toMatchObject([expected])
  })
  test.each<[string, string, string, string[]]>([
    [
      'text lines',
      `${JSON.stringify(lambda)}\n\n{\n7\n`,
      'application/x-ndjson',
      ['stored ok 1', 'invalid bad_json 1', 'invalid bad_item 1'],
    ],
    ['a list', JSON.stringify([lambda, null, lambda]), 'application/json', ['stored ok 2', 'invalid bad_item 1']],
    ['one object', JSON.stringify(lambda), 'application/json', ['stored ok 1']],
    ['no JSON', 'x', 'application/json', ['invalid bad_json 1']],
    ['nothing', '[]', 'application/json', ['invalid bad_item 1']],
  ])('each entry has an outcome: %s', (_name, body, type, expected) => {
    const all = vercel(body, type)
    expect(endsOf(all)).toEqual(expected.map((end) => `vercel_logs log_item ${end}`))
    expect(all.received).toBe(expected.reduce((sum, end) => sum + Number(end.at(-1)), 0))
  })
  test('lines over the limit of a body are counted and not read', () => {
    const lines = Array.from({ length: drainLinesMax + 500_000 }, () => 'x')
    const all = vercel(lines.join('\n'), 'application/x-ndjson')
    expect(endsOf(all)).toEqual([
      `vercel_logs log_item invalid bad_json ${drainLinesMax}`,
      'vercel_logs log_item invalid too_many_items 500000',
    ])
    expect(all.received).toBe(lines.length)
  })
  test('a name that is a prototype is a name', () => {
    const [row] = rowsOf(vercel('[{"message":"x","__proto__":{"a":1},"constructor":"c","toString":"t"}]'))
    expect(row?.attributes).toEqual({ 'vercel.constructor': 'c', 'vercel.to_string': 't' })
  })
})

describe('heroku', () => {
  const time = '2026-11-21T09:39:58.123456+00:00'
  test('lines of an application and of the platform', () => {
    const rows = rowsOf(
      heroku(
        `<190>1 ${time} host app web.1 - listening on 3000\n`,
        `<45>1 ${time} host heroku web.1 - State changed from starting to up\n`,
        `<131>1 ${time} host app worker.2 - [GIN] it failed\n`,
      ),
    )
    const timeUs = Date.UTC(2026, 10, 21, 9, 39, 58) * 1000 + 123_456
    expect(rows).toMatchObject([
      { timeUs, body: 'listening on 3000', level: 'info', logger: 'web.1', host: '', origin: 'heroku', repaired: 0 },
      { timeUs, body: 'State changed from starting to up', severity: 10, attributes: { 'heroku.source': 'heroku' } },
      { body: '[GIN] it failed', level: 'error', attributes: { 'heroku.process': 'worker.2' } },
    ])
  })
  test('a line of the router has its fields', () => {
    const text =
      'at=error code=H12 desc="Request timeout" method=GET path="/cart?token=PLANTED" host=a.herokuapp.com fwd="198.51.100.7, 10.0.0.1" dyno=web.1 connect=0ms service=30000ms status=503 bytes=0 protocol=https'
    const [row] = rowsOf(heroku(`<158>1 ${time} host heroku router - ${text}`))
    expect(row).toMatchObject({
      level: 'error',
      host: 'a.herokuapp.com',
      logger: 'router',
      attributes: {
        'heroku.code': 'H12',
        'heroku.desc': 'Request timeout',
        'http.request.method': 'GET',
        'http.response.status_code': 503,
        'heroku.service': 30_000,
        'client.address': '198.51.100.7',
      },
    })
    expect(JSON.stringify(row)).not.toContain('PLANTED')
  })
  test.each([
    ['an empty message', `<190>1 ${time} host app web.1 -`, { body: '', repaired: 0 }],
    ['no head', 'just a text', { body: 'just a text', repaired: 2 }],
    ['a broken priority', `<x>1 ${time} host app web.1 - hi`, { repaired: 2 }],
    ['a broken time', '<190>1 yesterday host app web.1 - hi', { body: 'hi', repaired: 1 }],
    ['letters of several bytes', `<190>1 ${time} host app web.1 - größer 😀`, { body: 'größer 😀' }],
  ])('%s', (_name, text, expected) => expect(rowsOf(heroku(text))).toMatchObject([expected]))
  test.each<[string, string, string[]]>([
    ['a count that is too large', `${frame('<190>1 a b c d - x')}99 <190>`, ['stored ok 1', 'invalid bad_item 1']],
    ['no count', 'hello', ['invalid bad_item 1']],
    ['a count of nothing', '0 5 hello', ['invalid bad_item 1']],
    ['breaks between frames', `\n${frame('<190>1 a b c d - x')}\n${frame('<190>1 a b c d - y')}\n`, ['stored ok 2']],
  ])('each frame has an outcome: %s', (_name, body, expected) => {
    const all = refineBody(body, { kind: 'heroku_logs', contentType: 'application/logplex-1' })
    expect(endsOf(all)).toEqual(expected.map((end) => `heroku_logs log_item ${end}`))
    expect(all.received).toBe(expected.reduce((sum, end) => sum + Number(end.at(-1)), 0))
  })
})
