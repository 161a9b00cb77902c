import { describe, expect, test } from 'vitest'
import type { RestTraceComparison, RestTracePeers } from '../contract/explore/trace-compare.ts'
import type { RestTraceView } from '../contract/explore/trace-views.ts'
import type { RestTraceError, RestTraceMeta, RestTraceSpan } from '../contract/explore/traces.ts'
import { refineBody } from '../refine/pipeline/fixture.cases.ts'
import { encodeEventRow } from '../store/events/encode.ts'
import { encodeSpanRow } from '../store/events/traces/encode-span.ts'
import type { Project } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'

const { made, call, personAs } = appForFile()
const nowS = Math.floor(Date.now() / 1000)
const hex = (n: number, length = 32) => n.toString(16).padStart(length, 'c')
const traceId = hex(1)
const places = { jpos: 5000 }

/** Stores an item of an envelope in a project, like a batch. */
async function stored(
  project: Project,
  type: 'event' | 'transaction',
  payload: { event_id?: string; [key: string]: unknown },
): Promise<void> {
  const { app, organization } = made()
  const { meta } = app
  const [key] = await meta.projects.keysOf(project.id)
  const head = { projectId: project.id, organizationId: organization.id, keyId: key?.id ?? 0, receivedMs: Date.now() }
  const body = `${JSON.stringify({ event_id: payload.event_id ?? hex(places.jpos) })}\n{"type":"${type}"}\n${JSON.stringify(payload)}\n`
  const refined = refineBody(body, head)
  const jpos = places.jpos++
  const batch = await meta.batches.openBatch(jpos, jpos + 1)
  const rows = refined.spans.flatMap((span) => span.rows).map((row) => encodeSpanRow({ ...row, jpos }))
  if (rows.length > 0) await app.events.insert('spans', Buffer.from(rows.join('')), `traces:${jpos}`)
  const lines = refined.events.map((event) => encodeEventRow({ ...event.row, jpos })).join('')
  if (lines) await app.events.insert('events', Buffer.from(lines), `events:${jpos}`)
  const effects = refined.events.map((event) => ({ ...event.effect, jpos }))
  await meta.batches.commitBatch(batch, { events: effects, attachments: [], outcomes: [], dead: [] }, Date.now())
}

const transaction = (n: number, op: string, more: object = {}, spans: object[] = []) => ({
  type: 'transaction',
  transaction: `${op} ${n}`,
  start_timestamp: nowS - 10 + n,
  timestamp: nowS - 9 + n,
  contexts: { trace: { trace_id: traceId, span_id: hex(n, 16), op, status: 'ok', ...more } },
  spans,
})
const child = (n: number, parent: number, more: object = {}) => ({
  span_id: hex(n, 16),
  parent_span_id: hex(parent, 16),
  op: 'db',
  description: `query ${n}`,
  start_timestamp: nowS - 8,
  timestamp: nowS - 7.5,
  data: { 'db.system': 'postgresql' },
  ...more,
})
const error = (n: number, span: object = { span_id: hex(1, 16) }) => ({
  platform: 'node',
  timestamp: nowS - 8,
  fingerprint: [`trace ${n}`],
  contexts: { trace: { trace_id: traceId, ...span } },
  transaction: 'POST /buy',
  exception: { values: [{ type: 'StockError', value: `no stock ${n}` }] },
})
const metaOf = async (id = traceId, options = {}) =>
  (await call('GET', `/organizations/acme/trace-meta/${id}/`, options)).json as RestTraceMeta
const treeOf = async (id = traceId) =>
  (await call('GET', `/organizations/acme/trace/${id}/`)).json as (RestTraceSpan | RestTraceError)[]

