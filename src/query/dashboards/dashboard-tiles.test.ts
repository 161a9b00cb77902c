import { describe, expect, it, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import { newDashboardBody, restTile } from '../../contract/explore/dashboards.ts'
import { queriesOfPlan, tilesOf } from './dashboard-tiles.ts'
import { readyDashboards } from './ready-dashboards.ts'

const query = (given: object) => ({
  name: '',
  fields: [],
  aggregates: [],
  columns: [],
  conditions: '',
  orderby: '',
  ...given,
})
const tile = (given: object) =>
  newDashboardBody.parse({ title: 'X', widgets: [{ title: 'T', displayType: 'line', widgetType: 'spans', ...given }] })
    .widgets
const made = (given: object) => {
  const [only] = tilesOf(tile(given), [])
  if (!only) throw new Error('no tile')
  return only
}
const planOf = (queries: object[], given: object = {}) => made({ queries: queries.map(query), ...given }).plan

describe('the plan of queries', () => {
  it('one aggregate without a filter', () =>
    expect(planOf([{ aggregates: ['count()'], fields: ['count()'] }])).toEqual({
      dataset: 'spans',
      query: '',
      columns: [],
      groupBy: [],
      series: [{ name: 'a', aggregate: 'count()' }],
      formulas: [],
      order: '',
      limit: 5,
    }))
  it('fields alone, as older clients send them', () =>
    expect(planOf([{ fields: ['span.op', 'p95(span.duration)'] }])).toMatchObject({
      groupBy: ['span.op'],
      series: [{ name: 'a', aggregate: 'p95(span.duration)' }],
    }))
  it('equal filters are the filter of all series, others belong to theirs', () => {
    const count = { aggregates: ['count()'] }
    expect(
      planOf([
        { ...count, conditions: 'a:1' },
        { ...count, conditions: 'a:1' },
      ]),
    ).toMatchObject({
      query: 'a:1',
      series: [{ name: 'a', aggregate: 'count()' }],
    })
    expect(
      planOf([
        { ...count, conditions: 'a:1' },
        { ...count, conditions: 'a:2 OR a:3' },
      ]),
    ).toMatchObject({
      query: '',
      series: [
        { name: 'a', aggregate: 'count()', query: 'a:1' },
        { name: 'b', aggregate: 'count()', query: 'a:2 OR a:3' },
      ],
    })
  })
  it('an equation is a formula over the series in it', () =>
    expect(
      planOf([{ aggregates: ['count()', 'equation|count() / count_unique(user.id) * 100'], orderby: '-equation[0]' }]),
    ).toMatchObject({
      series: [
        { name: 'a', aggregate: 'count()' },
        { name: 'b', aggregate: 'count_unique(user.id)' },
      ],
      formulas: [{ name: 'c', expression: 'a / b * 100' }],
      order: '-c',
    }))
  it('a metric is in its aggregate', () =>
    expect(
      planOf([{ aggregates: ['sum(value,queue."depth,gauge,none)'], conditions: 'host:a' }], {
        widgetType: 'tracemetrics',
      }),
    ).toMatchObject({
      query: 'host:a',
      series: [{ aggregate: 'sum(value)', query: 'metric.name:"queue.\\"depth" metric.type:"gauge"' }],
    }))
  it('a filter beside the one of a metric cannot leave it', () => {
    const queries = ['host:a', 'host:b) OR (host:c'].map((conditions) => ({
      aggregates: ['sum(value,queue.depth,gauge,none)'],
      conditions,
    }))
    expect(() => planOf(queries, { widgetType: 'tracemetrics' })).toThrow(/Invalid query/)
  })
  it('a table of rows has columns', () =>
    expect(
      planOf([{ fields: ['message', 'severity'], columns: ['message', 'severity'], orderby: '-severity' }], {
        displayType: 'table',
        widgetType: 'logs',
        limit: 7,
      }),
    ).toMatchObject({ columns: ['message', 'severity'], series: [], groupBy: [], order: '-severity', limit: 7 }))
  it.each<[string, string]>([
    ['-count()', '-a'],
    ['p95(span.duration)', 'b'],
    ['span.op', 'span.op'],
    ['', ''],
  ])('the order %s is %s', (orderby, order) =>
    expect(planOf([{ columns: ['span.op'], aggregates: ['count()', 'p95(span.duration)'], orderby }])?.order).toBe(
      order,
    ),
  )
})

describe('what cannot be kept is refused by its field', () => {
  const count = query({ aggregates: ['count()'] })
  test.each<[string, object]>([
    ['widgets[0].queries', { queries: [] }],
    ['widgets[0].queries[0].aggregates', { queries: [query({ columns: ['a'] })] }],
    ['widgets[0].queries[0].fields', { queries: [query({ columns: ['a'], aggregates: ['count()'], fields: ['b'] })] }],
    ['widgets[0].queries[0].orderby', { queries: [query({ aggregates: ['count()'], orderby: '-a' })] }],
    ['widgets[0].queries[1].columns', { queries: [count, query({ aggregates: ['count()'], columns: ['a'] })] }],
    [
      'widgets[0].queries[1]',
      { displayType: 'table', queries: [query({ columns: ['a'] }), query({ columns: ['a'] })] },
    ],
    ['widgets[0].queries[1]', { displayType: 'big_number', queries: [count, count] }],
    ['widgets[0].queries[0].aggregates', { displayType: 'big_number', queries: [query({ columns: ['a'] })] }],
    ['widgets[0].displayType', { widgetType: 'issue', displayType: 'line' }],
    ['widgets[0].queries[1]', { widgetType: 'issue', displayType: 'table', queries: [count, count] }],
    ['widgets[0].queries', { displayType: 'text', queries: [count] }],
    ['widgets[0].layout', { queries: [count], layout: { x: 5, y: 0, w: 2, h: 1 } }],
    ['widgets[0].plan.dataset', { plan: { dataset: 'logs', series: [{ name: 'a', aggregate: 'count()' }] } }],
    ['widgets[0].plan.series', { plan: { dataset: 'spans', columns: ['a'] } }],
  ])('%s: %j', (field, given) => {
    let fields: unknown
    try {
      made(given)
    } catch (error) {
      fields = error instanceof MishapError ? error.fields : error
    }
    expect(Object.keys(fields as object)).toEqual([field])
  })
  test.each([
    [{ displayType: 'world_map' }],
    [{ widgetType: 'metrics' }],
    [{ thresholds: { max_values: {} } }],
    [{ unheardOf: 1 }],
    [{ interval: 'often' }],
    [{ layout: { x: -1, y: 0, w: 2, h: 1 } }],
  ])('the shape refuses %j', (given) => expect(() => tile(given)).toThrow(/widgets/))
})

describe('a tile goes out and in again without a loss', () => {
  const plan = {
    dataset: 'spans' as const,
    query: 'is_transaction:true',
    columns: [],
    groupBy: ['span.op'],
    series: [
      { name: 'a', aggregate: 'count()', query: 'span.status:ok' },
      { name: 'b', aggregate: 'count()' },
    ],
    formulas: [{ name: 'share', expression: 'a / b * 100' }],
    order: '-share',
    limit: 7,
    compare: 'previous' as const,
  }
  it('a plan with a formula, filters of series and a comparison', () => {
    const first = made({ plan })
    expect(first.plan).toEqual(plan)
    const { id: _id, ...sent } = first
    expect(made(sent)).toEqual(first)
  })
  it('queries stay as they came, with names and aliases', () => {
    const queries = [query({ name: 'Mine', aggregates: ['count()'], fields: ['count()'], fieldAliases: ['n'] })]
    const first = made({ queries })
    expect(first.queries).toEqual(queries)
    expect(made(first)).toEqual(first)
  })
  it('changed queries count more than the plan that was sent back with them', () => {
    const first = made({ plan: { ...plan, series: [{ name: 'a', aggregate: 'count()' }], formulas: [], order: '' } })
    const queries = first.queries.map((own) => ({ ...own, conditions: 'changed:1' }))
    expect(made({ ...first, queries }).plan).toMatchObject({ query: 'changed:1' })
  })
  it('ids of known tiles stay, new ones get the next', () => {
    const bodies = tile({ id: 7, plan })
    const both = [...bodies, ...tile({ id: '99', plan }), ...tile({ plan })]
    expect(tilesOf(both, ['7', '3']).map(({ id }) => id)).toEqual(['7', '8', '9'])
  })
  it('tiles without a place get free ones', () => {
    const tiles = tilesOf(
      [...tile({ plan }), ...tile({ plan }), ...tile({ plan, layout: { x: 0, y: 0, w: 3, h: 2 } })],
      [],
    )
    expect(tiles.map(({ layout }) => [layout.x, layout.y])).toEqual([
      [3, 0],
      [0, 2],
      [0, 0],
    ])
  })
})

describe.each(readyDashboards)('the ready-made dashboard $name', ({ content }) => {
  it('has tiles that could be stored, and none covers another', () => {
    const cells = content.widgets.flatMap(({ layout: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_cell, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    const again = newDashboardBody.parse({ title: 'X', widgets: content.widgets }).widgets
    expect(
      tilesOf(
        again,
        content.widgets.map(({ id }) => id),
      ),
    ).toEqual(content.widgets)
    expect(content.widgets.map((own) => restTile.parse(own))).toEqual(content.widgets)
  })
  it('has plans that say the same as their queries', () => {
    for (const own of content.widgets) if (own.plan) expect(queriesOfPlan(own.plan)).toEqual(own.queries)
  })
})
