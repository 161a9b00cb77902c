import { beforeAll, describe, expect, test } from 'vitest'
import type { RestDatasetTable, RestOutcomeStats, RestTraceLogs } from '../contract/explore/dataset-search.ts'
import type { PlanAnswer } from '../contract/explore/explore.ts'
import type { LogRow } from '../store/events/log-store.ts'
import { encodeLogRow } from '../store/events/logs/encode.ts'
import { appForFile } from './app.cases.ts'

const { made, call } = appForFile()
const nowMs = Date.now() - 60_000
const trace = 'e'.repeat(32)

/** 100 log lines: every tenth is a refused payment with JSON behind its words. */
function lineOf(projectId: number, n: number): LogRow {
  const isRefused = n % 10 === 0
  const json = JSON.stringify({ order: { id: n, items: [{ sku: `A${n}` }, { sku: 'Z' }] } })
  return {
    projectId,
    timeUs: (nowMs - n * 1000) * 1000,
    traceId: n < 5 ? trace : n.toString(16).padStart(32, 'f'),
    spanId: (n + 1).toString(16).padStart(16, '0'),
    severity: isRefused ? 17 : 9,
    level: isRefused ? 'error' : 'info',
    body: isRefused ? `Payment of order ${n} refused ${json}` : `cart ${n} loaded`,
    template: '',
    pattern: '',
    service: 'shop',
    host: `db-${n % 3}`,
    logger: '',
    environment: 'production',
    release: 'shop@1',
    platform: 'node',
    origin: '',
    userHash: '',
    attributes: { latency: n, plan: n % 2 ? 'pro' : 'free' },
    repaired: 0,
    truncated: false,
    weight: 1,
    receivedMs: nowMs,
    jpos: 66_000,
    place: n,
  }
}

beforeAll(async () => {
  const { app, project, store } = made()
  const lines = Array.from({ length: 100 }, (_, n) => encodeLogRow(lineOf(project.id, n)))
  await app.events.insert('logs', Buffer.from(lines.join('')), 'logs:datasets')
  await store([
    { message: 'cart is empty', level: 'warning', tags: { plan: 'pro' }, user: { id: '1' } },
    { message: 'cart is full', level: 'error', tags: { plan: 'pro' }, user: { id: '2' } },
    { exception: { values: [{ type: 'TypeError', value: 'x is undefined' }] }, level: 'error', tags: { plan: 'free' } },
  ])
  const outcome = { projectId: project.id, keyId: 1, itemType: 'log', bytes: 100 } as const
  const counted = { ...outcome, category: 'log_item', outcome: 'stored', reason: 'ok', quantity: 500 } as const
  const filtered = { ...outcome, category: 'log_item', outcome: 'filtered', reason: 'localhost', quantity: 25 } as const
  await app.meta.ledger.addOutcomes([counted, filtered, { ...counted, outcome: 'received', quantity: 525 }], nowMs)
})

const get = async (path: string, words: Record<string, string | string[]>) => {
  const search = new URLSearchParams()
  const all: Record<string, string | string[]> = { statsPeriod: '24h', project: '-1', ...words }
  for (const [name, values] of Object.entries(all)) for (const value of [values].flat()) search.append(name, value)
  return call('GET', `/organizations/acme/${path}/?${search}`)
}
const table = async (words: Record<string, string | string[]>): Promise<RestDatasetTable> =>
  (await get('events', words)).json
const explore = async (plan: object, words = ''): Promise<PlanAnswer> => {
  const path = `/organizations/acme/explore/?statsPeriod=24h&project=-1${words}`
  const { json, status, text } = await call('POST', path, { body: plan })
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return json
}

