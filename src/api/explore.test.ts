import { beforeAll, describe, expect, test } from 'vitest'
import type { Plan, PlanAnswer } from '../contract/explore/explore.ts'
import { encodeSpanRow } from '../store/events/traces/encode-span.ts'
import { spanRow } from '../store/events/traces/span-rows.cases.ts'
import { appForFile } from './app.cases.ts'

const { made, call, personAs } = appForFile()
const nowMs = Date.now() - 60_000
const hourMs = 3_600_000

/** 40 spans of the last minutes, each of which stands for ten, and 10 of the day before. Every fourth is slow. */
beforeAll(async () => {
  const { app, project } = made()
  const lines = Array.from({ length: 50 }, (_, n) => {
    const startMs = n < 40 ? nowMs - n * 1000 : nowMs - 25 * hourMs
    return encodeSpanRow(
      spanRow(n + 1, {
        projectId: project.id,
        startUs: startMs * 1000,
        receivedMs: startMs,
        weight: 10,
        op: n % 2 ? 'db' : 'http.server',
        durationUs: n % 4 === 0 ? 2_000_000 : 100_000,
        attributes: {
          'cart.size': n,
          plan: n % 4 ? 'free' : 'pro',
          items: JSON.stringify([{ sku: `A${n % 3}`, price: 2 }, { sku: 'B' }]),
        },
        jpos: 88_000,
        place: n,
      }),
    )
  })
  await app.events.insert('spans', Buffer.from(lines.join('')), 'spans:explore')
})

const ask = (plan: Partial<Plan>, words = '') =>
  call('POST', `/organizations/acme/explore/?statsPeriod=24h&project=-1${words}`, {
    body: { dataset: 'spans', ...plan },
  })
const answer = async (plan: Partial<Plan>, words = ''): Promise<PlanAnswer> => {
  const { status, json, text } = await ask(plan, words)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return json
}

describe('a table', () => {
  test('of groups, the largest first, with what was read', async () => {
    const { columns, rows, series, meta } = await answer({
      groupBy: ['span.op', 'plan'],
      series: [{ name: 'a', aggregate: 'count()' }],
    })
    expect(columns.map(({ name, role, type }) => [name, role, type])).toEqual([
      ['span.op', 'group', 'string'],
      ['plan', 'group', 'string'],
      ['a', 'series', 'integer'],
    ])
    expect(rows).toEqual([
      ['db', 'free', 200],
      ['http.server', 'free', 100],
      ['http.server', 'pro', 100],
    ])
    expect(series).toEqual([])
    expect(meta).toMatchObject({ partial: null, samples: 40, sampled: true, more: false })
    expect(meta.scannedFromMs).toBe(meta.fromMs)
    expect(meta.rowsRead).toBeGreaterThanOrEqual(40)
    expect(meta.bytesRead).toBeGreaterThan(0)
  })

  test('series with filters of their own, and formulas of them', async () => {
    const { rows } = await answer({
      series: [
        { name: 'a', aggregate: 'count()', query: 'span.duration:>1s' },
        { name: 'b', aggregate: 'count()' },
        { name: 'c', aggregate: 'p95(span.duration)', query: 'span.op:db' },
        { name: 'd', aggregate: 'avg(cart.size)' },
        { name: 'e', aggregate: 'count_unique(plan)', query: 'plan:pro' },
        { name: 'g', aggregate: 'count()', query: 'plan:none' },
      ],
      formulas: [
        { name: 'f', expression: 'a / b * 100' },
        { name: 'h', expression: 'a / g' },
        { name: 'i', expression: '-(1 + a) * 2 - .5' },
      ],
    })
    expect(rows).toEqual([[100, 400, 100, 19.5, 1, 0, 25, null, -202.5]])
  })

  test('ordered by a formula, limited, and it says that there is more', async () => {
    const plan: Partial<Plan> = {
      groupBy: ['plan'],
      series: [
        { name: 'a', aggregate: 'count()' },
        { name: 'b', aggregate: 'sum(cart.size)' },
      ],
      formulas: [{ name: 'f', expression: 'b / a' }],
      limit: 1,
    }
    const up = await answer({ ...plan, order: 'f' })
    const down = await answer({ ...plan, order: '-f' })
    expect([up.rows[0]?.[0], down.rows[0]?.[0], up.meta.more]).toEqual(['pro', 'free', true])
  })

  test('shares of the groups and of a series', async () => {
    const { rows } = await answer({
      groupBy: ['plan'],
      series: [{ name: 'a', aggregate: 'share()' }],
      query: 'share():>10%',
    })
    expect(rows).toEqual([
      ['free', 0.75],
      ['pro', 0.25],
    ])
  })

  test('compared with the period before', async () => {
    const { columns, rows } = await answer({
      groupBy: ['span.op'],
      series: [{ name: 'a', aggregate: 'count()' }],
      compare: 'previous',
      order: 'span.op',
    })
    expect(columns.at(-1)).toMatchObject({ name: 'a', role: 'previous' })
    expect(rows).toEqual([
      ['db', 200, 50],
      ['http.server', 200, 50],
    ])
  })

  test('by the elements of a list in JSON: a row is in the group of each', async () => {
    const { rows } = await answer({
      groupBy: ['items[].sku'],
      series: [
        { name: 'a', aggregate: 'count()' },
        { name: 'b', aggregate: 'sum(items[].price)' },
      ],
    })
    expect(rows).toEqual([
      ['B', 400, 800],
      ['A0', 140, 280],
      ['A1', 130, 260],
      ['A2', 130, 260],
    ])
    const found = await answer({ columns: ['id', 'items[0].sku', 'items[].price'], query: 'items[0].sku:A2', limit: 2 })
    expect(found.rows.map((cells) => cells.slice(1))).toEqual([
      ['A2', '2'],
      ['A2', '2'],
    ])
    expect((await answer({ series: [], groupBy: ['plan'], query: 'items[].price:>3' })).rows).toEqual([])
  })

  test('of rows, newest first, and by another order', async () => {
    const { columns, rows, meta } = await answer({ columns: ['cart.size', 'project', 'timestamp'], limit: 2 })
    expect(columns.map(({ role }) => role)).toEqual(['field', 'field', 'field'])
    expect(rows.map(([size, project]) => [size, project])).toEqual([
      [0, made().project.slug],
      [1, made().project.slug],
    ])
    expect([meta.more, meta.samples]).toEqual([true, null])
    expect((await answer({ columns: ['cart.size'], limit: 1, order: '-cart.size' })).rows).toEqual([[39]])
  })
})

