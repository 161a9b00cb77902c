import { expect, test } from 'vitest'
import { routeFilterOf } from '../../../query/performance/route-search.ts'
import { brushOf, brushOfDurations, bucketsOf, movedBrush, slowestPart } from './brush.ts'
import { changedSearch, performanceParams, routeSearch, scopeSearch, withinRange } from './params.ts'
import { statementPage, statementSearch } from './statement-link.tsx'
import { keyedBrush } from './use-time-brush.ts'
import { deltaOf, filledSeries, linePath, opWord, performanceWords, relativeChange, toneOf, topOf } from './words.ts'

const words = performanceWords('en')
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

test.each([
  [null, '–'],
  [0.42, '0.42 ms'],
  [940, '940 ms'],
  [1620, '1.62 s'],
  [130_000, '2.17 min'],
])('a duration of %s ms is %s', (ms, text) => expect(plain(words.duration(ms))).toBe(text))

test.each([
  [31_000, '31 s'],
  [52 * 60_000, '52 min'],
  [15.3 * 3_600_000, '15.3 h'],
])('a long time of %s ms is %s', (ms, text) => expect(plain(words.long(ms))).toBe(text))

test('counts, rates, changes and sizes', () => {
  expect([words.count(41_204), words.exact(41_204), words.rate(0.019), words.rate(null)]).toEqual([
    '41.2K',
    '41,204',
    '1.9%',
    '–',
  ])
  expect([words.change(0.41), words.change(0), words.score(0.476), words.apdex(0.8)]).toEqual([
    '+41%',
    '0%',
    '48',
    '0.80',
  ])
  expect([plain(words.bytes(318_546)), plain(words.bytes(2.5e6))]).toEqual(['319 kB', '2.5 MB'])
  expect(plain(performanceWords('de').duration(1620))).toBe('1,62 s')
})

test.each([
  [null, undefined],
  [0.04, undefined],
  [0.41, 'worse'],
  [-0.12, 'better'],
] as const)('a change of %s is %s', (change, tone) => expect(toneOf(change)).toBe(tone))

test.each([
  ['pageload', 'load'],
  ['http.server', 'request'],
  ['queue.process', 'task'],
  ['grpc', undefined],
] as const)('the op %s is a %s', (op, word) => expect(opWord(op)).toBe(word))

test.each([
  [1, 1],
  [2380, 2500],
  [7100, 8000],
  [9000, 10_000],
])('the axis of %d ms ends at %d', (ms, top) => expect(topOf(ms)).toBe(top))

test('a line begins at zero and closes gaps; a single point is a dot', () => {
  expect(linePath([0, 10], 10, 10)).toBe('M0 10L10 0')
  expect(linePath([10, null, 5], 10, 10)).toBe('M0 0L10 5')
  expect(linePath([null, 5], 10, 10)).toBe('M10 0h.01')
  expect(linePath([5], 10, 10)).toBe('M0 0h.01')
  expect(linePath([null], 10, 10)).toBe('')
})

test('a series has a point for each bucket of the range', () => {
  expect(filledSeries([{ startS: 60, value: 5 }], 30_000, 150_000, 60)).toEqual([
    { startS: 0, value: null },
    { startS: 60, value: 5 },
    { startS: 120, value: null },
  ])
})

test('the URL is read with defaults for what it does not know', () => {
  expect(performanceParams({})).toMatchObject({
    range: { kind: 'relative', period: '7d' },
    sort: 'lost',
    statementSort: 'total',
    against: 'previous',
    at: 0,
    brush: undefined,
  })
  expect(performanceParams({ t: '24h', sort: 'count', at: '100', brush: '250-1000.5', against: 'week' })).toMatchObject(
    {
      range: { period: '24h' },
      sort: 'lost',
      statementSort: 'count',
      at: 100,
      brush: { fromMs: 250, toMs: 1000.5 },
      against: 'week',
    },
  )
  for (const brush of ['', 'x', '5-5', '9-1', '1-99999999999'])
    expect(performanceParams({ brush }).brush, brush).toBeUndefined()
  expect(performanceParams({ brush: '250-' }).brush).toEqual({ fromMs: 250, toMs: 86_400_000 })
})

test('a filter returns to the first page, a selection does not; tabs keep the scope alone', () => {
  const search = new URLSearchParams('at=100&q=a&project=web')
  expect(changedSearch(search, { q: 'b' })).toBe('?q=b&project=web')
  expect(changedSearch(search, { open: '1-a' })).toBe('?at=100&q=a&project=web&open=1-a')
  expect(changedSearch(new URLSearchParams('q=a'), { q: null })).toBe('')
  expect(scopeSearch(search)).toBe('?project=web')
})

const distribution = [
  { from: 100, to: 112.2, samples: 4, count: 40 },
  { from: 1000, to: 1122, samples: 2, count: 20 },
]

test('a distribution has no gaps and at least a power of ten', () => {
  const buckets = bucketsOf(distribution)
  expect(buckets).toHaveLength(21)
  expect([buckets[0]?.count, buckets[10]?.count, buckets[20]?.count]).toEqual([40, 0, 20])
  expect(buckets[10]?.fromMs).toBeCloseTo(316.2, 1)
  expect(bucketsOf(distribution.slice(0, 1)).length).toBeGreaterThanOrEqual(20)
  expect(bucketsOf([])).toEqual([])
})

test('a selection stays within the chart, and its ends stop at each other', () => {
  expect(brushOf(9, -3, 8)).toEqual({ from: 0, to: 7 })
  expect(movedBrush({ from: 2, to: 4 }, 'from', 9, 8)).toEqual({ from: 4, to: 4 })
  expect(movedBrush({ from: 2, to: 4 }, 'to', 9, 8)).toEqual({ from: 2, to: 7 })
})

