import { beforeAll, describe, expect, test } from 'vitest'
import type { RestDatasetStats, RestDatasetTable, RestDatasetTimeseries } from '../contract/explore/dataset-search.ts'
import { encodeSpanRow } from '../store/events/traces/encode-span.ts'
import { type SpanChanges, spanRow } from '../store/events/traces/span-rows.cases.ts'
import { appForFile } from './app.cases.ts'

const { made, call, personAs } = appForFile()
const hourMs = 3_600_000
/** Within the last hour, so that each test of a day finds it. */
const nowMs = Date.now() - 60_000

/** 40 segments of a route at a sample rate of 0.1, every fourth slow, with two queries each. */
beforeAll(async () => {
  const { app, project } = made()
  const rows = Array.from({ length: 40 }, (_, n): SpanChanges[] => {
    const at = {
      projectId: project.id,
      startUs: (nowMs - n * 1000) * 1000,
      receivedMs: nowMs,
      weight: 10,
      selfUs: 1000,
    }
    const trace = { ...at, traceId: (n + 1).toString(16).padStart(32, 'a'), transaction: 'GET /orders/[id]' }
    const root = {
      ...trace,
      isSegment: true,
      op: 'http.server',
      description: 'GET /orders/[id]',
      durationUs: n % 4 === 0 ? 3_000_000 : 300_000,
      failed: n === 0,
      status: n === 0 ? 'internal_error' : 'ok',
      attributes: { 'http.route': '/orders/[id]', 'cart.size': n, 'flag.new': n % 4 === 0 ? 'on' : 'off' },
      measurements: { lcp: 2400 },
    }
    const child = { ...trace, op: 'db', description: 'SELECT 1', durationUs: 5000, attributes: {} }
    return [root, child, { ...child, cut: 'deadline_exceeded', durationUs: 30_000_000 }]
  }).flat()
  const lines = rows.map((changes, place) => encodeSpanRow(spanRow(place + 1, { ...changes, jpos: 77_000, place })))
  await app.events.insert('spans', Buffer.from(lines.join('')), 'spans:api')
})

const get = async (path: string, words: Record<string, string | string[]>) => {
  const search = new URLSearchParams()
  const all: Record<string, string | string[]> = { statsPeriod: '24h', project: '-1', ...words }
  for (const [name, values] of Object.entries(all)) for (const value of [values].flat()) search.append(name, value)
  return call('GET', `/organizations/acme/${path}/?${search}`)
}
const table = async (words: Record<string, string | string[]>): Promise<RestDatasetTable> =>
  (await get('events', { dataset: 'spans', ...words })).json