describe('a trace over two projects', () => {
  test('nothing is stored: empty, and how long spans are kept', async () => {
    expect(await metaOf()).toMatchObject({ segments: [], events: [], span_count: 0, truncated: false, keptDays: 30 })
    expect(await treeOf()).toEqual([])
  })

  test('segments in the order of time, errors with their issues, spans by op', async () => {
    const { app, organization, project } = made()
    const api = await app.meta.projects.createProject({
      organizationId: organization.id,
      slug: 'api',
      name: 'Api',
      platform: 'node',
    })
    await app.meta.projects.createKey(api.id, 'Default')
    await stored(
      api,
      'transaction',
      transaction(2, 'http.server', { parent_span_id: hex(11, 16) }, [child(21, 2), child(22, 21)]),
    )
    await stored(project, 'transaction', transaction(1, 'pageload', { status: 'deadline_exceeded' }, [child(11, 1)]))
    await stored(api, 'event', error(1))
    const meta = await metaOf()
    expect(meta.segments).toMatchObject([
      {
        name: 'pageload 1',
        op: 'pageload',
        projectSlug: 'web',
        spans: 1,
        cut: 'deadline_exceeded',
        duration: 1000,
        parentSpanID: null,
      },
      { name: 'http.server 2', op: 'http.server', projectSlug: 'api', spans: 2, cut: null, parentSpanID: hex(11, 16) },
    ])
    expect(meta).toMatchObject({
      errors: 1,
      span_count: 5,
      segmentCount: 2,
      span_count_map: { db: 3, pageload: 1, 'http.server': 1 },
      events: [{ title: 'StockError: no stock 1', projectSlug: 'api', timestamp: nowS - 8 }],
    })
    expect(meta.events[0]?.shortId).toMatch(/^API-/)
  })

  test('the tree: each span under its parent, over projects; errors at their spans', async () => {
    type Shape = [string, Shape[]]
    const shape = (traceSpan: RestTraceSpan): Shape => [traceSpan.event_id.slice(-2), traceSpan.children.map(shape)]
    const nodes = await treeOf()
    const spans = nodes.filter((node) => node.event_type === 'span')
    expect(spans.map(shape)).toEqual([['c1', [['cb', [['c2', [['15', [['16', []]]]]]]]]]])
    expect(spans[0]).toMatchObject({ is_transaction: true, cut: 'deadline_exceeded', self_time: expect.any(Number) })
    expect(spans[0]?.children[0]).toMatchObject({
      additional_attributes: { 'db.system.name': 'postgresql' },
      duration: 500,
    })
    const withErrors = (traceSpan: RestTraceSpan): RestTraceSpan[] =>
      traceSpan.errors.length > 0 ? [traceSpan] : traceSpan.children.flatMap(withErrors)
    const [holder] = spans.flatMap(withErrors)
    expect([nodes.length, holder?.event_id]).toEqual([spans.length, hex(1, 16)])
    expect(holder?.errors).toMatchObject([
      {
        event_type: 'error',
        type: 'error',
        level: 'error',
        project_slug: 'api',
        title: 'StockError: no stock 1',
        message: 'StockError: no stock 1',
        culprit: expect.any(String),
        metadata: { type: 'StockError', value: 'no stock 1' },
        short_id: expect.stringMatching(/^API-/),
        issue_id: expect.any(Number),
        transaction: 'POST /buy',
        timestamp: nowS - 8,
        start_timestamp: nowS - 8,
        span_id: hex(1, 16),
      },
    ])
  })

  test('an error says what it is itself, not what its issue says', async () => {
    const { project } = made()
    const own = { trace_id: hex(31) }
    const say = (value: string) => ({
      ...error(31, own),
      exception: { values: [{ type: 'StockError', value }] },
    })
    await stored(project, 'event', { ...say('first'), event_id: hex(3101) })
    await stored(project, 'event', { ...say('second'), event_id: hex(3102), level: 'warning' })
    const errors = async () =>
      (await treeOf(hex(31))).flatMap((item) =>
        item.event_type === 'error' ? [[item.title, item.level, item.span_id]] : [],
      )
    expect((await errors()).sort()).toEqual([
      ['StockError: first', 'error', null],
      ['StockError: second', 'warning', null],
    ])
    expect((await metaOf(hex(31))).events.map((event) => event.title).sort()).toEqual([
      'StockError: first',
      'StockError: second',
    ])
  })

  test('of a trace of many days the segments that are nearest to a moment are listed', async () => {
    const { project } = made()
    const id = hex(900)
    for (let n = 0; n < 60; n++) {
      const at = nowS - (60 - n) * 3600
      await stored(project, 'transaction', {
        ...transaction(n, 'pageload'),
        start_timestamp: at,
        timestamp: at + 2,
        contexts: { trace: { trace_id: id, span_id: hex(2000 + n, 16), op: 'pageload' } },
      })
    }
    const namesAt = async (query: string) => {
      const { json } = await call('GET', `/organizations/acme/trace-meta/${id}/${query}`)
      const { segments, segmentCount } = json as RestTraceMeta
      return [segmentCount, segments.length, segments[0]?.name, segments.at(-1)?.name]
    }
    expect(await namesAt('')).toEqual([60, 50, 'pageload 0', 'pageload 49'])
    expect(await namesAt(`?timestamp=${nowS - 3599}`)).toEqual([60, 50, 'pageload 10', 'pageload 59'])
    expect((await call('GET', `/organizations/acme/trace-meta/${id}/?timestamp=yesterday`)).status).toBe(400)
  })

  test('an id with dashes and capitals is the same one; what is none is not there', async () => {
    const dashed = `${traceId.slice(0, 8)}-${traceId.slice(8, 12)}-${traceId.slice(12, 16)}-${traceId.slice(16, 20)}-${traceId.slice(20)}`
    expect((await metaOf(dashed.toUpperCase())).span_count).toBe(5)
    for (const id of ['x', '0'.repeat(32), "1' OR 1"])
      expect((await call('GET', `/organizations/acme/trace/${encodeURIComponent(id)}/`)).status).toBe(404)
  })

  test.each(['trace', 'trace-meta'])(
    '%s: not there for strangers, not without the scope, read by a viewer',
    async (part) => {
      const path = `/organizations/acme/${part}/${traceId}/`
      const stranger = await personAs(null)
      const viewer = await personAs('viewer')
      const unscoped = await personAs('viewer', ['org:read'], 'unscoped')
      expect(
        await Promise.all(
          [null, stranger.token, unscoped.token, viewer.token].map(
            async (token) => (await call('GET', path, { token })).status,
          ),
        ),
      ).toEqual([401, 404, 403, 200])
    },
  )

  test('another organization’s spans of the same trace are not shown', async () => {
    const { app } = made()
    const other = await app.meta.organizations.createOrganization({
      slug: 'other',
      name: 'Other',
      ownerUserId: 'nobody',
    })
    const foreign = await app.meta.projects.createProject({
      organizationId: other.id,
      slug: 'foreign',
      name: 'F',
      platform: 'node',
    })
    await app.meta.projects.createKey(foreign.id, 'Default')
    await stored(foreign, 'transaction', transaction(3, 'http.server'))
    await stored(foreign, 'event', error(2))
    expect([(await metaOf()).span_count, (await metaOf()).errors]).toEqual([5, 1])
  })

  test('parents in a circle and chains without end are each shown once', async () => {
    const { project } = made()
    const trace = { trace_id: hex(9) }
    const chain = Array.from({ length: 300 }, (_, n) => child(1000 + n, n === 0 ? 7 : 999 + n))
    const circle = [child(51, 52), child(52, 51)]
    await stored(project, 'transaction', transaction(7, 'pageload', trace, [...chain, ...circle]))
    const nodes = (await treeOf(hex(9))).filter((item) => item.event_type === 'span')
    const count = (traceSpan: RestTraceSpan): number =>
      1 + traceSpan.children.reduce((sum, below) => sum + count(below), 0)
    const depth = (traceSpan: RestTraceSpan): number => 1 + Math.max(0, ...traceSpan.children.map(depth))
    expect([nodes.reduce((sum, node) => sum + count(node), 0), Math.max(...nodes.map(depth))]).toEqual([303, 100])
  })

  test('an error is placed at its span, else at the one above it, else by its time alone', async () => {
    const { project } = made()
    const own = { trace_id: hex(6) }
    await stored(project, 'transaction', transaction(71, 'pageload', own, [child(72, 71)]))
    await stored(
      project,
      'transaction',
      transaction(73, 'http.server', { ...own, parent_span_id: hex(72, 16) }, [child(74, 73), child(75, 74)]),
    )
    const errors: [string, object, object | null][] = [
      ['deep', { span_id: hex(75, 16) }, { name: 'query 75', relation: 'span', segment: hex(73, 16) }],
      ['a segment', { span_id: hex(73, 16) }, { name: 'http.server 73', relation: 'span', segment: hex(73, 16) }],
      [
        'not stored, below one that is',
        { span_id: hex(99, 16), parent_span_id: hex(72, 16) },
        { name: 'query 72', relation: 'parent', segment: hex(71, 16) },
      ],
      ['not stored, nor what is above it', { span_id: hex(99, 16), parent_span_id: hex(98, 16) }, null],
      ['what is no id', { span_id: "' OR 1", parent_span_id: { a: 1 } }, null],
      ['none', {}, null],
    ]
    for (const [at, [, span]] of errors.entries()) await stored(project, 'event', error(50 + at, { ...own, ...span }))
    const { events } = await metaOf(hex(6))
    const found = events.map(({ title, span }) => [
      errors[Number(title.slice(-2)) - 50]?.[0],
      span && { name: span.name, relation: span.relation, segment: span.segment?.spanID },
    ])
    expect(new Map(found as [string, unknown][])).toEqual(new Map(errors.map(([name, , wanted]) => [name, wanted])))
  })

  test('a trace of more than a thousand spans is whole; over the limit it is cut, and it is said', async () => {
    const { project } = made()
    for (const n of [61, 62])
      await stored(
        project,
        'transaction',
        transaction(
          n,
          'pageload',
          { trace_id: hex(8) },
          Array.from({ length: 600 }, (_, at) => child(n * 1000 + at, n)),
        ),
      )
    const readTree = async (query: string) => {
      const answer = await call('GET', `/organizations/acme/trace/${hex(8)}/${query}`)
      const nodes = answer.json as RestTraceSpan[]
      return [answer.headers.get('x-truncated'), nodes.reduce((sum, node) => sum + 1 + node.children.length, 0)]
    }
    expect([await readTree(''), await readTree('?limit=7')]).toEqual([
      [null, 1202],
      ['7', 7],
    ])
    const meta = await metaOf(hex(8))
    expect([meta.truncated, meta.span_count, meta.span_count_map, meta.segmentCount]).toEqual([
      true,
      1202,
      { db: 1200, pageload: 2 },
      2,
    ])
    expect((await call('GET', `/organizations/acme/trace/${hex(8)}/?limit=0`)).status).toBe(400)
  })
})

