import { beforeAll, describe, expect, test } from 'vitest'
import type { EventStore } from './event-store.ts'
import type { Aggregate, Compare, Filter, Value } from './question.ts'
import { encodeSpanRow } from './traces/encode-span.ts'
import { type SpanChanges, spanRow } from './traces/span-rows.cases.ts'

const hour = 3_600_000
/** Monday 2026-11-16 10:00 UTC. */
const monday = Date.UTC(2026, 10, 16, 10)
const projectId = 61
const trace = 'c'.repeat(32)

const text = (column: string): Value => ({ of: 'text', column })
const duration: Value = { of: 'number', column: 'duration' }
const spanId: Value = { of: 'id', column: 'span' }
const attribute = (key: string, as: 'any' | 'text' | 'number' = 'any'): Value => ({ of: 'attribute', key, as })
const is = (value: Value, wanted: string): Filter => ({ op: 'match', value, match: 'is', text: wanted })
const like = (value: Value, wanted: string): Filter => ({ op: 'match', value, match: 'like', text: wanted })
const has = (value: Value): Filter => ({ op: 'match', value, match: 'has', text: '' })
const compare = (value: Value, operator: Compare, number: number): Filter => ({
  op: 'compare',
  value,
  compare: operator,
  number,
})

/** Six spans, a minute apart: their number is the last digit of their id. */
const rows: [n: number, changes: SpanChanges][] = [
  [
    1,
    {
      isSegment: true,
      op: 'http.server',
      name: 'GET /orders/[id]',
      description: '',
      durationUs: 100_000,
      weight: 10,
      attributes: { 'http.route': '/orders/[id]', 'cart.size': 3, vip: true },
      measurements: { lcp: 2400, cls: 0.1 },
      httpStatus: 200,
      traceId: trace,
    },
  ],
  [2, { durationUs: 2_000_000, weight: 10, status: 'internal_error', failed: true, attributes: { 'cart.size': 12 } }],
  [
    3,
    { durationUs: 300_000, weight: 2, release: 'api@2', attributes: { 'cart.size': 'many', 'server.address': 'db-1' } },
  ],
  [4, { durationUs: 30_000_000, cut: 'deadline_exceeded', weight: 1, environment: 'staging', attributes: {} }],
  [
    5,
    {
      op: '',
      category: '',
      description: '100% \\ done',
      selfUs: 40_000,
      durationUs: 50_000,
      weight: 1,
      attributes: {},
    },
  ],
  [6, { projectId: 62, durationUs: 70_000, weight: 4, attributes: {} }],
]

const scope = { projectIds: [projectId, 62], environments: [] as string[], fromMs: monday, toMs: monday + hour }
const digit = (cells: readonly unknown[]) => Number(String(cells[0]).at(-1))

function filterCases(open: () => EventStore): void {
  test.each<[name: string, filter: Filter | undefined, found: number[]]>([
    ['everything, newest first', undefined, [6, 5, 4, 3, 2, 1]],
    ['a column', is(text('op'), 'http.server'), [1]],
    ['a pattern, whatever its case', like(text('label'), 'get /ORDERS/*'), [1]],
    ['signs of patterns are themselves', like(text('label'), '100% \\\\ *'), [5]],
    ['a description where there is one, else the name', like(text('label'), 'SELECT*'), [6, 4, 3, 2]],
    ['what is empty', { op: 'not', of: has(text('op')) }, [5]],
    ['a duration', compare(duration, '>', 300), [4, 2]],
    ['a duration with its limit', compare(duration, '>=', 300), [4, 3, 2]],
    ['a self time; an unknown one matches nothing', compare({ of: 'number', column: 'selfTime' }, '<', 1000), [5]],
    ['a status that is not there is no number', compare({ of: 'number', column: 'httpStatus' }, '<', 500), [1]],
    ['a flag', compare({ of: 'flag', column: 'failed' }, '=', 1), [2]],
    ['an attribute', is(attribute('http.route'), '/orders/[id]'), [1]],
    ['a boolean attribute', is(attribute('vip'), 'true'), [1]],
    ['a number of an attribute', compare(attribute('cart.size'), '>', 3), [2]],
    ['an attribute that some have as a number and some as a text', has(attribute('cart.size')), [3, 2, 1]],
    ['the same as a text', has(attribute('cart.size', 'text')), [3]],
    ['a measurement', compare({ of: 'measurement', key: 'lcp' }, '>', 2000), [1]],
    ['a trace', is({ of: 'id', column: 'trace' }, trace), [1]],
    ['what is no id', is(spanId, "' OR 1"), []],
    ['a time', compare({ of: 'time' }, '>=', monday + 5 * 60_000), [6, 5]],
    ['projects', { op: 'projects', ids: [62] }, [6]],
    ['any of', { op: 'or', of: [is(text('release'), 'api@2'), is(text('environment'), 'staging')] }, [4, 3]],
    ['all of', { op: 'and', of: [compare(duration, '>', 90), is(text('status'), 'ok')] }, [4, 3, 1]],
    ['none of', { op: 'or', of: [] }, []],
    ['not a missing number', { op: 'not', of: compare(attribute('cart.size'), '>', 3) }, [6, 5, 4, 3, 1]],
  ])('%s', async (_name, filter, found) => {
    const read = await open().listRows({
      from: 'spans',
      scope,
      filter,
      values: [spanId],
      order: [],
      max: 10,
      offset: 0,
    })
    expect(read.map(digit)).toEqual(found)
  })

  test('a span is found by its own id', async () => {
    const [[id] = []] = await open().listRows({
      from: 'spans',
      scope,
      filter: undefined,
      values: [spanId],
      order: [],
      max: 1,
      offset: 2,
    })
    const found = await open().listRows({
      from: 'spans',
      scope,
      filter: is(spanId, String(id)),
      values: [spanId],
      order: [],
      max: 9,
      offset: 0,
    })
    expect(found).toEqual([[id]])
  })
}