describe('spans', () => {
  test('are found by a column, with the fields that were asked for', async () => {
    const answer = await get('events', {
      dataset: 'spans',
      field: ['id', 'span.op', 'span.duration', 'project', 'flag.new', 'cart.size'],
      query: 'span.op:http.server',
      per_page: '10',
    })
    const { data, meta }: RestDatasetTable = answer.json
    expect(data).toHaveLength(10)
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      'span.op': 'http.server',
      'span.duration': 3000,
      project: made().project.slug,
      'flag.new': 'on',
      'cart.size': 0,
    })
    expect(meta.fields).toMatchObject({ id: 'string', 'span.duration': 'duration', 'cart.size': 'number' })
    expect(meta.units).toMatchObject({ id: null, 'span.duration': 'millisecond' })
    const next = /<([^>]+)>; rel="next"; results="true"/.exec(answer.headers.get('link') ?? '')?.[1]
    const second: RestDatasetTable = (await call('GET', String(next).replace(/^.*\/api\/0/, ''))).json
    expect([second.data[0]?.['cart.size'], second.data.length]).toEqual([10, 10])
  })

  test.each<[query: string, n: number]>([
    ['', 120],
    ['span.duration:>1s', 50],
    ['span.duration:>1s is_transaction:true', 10],
    ['transaction:*orders* !span.op:db', 40],
    ['http.route:"/orders/[id]"', 40],
    ['tags[cart.size,number]:>=38', 2],
    ['cart.size:<2', 2],
    ['cart.size:7', 1],
    ['cart.size:[7, 8, 39]', 3],
    ['has:flag.new', 40],
    ['!has:flag.new', 80],
    ['flag.new:""', 80],
    ['(flag.new:on OR cart.size:1) is_transaction:true', 11],
    ['!(flag.new:on OR cart.size:1) is_transaction:true', 29],
    ['measurements.lcp:>=2.4s', 40],
    ['measurements.score.total:<0.4', 0],
    ['span.status:internal_error', 1],
    ['span.failed:true', 1],
    ['span.cut_off:deadline_exceeded', 40],
    [`trace:${'1'.padStart(32, 'a')}`, 3],
    ['SELECT', 80],
    ['timestamp:+1d', 0],
    ['timestamp:<2026-01-01', 0],
    ['project:nowhere', 0],
    ['release:api@1 environment:production', 120],
    ['level:error', 0],
  ])('%s', async (query, n) => {
    expect((await table({ field: 'count_sample()', query })).data).toEqual([{ 'count_sample()': n }])
  })

  test('counts are extrapolated, percentiles weighted, and cut-off spans are left out of these', async () => {
    const field = ['count()', 'p95(span.duration)', 'p100(span.duration)', 'failure_rate()', 'epm()', 'apdex(300)']
    const { data, meta } = await table({ field, query: 'is_transaction:true' })
    expect(data[0]).toMatchObject({ 'count()': 400, 'p100(span.duration)': 3000, 'failure_rate()': 0.025 })
    expect(data[0]?.['epm()']).toBeCloseTo(400 / 1441, 1)
    expect(data[0]?.['apdex(300)']).toBeCloseTo(0.75, 3)
    expect(meta).toMatchObject({ samples: 40, dataScanned: 'full' })
    const cut = { field: 'p100(span.duration)', query: 'span.op:db' }
    expect((await table(cut)).data).toEqual([{ 'p100(span.duration)': 5 }])
    expect((await table({ ...cut, includeCutOff: '1' })).data).toEqual([{ 'p100(span.duration)': 30_000 }])
    const named = 'span.op:db has:span.cut_off'
    expect((await table({ ...cut, query: named })).data).toEqual([{ 'p100(span.duration)': 30_000 }])
  })

  test('aggregates by field, sorted, with conditions on them', async () => {
    const field = ['span.op', 'count()', 'p75(span.duration)']
    expect((await table({ field, sort: '-p75(span.duration)' })).data.map((row) => row['span.op'])).toEqual([
      'http.server',
      'db',
    ])
    expect((await table({ field, query: 'count():>500' })).data.map((row) => row['span.op'])).toEqual(['db'])
    expect((await table({ field, query: 'p75(span.duration):>200ms' })).data.map((row) => row['span.op'])).toEqual([
      'http.server',
    ])
  })

  test.each(['transactions', 'discover', ''])('dataset %j means spans', async (dataset) => {
    expect((await table({ dataset, field: ['transaction', 'count()'] })).data).toEqual([
      { transaction: 'GET /orders/[id]', 'count()': 1200 },
    ])
  })

  test.each<[name: string, path: string, words: Record<string, string | string[]>, named: RegExp]>([
    ['a function', 'events', { field: 'p42(span.duration)' }, /"field".*p42/],
    ['a function without its field', 'events', { field: 'count_unique()' }, /count_unique/],
    ['a text as a number', 'events', { field: 'p95(span.op)' }, /span\.op in p95/],
    ['a field', 'events', { field: 'a b' }, /a b/],
    ['no field', 'events', {}, /"field"/],
    ['a sort', 'events', { field: 'id', sort: '-count()' }, /"sort".*count\(\)/],
    ['a dataset', 'events', { dataset: 'profiles', field: 'id' }, /"dataset".*profiles/],
    ['a value', 'events', { field: 'id', query: 'span.op:db span.duration:soon' }, /position 26/],
    ['a term of issues', 'events', { field: 'id', query: 'span.op:db is:unresolved' }, /position 12, is/],
    ['a function in the search', 'events', { field: 'count()', query: 'p42(span.duration):>1s' }, /position 1, p42/],
    ['a function below OR', 'events', { field: 'count()', query: 'count():>1 OR x:y' }, /position 1, count\(\)/],
    ['a function beside no function', 'events', { field: 'id', query: 'count():>1' }, /"query"/],
    ['an axis', 'events-stats', { yAxis: 'p42()' }, /"yAxis".*p42/],
    ['a field as axis', 'events-timeseries', { yAxis: 'span.op' }, /"yAxis".*span\.op/],
    ['an interval', 'events-timeseries', { interval: 'soon' }, /"interval"/],
    ['too many buckets', 'events-timeseries', { interval: '10s' }, /"interval".*2000/],
    ['a number of series', 'events-stats', { topEvents: '99' }, /"topEvents"/],
    ['another kind of item', 'trace-items/attributes', { itemType: 'profiles' }, /"itemType".*profiles/],
  ])('a wrong %s is 400 and named', async (_name, path, words, named) => {
    const answer = await get(path, words)
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(named)])
  })
})