describe('an event by its id, over the projects of an organization', () => {
  const find = (id: string, options = {}) => call('GET', `/organizations/acme/eventids/${id}/`, options)
  const event = (id: string, value: string) => ({ ...error(40), event_id: id, exception: { values: [{ value }] } })

  test('is found in whichever project has it', async () => {
    const { app, organization, project } = made()
    const late = await app.meta.projects.createProject({
      organizationId: organization.id,
      slug: 'late',
      name: 'L',
      platform: null,
    })
    await app.meta.projects.createKey(late.id, 'Default')
    await stored(late, 'event', event(hex(4001), 'in late'))
    await stored(project, 'event', event(hex(4002), 'in web'))
    for (const [id, slug] of [
      [hex(4001), 'late'],
      [hex(4002), 'web'],
      [hex(4001).toUpperCase(), 'late'],
    ] as const)
      expect((await find(id)).json).toMatchObject({
        organizationSlug: 'acme',
        projectSlug: slug,
        eventId: id.toLowerCase(),
        event: { title: expect.stringContaining(`in ${slug}`), projectID: expect.any(String) },
      })
    expect((await find(hex(4003))).status).toBe(404)
    expect((await find('nonsense')).status).toBe(404)
  })

  test('one id in two projects: the one that came last, and a header names both', async () => {
    const { app, organization, project } = made()
    const twin = await app.meta.projects.createProject({
      organizationId: organization.id,
      slug: 'twin',
      name: 'T',
      platform: null,
    })
    await app.meta.projects.createKey(twin.id, 'Default')
    await stored(project, 'event', event(hex(4010), 'came first'))
    await app.clock.sleep(2)
    await stored(twin, 'event', event(hex(4010), 'came last'))
    const answer = await find(hex(4010))
    expect(answer.json).toMatchObject({ projectSlug: 'twin' })
    expect(answer.headers.get('x-projects')).toBe('twin,web')
    expect((await find(hex(4001))).headers.get('x-projects')).toBeNull()
  })

  test('of another organization it is not there', async () => {
    const { app } = made()
    const far = await app.meta.organizations.createOrganization({ slug: 'far', name: 'Far', ownerUserId: 'nobody' })
    const foreign = await app.meta.projects.createProject({
      organizationId: far.id,
      slug: 'web',
      name: 'F',
      platform: null,
    })
    await app.meta.projects.createKey(foreign.id, 'Default')
    await stored(foreign, 'event', event(hex(4020), 'far away'))
    expect((await find(hex(4020))).status).toBe(404)
    expect((await find(hex(4001), { token: (await personAs(null)).token })).status).toBe(404)
  })
})