function rowCases(open: () => EventStore): void {
  test('cells have the types of their values, and what is missing is null', async () => {
    const values: Value[] = [
      spanId,
      { of: 'id', column: 'trace' },
      { of: 'time' },
      duration,
      { of: 'number', column: 'selfTime' },
      { of: 'number', column: 'httpStatus' },
      { of: 'flag', column: 'isSegment' },
      attribute('cart.size'),
      attribute('cart.size', 'number'),
      attribute('vip'),
      { of: 'measurement', key: 'lcp' },
      { of: 'number', column: 'projectId' },
    ]
    const found = await open().listRows({
      from: 'spans',
      scope,
      filter: undefined,
      values,
      order: [{ at: 3, descending: false }],
      max: 9,
      offset: 0,
    })
    const byNumber = new Map(found.map((cells) => [digit(cells), cells.slice(1)]))
    const at = (n: number) => new Date(monday + n * 60_000).toISOString()
    expect(byNumber.get(1)).toEqual([trace, at(1), 100, null, 200, true, 3, 3, 'true', 2400, projectId])
    expect(byNumber.get(3)?.slice(1, 9)).toEqual([at(3), 300, null, null, false, 'many', null, null])
    expect(found.map(digit)).toEqual([5, 6, 1, 3, 2, 4])
  })

  test('pages continue where the last ended', async () => {
    const page = async (offset: number) =>
      (
        await open().listRows({ from: 'spans', scope, filter: undefined, values: [spanId], order: [], max: 2, offset })
      ).map(digit)
    expect([await page(0), await page(2), await page(4), await page(6)]).toEqual([[6, 5], [4, 3], [2, 1], []])
  })

  test.each([
    ['no project', { projectIds: [] }],
    ['another environment', { environments: ['none'] }],
    ['an earlier range', { fromMs: monday - hour, toMs: monday }],
  ])('nothing of %s', async (_name, change) => {
    const asked = { scope: { ...scope, ...change }, filter: undefined, max: 9, offset: 0, order: [] }
    expect(await open().listRows({ from: 'spans', ...asked, values: [spanId] })).toEqual([])
  })

  test('many projects are read part by part', async () => {
    const many = { ...scope, projectIds: [...scope.projectIds, ...Array.from({ length: 60 }, (_, n) => 7000 + n)] }
    const asked = { scope: many, filter: undefined, values: [spanId], order: [], max: 3, offset: 1 }
    expect((await open().listRows({ from: 'spans', ...asked })).map(digit)).toEqual([5, 4, 3])
  })
}