describe('a chart', () => {
  test('has all buckets, those of groups and of the period before', async () => {
    const { columns, series, meta } = await answer(
      {
        groupBy: ['span.op'],
        series: [
          { name: 'a', aggregate: 'count()' },
          { name: 'b', aggregate: 'share()' },
        ],
        compare: 'previous',
      },
      '&shape=series&interval=3600000',
    )
    expect(columns.map(({ name }) => name)).toEqual(['span.op', 'a', 'b'])
    expect(series.map(({ name, group }) => [name, group])).toEqual([
      ['a', ['db']],
      ['b', ['db']],
      ['a', ['http.server']],
      ['b', ['http.server']],
    ])
    const [counts, shares] = series
    expect(counts?.points.reduce((sum, { value }) => sum + Number(value), 0)).toBe(200)
    expect(counts?.points.reduce((sum, { previous }) => sum + Number(previous), 0)).toBe(50)
    expect(counts?.points.at(-1)?.incomplete).toBe(true)
    expect(shares?.points.filter(({ value }) => value !== null).every(({ value }) => Number(value) > 0.4)).toBe(true)
    expect(meta.samples).toBe(40)
  })
})

describe('what is wrong is named', () => {
  test.each<[what: string, plan: Partial<Plan>, words: string, named: RegExp]>([
    ['a field', { columns: ['a b'] }, '', /a b.*no field of spans/],
    ['a function', { series: [{ name: 'a', aggregate: 'p42()' }] }, '', /p42 is no function/],
    ['a group', { groupBy: ['count()'] }, '', /groupBy.*count\(\)/],
    ['a key with its place', { columns: ['id'], query: 'span.op:db is:open' }, '', /position 15/],
    ['a filter of a series', { series: [{ name: 'a', aggregate: 'count()', query: '(' }] }, '', /QUERY_SYNTAX/],
    ['an order', { columns: ['id'], order: '-nothing' }, '', /order.*nothing/],
    ['no column', {}, '', /columns/],
    ['a name twice', { series: Array(2).fill({ name: 'a', aggregate: 'count()' }) }, '', /once/],
    [
      'a formula',
      { series: [{ name: 'a', aggregate: 'count()' }], formulas: [{ name: 'f', expression: 'a + x' }] },
      '',
      /position 5.*name of a series/,
    ],
    ['buckets', { series: [] }, '&shape=series&interval=1000', /interval/],
    ['a dataset', { dataset: 'profiles' as 'logs' }, '', /dataset/],
  ])('%s', async (_what, plan, words, named) => {
    const { status, text } = await ask(plan, words)
    expect([status, text]).toEqual([400, expect.stringMatching(named)])
  })
})

test('a stranger does not see that there is something, and a token needs the right to read events', async () => {
  const body = { dataset: 'spans', series: [{ name: 'a', aggregate: 'count()' }] }
  const path = '/organizations/acme/explore/'
  const { token } = await personAs(null)
  expect((await call('POST', path, { body, token })).status).toBe(404)
  expect((await call('POST', path, { body, token: null })).status).toBe(401)
  const narrow = await personAs('member', ['project:read'], 'narrow')
  expect((await call('POST', path, { body, token: narrow.token })).status).toBe(403)
  const reader = await personAs('member', ['event:read'], 'reader')
  expect((await call('POST', path, { body, token: reader.token })).status).toBe(200)
})