describe('series', () => {
  test('in milliseconds, with all buckets, the last of them incomplete', async () => {
    const answer: RestDatasetTimeseries = (
      await get('events-timeseries', { yAxis: ['count()', 'p95(span.duration)'], interval: String(hourMs) })
    ).json
    expect(answer.timeSeries.map(({ yAxis, groupBy, values }) => [yAxis, groupBy, values.length > 23])).toEqual([
      ['count()', null, true],
      ['p95(span.duration)', null, true],
    ])
    const [counts, percentiles] = answer.timeSeries
    expect(counts?.values.reduce((sum, { value }) => sum + (value ?? 0), 0)).toBe(1200)
    expect(counts?.values.at(-1)?.incomplete).toBe(true)
    expect(counts?.values[0]).toMatchObject({ value: 0, sampleCount: 0, incomplete: false })
    expect(percentiles?.values[0]?.value).toBe(null)
    expect(percentiles?.meta).toMatchObject({ valueType: 'duration', valueUnit: 'millisecond', interval: hourMs })
  })

  test('of the largest groups', async () => {
    const words = { yAxis: 'count()', groupBy: 'span.op', topEvents: '1', interval: '1h' }
    const answer: RestDatasetTimeseries = (await get('events-timeseries', words)).json
    expect(answer.timeSeries.map(({ groupBy }) => groupBy)).toEqual([[{ key: 'span.op', value: 'db' }]])
    const stats = (await get('events-stats', { ...words, topEvents: '5' })).json as Record<string, { order: number }>
    expect(Object.entries(stats).map(([name, { order }]) => [name, order])).toEqual([
      ['db', 0],
      ['http.server', 1],
    ])
  })

  test('in the older form', async () => {
    const one = (await get('events-stats', { interval: '1h' })).json as RestDatasetStats & { data: [number, unknown][] }
    expect(one.data.length).toBeGreaterThan(23)
    expect(one.data[0]).toEqual([expect.any(Number), [{ count: 0 }]])
    const two = (await get('events-stats', { yAxis: ['count()', 'eps()'], interval: '1h' })).json
    expect(Object.keys(two)).toEqual(['count()', 'eps()'])
  })
})

describe('attributes', () => {
  const names = async (words: Record<string, string>) =>
    ((await get('trace-items/attributes', { itemType: 'spans', ...words })).json as { key: string }[]).map(
      ({ key }) => key,
    )
  test('of each type, with the keys of the search', async () => {
    expect(await names({ attributeType: 'string' })).toEqual(
      expect.arrayContaining(['span.op', 'http.route', 'flag.new']),
    )
    expect(await names({ attributeType: 'number', substringMatch: 'cart' })).toEqual(['tags[cart.size,number]'])
    expect(await names({ attributeType: 'boolean' })).toEqual(['span.failed', 'is_transaction'])
  })

  test('their values, and those of keys', async () => {
    const values = async (key: string, words = {}) =>
      (
        (await get(`trace-items/attributes/${encodeURIComponent(key)}/values`, words)).json as {
          value: string
          count: number
        }[]
      ).map(({ value, count }) => [value, count])
    expect(await values('flag.new')).toEqual([
      ['off', 30],
      ['on', 10],
    ])
    expect(await values('span.op', { substringMatch: 'SERVER' })).toEqual([['http.server', 40]])
    expect(await values('project')).toEqual([[made().project.slug, null]])
    expect(await values('is_transaction')).toEqual([
      ['true', null],
      ['false', null],
    ])
    expect(await values('trace')).toEqual([])
  })

  test('as tags', async () => {
    const { json } = await get('tags', { dataset: 'spans' })
    expect(json).toContainEqual({ key: 'flag.new', name: 'flag.new', totalValues: 40, uniqueValues: 2 })
    expect((await get('tags', {})).json).toEqual([])
  })
})

test('a stranger does not see that there is something', async () => {
  const { token } = await personAs(null)
  const answer = await call('GET', '/organizations/acme/events/?field=count()&statsPeriod=24h', { token })
  expect(answer.status).toBe(404)
})