describe('a trace as the page reads it', () => {
  const id = hex(77)
  const viewOf = async (options = {}, query = '') =>
    (await call('GET', `/organizations/acme/trace-view/${id}/${query}`, options)).json as RestTraceView

  test('all spans in columns, errors at their spans, feedback at its error', async () => {
    const { app, project } = made()
    const linked = child(83, 82, { links: [{ trace_id: hex(78), span_id: hex(84, 16), sampled: true }] })
    await stored(project, 'transaction', transaction(81, 'pageload', { trace_id: id }, [child(82, 81), linked]))
    await stored(project, 'event', { ...error(81, { trace_id: id, span_id: hex(83, 16) }), event_id: hex(8101) })
    const view = await viewOf()
    expect(view).toMatchObject({
      traceID: id,
      spanCount: 3,
      isSampled: false,
      keptDays: 30,
      downsampled: null,
      eventsTruncated: false,
      findings: [],
      logs: [],
      logsTruncated: false,
      events: [{ title: 'StockError: no stock 81', type: 'StockError', span: 1, project: 0 }],
      feedback: [],
    })
    expect(view.spans.starts[0]).toBe(0)
    expect(new Set(view.spans.ids)).toEqual(new Set([81, 82, 83].map((n) => hex(n, 16))))
    expect(view.events[0]?.span).toBe(view.spans.ids.indexOf(hex(83, 16)))
    expect(view.projects.reduce((sum, item) => sum + item.spans, 0)).toBe(3)
    expect((await viewOf({}, '?limit=2')).isSampled).toBe(true)
    expect((await call('GET', `/organizations/acme/trace-view/${id}/?limit=999999`)).status).toBe(400)
    expect(app.config.retentionSpansDays).toBe(view.keptDays)
  })

  test('an unknown trace is empty, and a stranger finds nothing', async () => {
    const unknown = await call('GET', `/organizations/acme/trace-view/${hex(78)}/`)
    expect(unknown.json).toMatchObject({ spanCount: 0, projects: [], events: [] })
    const stranger = await personAs(null)
    for (const path of ['trace-view/ID/', 'trace/ID/otlp/', 'trace/ID/markdown/', 'trace/ID/matches/?key=a&value=b'])
      expect(
        (await call('GET', `/organizations/acme/${path.replace('ID', id)}`, { token: stranger.token })).status,
      ).toBe(404)
  })

  test('two traces side by side, and traces of the same route', async () => {
    const { project } = made()
    const [first, second, other] = [hex(301), hex(302), hex(303)]
    const parts = (n: number, trace: string, queries: number) =>
      stored(project, 'transaction', {
        ...transaction(
          n,
          'http.server',
          { trace_id: trace, data: { 'user.email': 'ada@example.com', 'user.id': '7' } },
          Array.from({ length: queries }, (_, at) => child(n * 100 + at, n)),
        ),
        transaction: 'GET /compared',
        start_timestamp: nowS - 100 + n / 100,
        timestamp: nowS - 90 + n / 100,
      })
    await parts(310, first, 2)
    await parts(320, second, 38)
    await parts(330, other, 1)
    const path = `/organizations/acme/trace/${first}`
    const { a, b, rows, largest } = (await call('GET', `${path}/compare/${second}/`)).json as RestTraceComparison
    expect([a.traceID, b.traceID, a.spans, b.spans, a.name]).toEqual([first, second, 3, 39, 'GET /compared'])
    expect(rows.map((row) => [row.op, row.parent, row.a?.count, row.b?.count])).toEqual([
      ['http.server', -1, 1, 1],
      ['db', 0, 2, 38],
    ])
    expect(largest[0]).toBe(1)
    const text = (await call('GET', `${path}/markdown/?compare=${second}`)).text
    expect(text).toContain('db query 31000 [web] (A 2 x 1.00 s, B 38 x 19.0 s, +18.0 s)')
    const facts = { route: { op: 'http.server' }, samples: 3, user: 'ada@example.com' }
    expect((await call('GET', `${path}/facts/`)).json).toMatchObject(facts)
    const peers = (await call('GET', `${path}/peers/`)).json as RestTracePeers
    expect(peers).toMatchObject({
      route: { project: String(project.id), op: 'http.server', route: '/compared' },
      slowest: { traceId: expect.stringMatching(`${second}|${other}`), duration: 10_000 },
      typical: { traceId: other },
      previous: null,
    })
    const last = (await call('GET', `/organizations/acme/trace/${other}/peers/`)).json as RestTracePeers
    expect(last.previous?.traceId).toBe(second)
    expect((await call('GET', `/organizations/acme/trace/${hex(399)}/peers/`)).json).toMatchObject({ route: null })
    const stranger = await personAs(null)
    for (const end of ['peers/', 'facts/', `compare/${second}/`])
      expect((await call('GET', `${path}/${end}`, { token: stranger.token })).status).toBe(404)
  })

  test('one span with its attributes; one of another trace, or none, is not there', async () => {
    const path = (span: string, trace = id) => `/organizations/acme/trace-items/${span}/?traceId=${trace}`
    expect((await call('GET', path(hex(82, 16)))).json).toMatchObject({
      itemId: hex(82, 16),
      traceId: id,
      projectSlug: 'web',
      description: 'query 82',
      attributes: expect.arrayContaining([
        { name: 'span.op', type: 'str', value: 'db' },
        { name: 'db.system.name', type: 'str', value: 'postgresql' },
        { name: 'span.duration', type: 'int', value: 500 },
      ]),
    })
    expect((await call('GET', path(hex(82, 16), hex(78)))).status).toBe(404)
    expect((await call('GET', path('nonsense'))).status).toBe(404)
    expect((await call('GET', `/organizations/acme/trace-items/${hex(82, 16)}/`)).status).toBe(400)
  })

  test('matches of an attribute, Markdown and OTLP', async () => {
    const matches = await call('GET', `/organizations/acme/trace/${id}/matches/?key=db.system.name&value=postgresql`)
    expect((matches.json as { spanIds: string[] }).spanIds.sort()).toEqual([82, 83].map((n) => hex(n, 16)))
    const text = await call('GET', `/organizations/acme/trace/${id}/markdown/`)
    expect(text.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(text.text).toContain('db query 82 (at')
    expect(text.text).toContain(`db query 83 -> span ${hex(84, 16)} of trace ${hex(78)}`)
    const otlp = await call('GET', `/organizations/acme/trace/${id}/otlp/`)
    expect(otlp.headers.get('content-disposition')).toContain(`trace-${id}.otlp.json`)
    expect(otlp.text).toContain('"startTimeUnixNano"')
  })
})
