import { describe, expect, it } from 'vitest'
import { restPlan } from '../../../contract/explore/explore.ts'
import { exploreParams } from '../explore/params.ts'
import { changedSearch, isPlain, metricParams, metricsInExplore, toggledPair } from './params.ts'

const at = (search: string) => metricParams(new URLSearchParams(search))
const whole = { kind: 'relative', period: '24h' }

describe('the state in the address', () => {
  it('falls back to the newest metrics of a day', () => {
    const plain = at('')
    expect(plain).toMatchObject({ q: '', sort: 'newest', at: 0, name: '', where: [], range: whole })
    expect(plain.bucketMs).toBeUndefined()
    expect(at('sort=oldest&at=-1&t=9y&bucket=now&from=x')).toEqual(plain)
    expect(isPlain(plain)).toBe(true)
  })

  it.each([
    ['at=999999', { at: 100_000 }],
    ['at=1234567', { at: 0 }],
    ['bucket=9999999999999', { bucketMs: 4_294_967_295_000 }],
    [`name=${'n'.repeat(300)}`, { name: 'n'.repeat(250) }],
    ['agg=0123456789012345678901', { aggregate: '01234567890123456789' }],
    ['from=1969-01-01T00:00:00Z&to=1971-01-01T00:00:00Z', { range: whole }],
    ['from=2000-01-01T00:00:00Z&to=2020-01-01T00:00:00Z', { range: whole }],
    [
      'where=a%3D1%26%3D2%26b%3D',
      {
        where: [
          { key: 'a', value: '1' },
          { key: 'b', value: '' },
        ],
      },
    ],
  ])('is bounded: %s', (search, wanted) => expect(at(search)).toMatchObject(wanted))

  it('has at most ten filters', () => {
    const where = Array.from({ length: 12 }, (_, index) => `k${index}=v`).join('&')
    expect(at(`where=${encodeURIComponent(where)}`).where).toHaveLength(10)
  })

  it.each(['q=a', 'project=web', 'env=dev', 'at=50'])('%s is a filter', (search) =>
    expect(isPlain(at(search))).toBe(false),
  )
})

describe('a change', () => {
  const full = 'q=a&at=50&name=m&agg=p95&by=plan&where=a%3D1&bucket=1&group=x'
  it.each([
    ['the search', { q: 'b' }, { q: 'b', at: null, name: 'm', bucket: null, group: null, by: 'plan' }],
    ['another metric', { name: 'n' }, { name: 'n', agg: null, by: null, where: null, at: '50', bucket: null }],
    ['another page', { at: '100' }, { at: '100', name: 'm', bucket: null }],
    ['an open bucket', { bucket: '2' }, { bucket: '2', at: '50', name: 'm', by: 'plan' }],
  ])('of %s keeps what fits', (_name, change, wanted) => {
    const search = new URLSearchParams(changedSearch(new URLSearchParams(full), change))
    for (const [name, value] of Object.entries(wanted)) expect([name, search.get(name)]).toEqual([name, value])
  })

  it.each([
    [[], { key: 'a', value: '1' }, 'a=1'],
    [[{ key: 'a', value: '1' }], { key: 'a', value: '1' }, ''],
    [[{ key: 'a', value: '1' }], { key: 'a', value: '2' }, 'a=2'],
    [[{ key: 'a', value: '1' }], { key: 'b', value: '& =' }, 'a=1&b=%26+%3D'],
  ])('of the filters %j by %j is %s', (where, pair, wanted) => expect(toggledPair(where, pair)).toBe(wanted))
})

describe('open in Explore', () => {
  it.each([
    ['', 'count', '', ['count()'], []],
    ['name=cart.size', 'p95', 'metric.name:cart.size', ['p95(value)'], []],
    ['name=cart.size&by=plan', 'sum', 'metric.name:cart.size', ['sum(value)'], ['plan']],
    ['name=jobs&agg=rate', 'rate', 'metric.name:jobs', ['sum(value)'], []],
    ['name=memory', 'last', 'metric.name:memory', ['avg(value)'], []],
    ['name=a%20%22b*', 'count', 'metric.name:"a \\"b\\*"', ['count()'], []],
    ['name=m&where=plan%3Dpro%2520x%26region%3Deu', 'avg', 'metric.name:m plan:"pro x" region:eu', ['avg(value)'], []],
    ['name=m&where=service%3Dshop', 'avg', 'metric.name:m service:shop', ['avg(value)'], []],
    ['name=m&where=value%3D1', 'avg', 'metric.name:m tags[value]:1', ['avg(value)'], []],
  ])('of %j drawn as %s', (search, aggregate, query, series, groupBy) => {
    const params = at(`${search}&project=web&env=dev&t=7d`)
    const opened = exploreParams(
      new URL(metricsInExplore('acme', params, aggregate), 'http://mishap.test').searchParams,
    )
    expect(opened).toMatchObject({ project: 'web', env: 'dev', range: { kind: 'relative', period: '7d' } })
    expect(opened.plan).toMatchObject({ dataset: 'metrics', query, groupBy })
    expect(opened.plan.series.map((part) => part.aggregate)).toEqual(series)
    expect(restPlan.safeParse(opened.plan).success).toBe(true)
  })
})
