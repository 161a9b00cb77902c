import { describe, expect, test } from 'vitest'
import type { RestSavedQuery } from '../../../contract/explore/saved-queries.ts'
import { headingOf, nextOrder, unitOf } from './cells.ts'
import { exploreParams, exploreSearch, ofDataset, ofMode, renamed, savedParams } from './params.ts'

const read = (search: string) => exploreParams(new URLSearchParams(search))
const projects = [{ id: '7', slug: 'web', name: 'Web' }]

test.each([
  '',
  '?dataset=logs&q=level%3Aerror&by=service',
  '?s=count%28%29&s=count%28%29+where+level%3Afatal&f=b+%2F+a&compare=1',
  '?kind=bar&dataset=spans&s=p95%28span.duration%29&by=span.op&by=route&sort=-a&n=10&project=web&env=production&t=7d',
  '?mode=rows&dataset=metrics&c=metric.name&c=value&from=2026-11-01T00%3A00%3A00.000Z&to=2026-11-02T00%3A00%3A00.000Z',
  '?mode=sql',
  '?saved=7',
])('the address %s is the state of the page, and back', (search) => {
  expect(exploreSearch(read(search))).toBe(search)
})

describe('a state', () => {
  test('without parameters counts the errors of a day', () => {
    expect(read('')).toMatchObject({
      mode: 'chart',
      range: { kind: 'relative', period: '24h' },
      plan: { dataset: 'errors', series: [{ name: 'a', aggregate: 'count()' }], groupBy: [], limit: 100 },
    })
  })

  test('names series and formulas in their order, and keeps the filter of a series', () => {
    const { plan } = read('?s=count()&s=count() where level:fatal tags[a where b]:c&f=b / a')
    expect(plan.series).toEqual([
      { name: 'a', aggregate: 'count()' },
      { name: 'b', aggregate: 'count()', query: 'level:fatal tags[a where b]:c' },
    ])
    expect(plan.formulas).toEqual([{ name: 'c', expression: 'b / a' }])
    expect(renamed({ ...plan, series: plan.series.slice(1) })).toMatchObject({
      series: [{ name: 'a' }],
      formulas: [{ name: 'b' }],
    })
  })

  test('takes nothing beyond the limits of a plan', () => {
    const many = Array.from({ length: 50 }, (_, n) => `by=f${n}&s=count()&f=a&c=c${n}`).join('&')
    const { plan } = read(`?${many}&n=99999999&dataset=none&mode=none&kind=none&saved=1x&t=soon`)
    expect([plan.groupBy.length, plan.series.length, plan.formulas.length, plan.limit, plan.dataset]).toEqual([
      5,
      10,
      10,
      10_000,
      'errors',
    ])
    expect(read(`?mode=rows&${many}`).plan.columns).toHaveLength(40)
  })

  test('of another dataset or mode starts with its own fields', () => {
    const params = read('?dataset=logs&q=level%3Aerror&by=service&project=web&saved=7')
    expect(exploreSearch(ofDataset(params, 'spans'))).toBe('?dataset=spans&project=web')
    expect(exploreSearch(ofMode(params, 'rows'))).toBe('?mode=rows&dataset=logs&q=level%3Aerror&project=web')
    expect(read('?dataset=outcomes').plan.series[0]?.aggregate).toBe('sum(quantity)')
  })

  test('of a saved query has its plan and its scope', () => {
    const { plan } = read('?dataset=logs&by=service')
    const scope = { projects: ['7'], environments: ['dev'], statsPeriod: '7d', start: null, end: null }
    const saved = { id: '3', plan, ...scope } as RestSavedQuery
    expect(exploreSearch(savedParams(saved, projects))).toBe(
      '?dataset=logs&by=service&project=web&env=dev&t=7d&saved=3',
    )
  })
})

test('columns say what they are, and how their numbers are written', () => {
  const column = { name: 'a', label: 'p95(span.duration)', role: 'series', type: 'duration', unit: null } as const
  expect([headingOf(column), unitOf(column)]).toEqual(['a: p95(span.duration)', 'millisecond'])
  expect(headingOf({ ...column, role: 'group', name: 'route' })).toBe('route')
  expect(unitOf({ type: 'percentage', unit: null })).toBe('ratio')
  expect(['', '-a', 'a'].map((order) => nextOrder(order, 'a'))).toEqual(['-a', 'a', ''])
})