test('durations select their buckets; without any the slowest part is selected', () => {
  const buckets = bucketsOf(distribution)
  expect(brushOfDurations(buckets, 1000, 1122)).toEqual({ from: 20, to: 20 })
  expect(brushOfDurations(buckets, 5000, 6000)).toBeUndefined()
  expect(slowestPart(buckets, 1000)).toEqual({ from: 20, to: 20 })
  expect(slowestPart(buckets, null)).toBeUndefined()
})

test.each(['/orders/[id]', '/a b/"><img src=x>', '/files/*', '/x\\y'])(
  'a link to the routes named %s finds that name',
  (route) => {
    const q = new URLSearchParams(routeSearch('?t=7d', route)).get('q') ?? ''
    expect(routeFilterOf(q, { projects: [], projectsBefore: [] })).toEqual({
      op: 'match',
      column: 'route',
      match: 'is',
      text: route,
    })
  },
)

test('a link to a statement names the project of its route, whichever projects are shown', () => {
  for (const kept of ['', '?project=web,api&t=7d']) {
    const search = new URLSearchParams(statementSearch(kept, 'api', 'SELECT 1'))
    expect([search.get('project'), search.get('q')]).toEqual(['api', 'SELECT 1'])
  }
  expect(statementSearch('?t=7d', 'api', 'x'.repeat(300))).toBe(`?t=7d&project=api&q=${'x'.repeat(250)}`)
})

test.each([
  ['db', 'queries'],
  ['5+ × db', 'queries'],
  ['http.client', 'requests'],
  ['5+ × http.client', 'requests'],
  ['resource.script', 'assets'],
  ['ui.render', undefined],
  ['', undefined],
])('spans of %j are on the page %s', (category, page) => expect(statementPage(category)).toBe(page))

test('a part of the range is in the address, and not kept outside of the range', () => {
  expect(performanceParams({ during: '1000-2000' }).during).toEqual({ fromMs: 1000, toMs: 2000 })
  for (const during of ['2000-1000', '5-5', 'x-1', '-', '1-99999999999999'])
    expect(performanceParams({ during }).during).toBeUndefined()
  const range = { start: new Date(1500).toISOString(), end: new Date(9000).toISOString() }
  expect(withinRange({ fromMs: 1000, toMs: 2000 }, range)).toEqual({ fromMs: 1000, toMs: 2000 })
  expect(withinRange({ fromMs: 1000, toMs: 1500 }, range)).toBeUndefined()
  expect(withinRange({ fromMs: 9000, toMs: 9500 }, range)).toBeUndefined()
  expect(changedSearch(new URLSearchParams('at=100'), { during: '1-2' })).toBe('?at=100&during=1-2')
})

const chosen = { from: 3, to: 5 }
test.each([
  ['ArrowLeft', 5, false, chosen, 4, chosen],
  ['End', 5, false, undefined, 9, undefined],
  ['Enter', 4, false, chosen, 4, { from: 4, to: 4 }],
  [' ', 4, false, undefined, 4, { from: 4, to: 4 }],
  ['ArrowRight', 5, true, chosen, 6, { from: 3, to: 6 }],
  ['ArrowLeft', 3, true, chosen, 2, { from: 2, to: 5 }],
  ['ArrowRight', 7, true, undefined, 8, { from: 7, to: 8 }],
  ['Home', 7, true, undefined, 0, { from: 0, to: 7 }],
  ['Escape', 7, false, chosen, 7, undefined],
] as const)('%s at bucket %d of a trend (extending: %s)', (key, at, isExtending, shown, next, brush) =>
  expect(keyedBrush(key, { at, count: 10, isExtending, shown })).toEqual({ at: next, brush }),
)
test('other keys stay with the page', () => {
  expect(keyedBrush('j', { at: 1, count: 10, isExtending: false, shown: chosen })).toBeUndefined()
  expect(keyedBrush('Escape', { at: 1, count: 10, isExtending: false, shown: undefined })).toBeUndefined()
})

test.each([
  ['time', 150, 100, 0.5, 'worse'],
  ['time', 80, 100, -0.2, 'better'],
  ['time', 104, 100, undefined, undefined],
  ['time', 100, null, undefined, undefined],
  ['time', 100, 0, undefined, undefined],
  ['count', 300, 100, 2, undefined],
  ['rate', 0.019, 0.008, 0.011, 'worse'],
  ['rate', 0, 0.008, -0.008, 'better'],
  ['rate', 0.0194, 0.019, undefined, undefined],
  ['score', 0.48, 0.77, -0.29, 'worse'],
  ['score', 0.9, 0.89, 0.01, 'better'],
] as const)('a %s of %s after %s changed by %s, which is %s', (kind, now, before, change, tone) => {
  const delta = deltaOf(kind, now, before)
  if (change === undefined) return expect(delta).toBeUndefined()
  expect(delta?.change).toBeCloseTo(change, 9)
  expect(delta?.tone).toBe(tone)
})

test('a change in points has its sign', () => {
  expect([words.points(0.011), words.points(-0.29)]).toEqual(['+1.1', '-29'])
})

test('throughput and changes of figures', () => {
  expect([words.perMinute(0.00417), words.perMinute(12.345), words.perMinute(41_204)]).toEqual([
    '0.00417',
    '12.3',
    '41.2K',
  ])
  expect([relativeChange(150, 100), relativeChange(null, 100), relativeChange(1, null), relativeChange(1, 0)]).toEqual([
    0.5,
    null,
    null,
    null,
  ])
})
