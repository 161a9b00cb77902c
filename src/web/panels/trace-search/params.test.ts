import { expect, test } from 'vitest'
import { restPlan } from '../../../contract/explore/explore.ts'
import { spanKeyOf } from '../../../query/traces/span-keys.ts'
import { changedSearch, isPlain, spanPlan, traceParams, withDuration, withoutDuration } from './params.ts'

const read = (search: string) => traceParams(new URLSearchParams(search))

test('traces of the last 24 hours, newest first, unless the address says otherwise', () => {
  expect(read('')).toMatchObject({ mode: 'traces', sort: 'newest', range: { period: '24h' }, at: 0 })
  expect(isPlain(read('t=7d'))).toBe(true)
  expect(read('mode=spans&sort=slowest&q=+a+&at=50')).toMatchObject({ mode: 'spans', sort: 'slowest', q: 'a', at: 50 })
})

test.each(['mode=x&sort=y&t=z&at=-1', 'at=99999999', 'from=1500-01-01&to=2020-01-01', 'from=2020-01-02&to=2020-01-01'])(
  'what is wrong in %s falls back',
  (search) => {
    expect(read(search)).toMatchObject({ mode: 'traces', sort: 'newest', range: { period: '24h' }, at: 0 })
  },
)

test('every change but that of the page returns to the first page', () => {
  const search = new URLSearchParams('q=a&at=50')
  expect(changedSearch(search, { sort: 'slowest' })).toBe('?q=a&sort=slowest')
  expect(changedSearch(search, { at: '100' })).toBe('?q=a&at=100')
  expect(changedSearch(search, { q: null })).toBe('?q=')
})

test.each<[q: string, wanted: string]>([
  ['', 'span.duration:>=250ms span.duration:<1.26s'],
  ['span.op:db', 'span.op:db span.duration:>=250ms span.duration:<1.26s'],
  ['span.duration:>1s span.op:db span.duration:<=2s', 'span.op:db span.duration:>=250ms span.duration:<1.26s'],
])('a selection of durations replaces those in %j', (q, wanted) => {
  expect(withDuration(q, 250, 1260)).toBe(wanted)
  expect(withoutDuration(wanted)).toBe(withoutDuration(q))
})

test.each([
  ['', ''],
  ['mode=spans&sort=slowest&q=span.op:db', 'span.op:db'],
])('an export of %j writes the spans that match', (search, query) => {
  const plan = spanPlan(read(search))
  expect(plan).toMatchObject({ dataset: 'spans', query, series: [], order: '-timestamp' })
  expect(restPlan.safeParse(plan).success).toBe(true)
  for (const name of plan.columns) expect([name, spanKeyOf(name)?.source.in]).toEqual([name, expect.any(String)])
})