describe('logs', () => {
  test.each<[query: string, n: number]>([
    ['', 100],
    ['refused severity:error host:db-0', 4],
    ['severity:>=warning', 10],
    ['!severity:error', 90],
    ['"order 10 refused"', 1],
    ['PAYMENT', 10],
    ['message:*loaded', 90],
    [`trace:${trace}`, 5],
    ['latency:>=98', 2],
    ['plan:pro', 50],
    ['body.order.id:30', 1],
    ['body.order.items[].sku:A20', 1],
    ['body.order.items[].sku:Z', 10],
    ['has:body.order.items[1]', 10],
    ['body.order.id:>50', 4],
    ['truncated:true', 0],
  ])('%s', async (query, n) => {
    for (const dataset of ['logs', 'ourlogs'])
      expect((await table({ dataset, field: 'count()', query })).data).toEqual([{ 'count()': n }])
  })

  test('rows, groups and percentiles, with the fields that clients ask for', async () => {
    const field = ['sentry.item_id', 'trace', 'severity', 'timestamp', 'timestamp_precise', 'message']
    const { data } = await table({ dataset: 'logs', field, sort: '-timestamp', per_page: '1' })
    expect(data).toEqual([
      {
        'sentry.item_id': expect.stringMatching(/^[0-9a-f]{32}$/),
        trace,
        severity: 'error',
        timestamp: new Date(nowMs).toISOString(),
        timestamp_precise: nowMs * 1e6,
        message: expect.stringMatching(/^Payment of order 0 refused \{/),
      },
    ])
    const groups = await table({
      dataset: 'logs',
      field: ['server.address', 'p95(latency)', 'count()'],
      sort: '-count()',
    })
    expect(groups.data.map((row) => [row['server.address'], row['count()']])).toEqual([
      ['db-0', 34],
      ['db-1', 33],
      ['db-2', 33],
    ])
    expect(groups.meta).toMatchObject({ dataset: 'logs', samples: 100, partial: null, dataScanned: 'full' })
    // The answer says its range and what it read.
    const { scannedFrom, scannedTo, rowsRead } = groups.meta
    expect(Date.parse(scannedTo)).toBeGreaterThan(nowMs)
    // Clients' clocks can be a minute ahead.
    expect((Date.parse(scannedTo) - Date.parse(scannedFrom)) / 60_000).toBe(24 * 60 + 1)
    expect(rowsRead).toBeGreaterThanOrEqual(100)
  })

  test('over time, by level', async () => {
    const words = { dataset: 'logs', yAxis: 'count()', groupBy: 'severity', topEvents: '5', interval: '1h' }
    const { json } = await get('events-timeseries', words)
    const series = (json as { timeSeries: { groupBy: { value: string }[]; values: { value: number }[] }[] }).timeSeries
    expect(
      series.map(({ groupBy, values }) => [groupBy[0]?.value, values.reduce((sum, { value }) => sum + value, 0)]),
    ).toEqual([
      ['info', 90],
      ['error', 10],
    ])
    expect((await get('events-stats', { ...words, topEvents: '' })).status).toBe(200)
  })

  test('of a trace, and what is no trace', async () => {
    const found: RestTraceLogs = (await get('trace-logs', { traceId: trace, query: 'cart OR refused' })).json
    expect(found.data).toHaveLength(5)
    expect(found.data[1]).toMatchObject({ trace, severity: 'info', severity_number: 9, message: 'cart 1 loaded' })
    const all: RestTraceLogs = (await get('trace-logs', { traceId: trace, limit: '100' })).json
    expect(all.data.length).toBeGreaterThan(0)
    expect((await get(`trace-meta/${trace}`, {})).json).toMatchObject({ logs: all.data.length, errors: 0 })
    const refused = await get('trace-logs', { traceId: 'x' })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('no id of a trace')])
    expect((await get('trace-logs', {})).status).toBe(400)
    const widened = await get('trace-logs', { traceId: trace, query: 'severity:info) OR (severity:error' })
    expect([widened.status, (widened.json as { code?: string }).code]).toEqual([400, 'QUERY_SYNTAX'])
  })

  test('attributes, their values and tags', async () => {
    const names = async (words: Record<string, string>) =>
      ((await get('trace-items/attributes', { itemType: 'logs', ...words })).json as { name: string }[]).map(
        ({ name }) => name,
      )
    expect(await names({ attributeType: 'string' })).toEqual(expect.arrayContaining(['message', 'severity', 'plan']))
    expect(await names({ attributeType: 'number' })).toContain('latency')
    const values = await get('trace-items/attributes/plan/values', { itemType: 'logs' })
    expect(values.json).toMatchObject([
      { value: 'free', count: 50 },
      { value: 'pro', count: 50 },
    ])
    expect((await get('tags', { dataset: 'logs' })).json).toContainEqual(
      expect.objectContaining({ key: 'plan', totalValues: 100, uniqueValues: 2 }),
    )
  })
})