function aggregateCases(open: () => EventStore): void {
  const only = { ...scope, projectIds: [projectId] }
  const one = async (aggregate: Aggregate, more: { withCut?: boolean; filter?: Filter } = {}) => {
    const [row] = await open().groupRows({
      from: 'spans',
      scope: only,
      filter: more.filter,
      withCut: more.withCut ?? false,
      values: [],
      aggregates: [aggregate],
      having: [],
      order: [],
      max: 1,
      offset: 0,
    })
    return row?.[0]
  }
  const total = (10 * 100 + 10 * 2000 + 2 * 300 + 30_000 + 50) / 24

  test.each<[name: string, aggregate: Aggregate, wanted: number]>([
    ['counts are extrapolated', { fn: 'count' }, 24],
    ['samples are not', { fn: 'samples' }, 5],
    ['failures are extrapolated', { fn: 'failureCount' }, 10],
    ['a share of failures', { fn: 'failureRate' }, 10 / 24],
    ['a mean is weighted', { fn: 'avg', of: duration }, total],
    ['a sum is extrapolated', { fn: 'sum', of: duration }, total * 24],
    ['a minimum', { fn: 'min', of: duration }, 50],
    ['a maximum', { fn: 'max', of: duration }, 30_000],
    ['a rate of the range', { fn: 'rate', perMs: 60_000 }, 24 / 60],
    ['apdex', { fn: 'apdex', satisfiedMs: 100 }, (11 + 2 / 2) / 24],
    ['distinct values', { fn: 'unique', of: text('release') }, 2],
    ['distinct values of an attribute, whatever its type', { fn: 'unique', of: attribute('cart.size') }, 3],
    ['a mean of an attribute', { fn: 'avg', of: attribute('cart.size') }, 7.5],
    ['half of the page loads are slower than the median', { fn: 'avg', of: { of: 'score', vital: 'lcp' } }, 0.5],
    ['a score at the tenth', { fn: 'avg', of: { of: 'score', vital: 'cls' } }, 0.9],
    [
      'the weights are shared among the vitals that are there',
      { fn: 'avg', of: { of: 'score', vital: 'total' } },
      (0.3 * 0.5 + 0.15 * 0.9) / 0.45,
    ],
    ['the slowest without cut-off spans', { fn: 'percentile', level: 1, of: duration }, 2000],
  ])('%s', async (_name, aggregate, wanted) => {
    expect(await one(aggregate)).toBeCloseTo(wanted, 4)
  })

  test('percentiles are weighted, and leave out cut-off spans unless they are asked for', async () => {
    const p = (level: number, withCut = false) => one({ fn: 'percentile', level, of: duration }, { withCut })
    // 11 of 23 are at most 100 ms, 13 at most 300 ms.
    expect(Number(await p(0.3))).toBeLessThanOrEqual(150)
    expect(Number(await p(0.9))).toBeGreaterThan(1000)
    expect(Number(await p(0.99))).toBeLessThanOrEqual(2000)
    expect(Number(await p(0.99, true))).toBeGreaterThan(2000)
    expect(await p(1, true)).toBe(30_000)
  })

  test('nothing found: counts are 0, the others null', async () => {
    const filter = is(text('op'), 'none')
    expect(await one({ fn: 'count' }, { filter })).toBe(0)
    for (const aggregate of [
      { fn: 'percentile', level: 0.5, of: duration },
      { fn: 'avg', of: duration },
      { fn: 'max', of: duration },
      { fn: 'failureRate' },
    ] as const)
      expect(await one(aggregate, { filter })).toBe(null)
  })

  test('groups, with conditions on them, sorted and paged', async () => {
    const groups = (having: { aggregate: Aggregate; compare: Compare; number: number }[], offset = 0) =>
      open().groupRows({
        from: 'spans',
        scope: only,
        filter: undefined,
        withCut: false,
        values: [text('op'), attribute('cart.size')],
        aggregates: [{ fn: 'count' }],
        having,
        order: [
          { at: 2, descending: true },
          { at: 0, descending: false },
        ],
        max: 3,
        offset,
      })
    expect(await groups([])).toEqual([
      ['db', 12, 10],
      ['http.server', 3, 10],
      ['db', 'many', 2],
    ])
    expect(await groups([], 3)).toEqual([
      ['', null, 1],
      ['db', null, 1],
    ])
    expect(await groups([{ aggregate: { fn: 'count' }, compare: '<=', number: 2 }])).toEqual([
      ['db', 'many', 2],
      ['', null, 1],
      ['db', null, 1],
    ])
  })

  test('series by bucket, and by group', async () => {
    const asked = { scope: only, filter: undefined, withCut: false, aggregates: [{ fn: 'count' }] as Aggregate[] }
    const bucketMs = 120_000
    expect(await open().seriesOfRows({ from: 'spans', ...asked, values: [], only: [], bucketMs })).toEqual([
      { startMs: monday, group: [], cells: [10] },
      { startMs: monday + bucketMs, group: [], cells: [12] },
      { startMs: monday + 2 * bucketMs, group: [], cells: [2] },
    ])
    const grouped = await open().seriesOfRows({
      from: 'spans',
      ...asked,
      values: [attribute('cart.size')],
      only: [[12], [null]],
      bucketMs,
    })
    expect(grouped).toEqual([
      { startMs: monday + bucketMs, group: [12], cells: [10] },
      { startMs: monday + 2 * bucketMs, group: [null], cells: [2] },
    ])
  })
}

