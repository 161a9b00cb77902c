import { describe, expect, it, test } from 'vitest'
import type { PlanAnswer } from '../../../contract/explore/explore.ts'
import { bigNumber, chartSeries, heatRows, seriesLabel, sharedUnit } from './tile-words.ts'

type Column = PlanAnswer['columns'][number]
const column = (name: string, given: Partial<Column> = {}): Column => ({
  name,
  label: name,
  role: 'series',
  type: 'number',
  unit: null,
  ...given,
})
const query = {
  name: '',
  fields: ['count()'],
  aggregates: ['count()'],
  columns: [],
  fieldAliases: [],
  conditions: '',
  orderby: '',
}
const points = (...values: (number | null)[]) =>
  values.map((value, at) => ({ startMs: at * 60_000, value, incomplete: false }))
const answer = (series: PlanAnswer['series'], columns: Column[]): PlanAnswer => ({
  columns,
  rows: [],
  series,
  meta: {
    fromMs: 0,
    toMs: 1,
    scannedFromMs: 0,
    partial: null,
    samples: null,
    sampled: false,
    more: false,
    rowsRead: 0,
    bytesRead: 0,
    elapsedMs: 0,
  },
})
const count = column('a', { label: 'count()' })

test.each<[object, string]>([
  [{}, 'count()'],
  [{ name: 'Mine' }, 'Mine'],
  [{ name: 'Mine', fieldAliases: ['Errors'] }, 'Errors'],
  [{ fields: ['x()'], aggregates: ['x()'] }, 'count()'],
])('the label of a series with %j', (given, label) =>
  expect(seriesLabel({ queries: [{ ...query, ...given }] }, 'a', [count])).toBe(label),
)

describe('chartSeries', () => {
  const labels = (series: PlanAnswer['series']) =>
    chartSeries({ queries: [] }, answer(series, [count, column('b')])).map(({ label }) => label)
  it('are named by the series without groups, by groups with one series, by both with several', () => {
    expect(labels([{ name: 'a', group: [], points: [] }])).toEqual(['count()'])
    expect(labels([{ name: 'a', group: ['web', null], points: [] }])).toEqual(['web, –'])
    expect(
      labels([
        { name: 'a', group: ['web'], points: [] },
        { name: 'b', group: ['web'], points: [] },
      ]),
    ).toEqual(['web: count()', 'web: b'])
  })
})

test('one unit is shared, two are none', () => {
  expect(sharedUnit({ columns: [column('a', { unit: 'byte' }), column('g', { role: 'group', unit: 'x' })] })).toBe(
    'byte',
  )
  expect(sharedUnit({ columns: [column('a', { unit: 'byte' }), column('b')] })).toBeNull()
})

test.each<[Column[], PlanAnswer['rows'], object]>([
  [[count], [[7]], { value: 7, previous: null, change: null }],
  [[count, { ...count, role: 'previous' }], [[6, 4]], { value: 6, previous: 4, change: 0.5 }],
  [[count, { ...count, role: 'previous' }], [[6, 0]], { value: 6, previous: 0, change: null }],
  [[count, column('f', { role: 'formula', unit: 'ratio' })], [[6, 0.5]], { value: 0.5, unit: 'ratio' }],
  [[count], [], { value: null }],
  [[], [], { value: null }],
])('bigNumber of %j %j', (columns, rows, expected) => expect(bigNumber({ columns, rows })).toMatchObject(expected))

test('a heat map has shares of its largest value, and gaps', () => {
  const series = [
    { name: 'a', group: ['x'], points: points(2, null) },
    { name: 'a', group: ['y'], points: points(0, 4) },
    { name: 'b', group: ['y'], points: points(100) },
  ]
  expect(
    heatRows({ queries: [] }, answer(series, [count])).map(({ label, cells }) => [label, cells.map((c) => c.share)]),
  ).toEqual([
    ['x', [0.5, null]],
    ['y', [0, 1]],
  ])
})