describe('errors', () => {
  test('are counted by fields, with the search over issues, frames and tags', async () => {
    const { data } = await table({
      dataset: 'errors',
      field: ['level', 'count()', 'count_unique(user)'],
      sort: '-count()',
    })
    expect(data).toEqual([
      { level: 'error', 'count()': 2, 'count_unique(user)': 1 },
      { level: 'warning', 'count()': 1, 'count_unique(user)': 1 },
    ])
    const count = async (query: string) =>
      (await table({ dataset: 'errors', field: 'count()', query })).data[0]?.['count()']
    expect(
      await Promise.all(['is:unresolved plan:pro', 'cart', '!error.type:TypeError', 'is:resolved'].map(count)),
    ).toEqual([2, 2, 2, 0])
    const rows = await table({
      dataset: 'errors',
      field: ['id', 'title', 'plan', 'project'],
      query: 'error.type:TypeError',
    })
    expect(rows.data).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        title: expect.stringContaining('TypeError'),
        plan: 'free',
        project: made().project.slug,
      },
    ])
  })

  test('over time', async () => {
    const plan = { dataset: 'errors', series: [{ name: 'a', aggregate: 'count()', query: 'plan:pro' }] }
    const { series } = await explore(plan, '&shape=series')
    expect(series[0]?.points.reduce((sum, { value }) => sum + Number(value), 0)).toBe(2)
  })
})

describe('outcomes', () => {
  test('are a dataset of plans', async () => {
    const { rows } = await explore({
      dataset: 'outcomes',
      query: 'category:log_item',
      groupBy: ['outcome', 'reason', 'project'],
      series: [
        { name: 'a', aggregate: 'sum(quantity)' },
        { name: 'b', aggregate: 'share()' },
        { name: 'c', aggregate: 'count()', query: 'outcome:filtered' },
      ],
      formulas: [{ name: 'f', expression: 'a / c' }],
    })
    const { slug } = made().project
    expect(rows).toEqual([
      ['stored', 'ok', slug, 500, 500 / 525, 0, null],
      ['filtered', 'localhost', slug, 25, 25 / 525, 25, 1],
    ])
    const { series } = await explore(
      { dataset: 'outcomes', query: 'category:log_item !outcome:stored' },
      '&shape=series',
    )
    expect(series[0]?.points.reduce((sum, { value }) => sum + Number(value), 0)).toBe(25)
    const listed = await explore({
      dataset: 'outcomes',
      columns: ['category', 'quantity'],
      query: 'quantity:>100 category:log*',
    })
    expect(listed.rows).toEqual([['log_item', 500]])
  })

  test('are answered in the form of clients, by hour', async () => {
    const words = { field: 'sum(quantity)', groupBy: ['category', 'outcome'], interval: '1h', category: 'log_item' }
    const stats: RestOutcomeStats = (await get('stats_v2', words)).json
    expect(stats.groups.map(({ by, totals }) => [by, totals])).toEqual([
      [{ category: 'log_item', outcome: 'accepted' }, { 'sum(quantity)': 500 }],
      [{ category: 'log_item', outcome: 'filtered' }, { 'sum(quantity)': 25 }],
    ])
    const [first] = stats.groups
    expect(first?.series['sum(quantity)']).toHaveLength(stats.intervals.length)
    expect(first?.series['sum(quantity)']?.reduce((sum, value) => sum + value, 0)).toBe(500)
    const accepted: RestOutcomeStats = (await get('stats_v2', { ...words, groupBy: [], outcome: 'accepted' })).json
    expect(accepted.groups[0]?.totals).toEqual({ 'sum(quantity)': 500 })
  })

  test.each([
    ['field', { field: 'avg(quantity)' }],
    ['groupBy', { groupBy: 'colour' }],
    ['interval', { interval: 'soon' }],
  ])('a wrong %s is 400 and named', async (name, words) => {
    const { status, text } = await get('stats_v2', words as Record<string, string>)
    expect([status, text]).toEqual([400, expect.stringContaining(name)])
  })
})

test('a plan is explained in phrases and as SQL', async () => {
  const path = '/organizations/acme/explore/explain/?statsPeriod=24h&project=-1'
  const plan = {
    dataset: 'logs',
    groupBy: ['host'],
    series: [{ name: 'a', aggregate: 'count()' }],
    query: 'latency:>5 refused',
  }
  const { json } = await call('POST', path, { body: plan })
  const { sql, words } = json as { sql: string; words: { part: string }[] }
  expect(sql).toMatch(/^SELECT host AS `host`,\n {2}sum\(weight\) AS `a`\nFROM logs\nWHERE project_id IN \[\d+\]/)
  expect(sql).toContain("numbers['latency'] > 5")
  // The views of SQL have a text in one column, however it is stored.
  expect(sql).toContain("lower(body) LIKE '%refused%'")
  expect(sql).not.toMatch(/shape|changing/)
  expect(words.map(({ part }) => part)).toEqual(['series', 'filter', 'groups', 'limit'])
  const outcomes = await call('POST', path, { body: { ...plan, dataset: 'outcomes', query: '', groupBy: [] } })
  expect((outcomes.json as { sql: null }).sql).toBe(null)
})