function facetCases(open: () => EventStore): void {
  const only = { ...scope, projectIds: [projectId] }
  test('facets count the values of columns', async () => {
    const found = await open().columnFacets({
      from: 'spans',
      scope: only,
      filter: undefined,
      columns: ['op', 'release', 'status'],
      max: 1,
    })
    expect(found).toEqual([
      { key: 'op', values: [{ value: 'db', count: 13, samples: 3 }] },
      { key: 'release', values: [{ value: 'api@1', count: 22, samples: 4 }] },
      { key: 'status', values: [{ value: 'ok', count: 14, samples: 4 }] },
    ])
  })

  test('facets of projects and of attributes', async () => {
    expect(await open().projectFacet({ from: 'spans', scope, filter: undefined })).toEqual([
      { projectId, count: 24, samples: 5 },
      { projectId: 62, count: 4, samples: 1 },
    ])
    const found = await open().attributeFacets({ from: 'spans', scope, filter: has(text('op')), keys: 9, max: 2 })
    expect(found).toContainEqual({ key: 'vip', values: [{ value: 'true', count: 10, samples: 1 }] })
    expect((await open().attributeFacets({ from: 'spans', scope, filter: undefined, keys: 2, max: 2 })).length).toBe(2)
  })

  test('a histogram of durations has three buckets for each doubling', async () => {
    const found = await open().durationHistogram({ scope: only, filter: undefined })
    const bucket = (us: number) => Math.floor(Math.log2(us) * 3)
    expect(found).toEqual([
      { at: bucket(50_000), count: 1, failed: 0 },
      { at: bucket(100_000), count: 10, failed: 0 },
      { at: bucket(300_000), count: 2, failed: 0 },
      { at: bucket(2_000_000), count: 10, failed: 10 },
      { at: bucket(30_000_000), count: 1, failed: 0 },
    ])
  })

  test('names and values for completion', async () => {
    const spans = { from: 'spans', scope: only } as const
    expect(await open().attributeKeys(spans, 'number', 10)).toEqual([{ key: 'cart.size', rows: 2, unique: 2 }])
    expect((await open().attributeKeys(spans, 'text', 2)).map(({ rows: found }) => found)).toEqual([1, 1])
    expect(await open().valuesOf(spans, { value: text('op'), text: 'D', max: 5 })).toEqual([{ value: 'db', events: 3 }])
    expect(await open().valuesOf(spans, { value: attribute('server.address'), text: '', max: 5 })).toEqual([
      { value: 'db-1', events: 1 },
    ])
  })

  test('the newest part of a range with few enough spans', async () => {
    const wide = { ...scope, fromMs: monday - 100 * hour }
    expect(await open().newestPart({ from: 'spans', scope: wide }, 100)).toEqual({ fromMs: wide.fromMs, rows: 6 })
    const newest = await open().newestPart({ from: 'spans', scope: wide }, 3)
    expect(newest.fromMs).toBeGreaterThan(wide.fromMs)
    expect(newest.rows).toBeLessThanOrEqual(3)
    expect(await open().newestPart({ from: 'spans', scope: { ...wide, projectIds: [] } }, 3)).toEqual({
      fromMs: wide.fromMs,
      rows: 0,
    })
  })
}

export function spanSearchCases(open: () => EventStore): void {
  beforeAll(async () => {
    const lines = rows.map(([n, changes]) => {
      const startMs = monday + n * 60_000
      const at = { startUs: startMs * 1000, receivedMs: startMs + 500, jpos: 970_000_000 + n, place: 0 }
      return encodeSpanRow(spanRow(n, { projectId, ...at, ...changes }))
    })
    await open().insert('spans', Buffer.from(lines.join('')), 'spans:970-971')
  })

  describe('conditions', () => filterCases(open))
  describe('rows', () => rowCases(open))
  describe('aggregates', () => aggregateCases(open))
  describe('facets', () => facetCases(open))
}
