import { describe, expect, test } from 'vitest'
import type { Aggregate, Arithmetic, Filter, Question, Value } from '../../store/events/question.ts'
import type { MetaStore } from '../../store/meta/meta-store.ts'
import { ledgerQuestions, type RowQuestions } from './ledger.ts'

test('shares of many groups take time in proportion to the rows', async () => {
  let reads = 0
  const rows = Array.from({ length: 4000 }, (_, n) => ({
    hourMs: n * 3_600_000,
    projectId: 1,
    keyId: 0,
    category: 'error',
    itemType: '',
    outcome: 'accepted',
    reason: '',
    bytes: 0,
    get quantity() {
      reads++
      return 2
    },
  }))
  const ledger = { outcomesSince: async () => rows } as unknown as MetaStore['ledger']
  const found = await ledgerQuestions({ ledger }).groupRows({
    from: 'outcomes',
    scope: { projectIds: [1], environments: [], fromMs: 0, toMs: 4000 * 3_600_000 },
    filter: undefined,
    withCut: false,
    values: [{ of: 'time' }],
    aggregates: [{ fn: 'share' }, { fn: 'count' }],
    having: [{ aggregate: { fn: 'share' }, compare: '>', number: 0 }],
    order: [],
    max: 2,
    offset: 0,
  })
  expect(found[0]?.slice(1)).toEqual([1 / 4000, 2])
  expect(reads).toBeLessThan(10 * rows.length)
})

const hourMs = 3_600_000
type Stored = Awaited<ReturnType<MetaStore['ledger']['outcomesSince']>>[number]
const stored = (more: Partial<Stored> = {}): Stored => ({
  hourMs: 0,
  projectId: 1,
  keyId: 3,
  category: 'error',
  itemType: 'event',
  outcome: 'stored',
  reason: 'ok',
  quantity: 1,
  bytes: 100,
  ...more,
})
const text = (column: string): Value => ({ of: 'text', column })
const number = (column: string): Value => ({ of: 'number', column })
const asked: Question & { withCut: boolean } = {
  from: 'outcomes',
  scope: { projectIds: [1], environments: [], fromMs: 0, toMs: 4 * hourMs },
  filter: undefined,
  withCut: false,
}
const questions = (rows: readonly Stored[]) =>
  ledgerQuestions({ ledger: { outcomesSince: async () => rows } } as unknown as Pick<MetaStore, 'ledger'>)
const groups = (rows: readonly Stored[], more: Partial<Parameters<RowQuestions['groupRows']>[0]>) =>
  questions(rows).groupRows({
    ...asked,
    values: [],
    aggregates: [],
    having: [],
    order: [],
    max: 100,
    offset: 0,
    ...more,
  })

describe('what counts', () => {
  const count = async (rows: readonly Stored[], filter?: Filter) =>
    (await groups(rows, { aggregates: [{ fn: 'count' }], filter }))[0]?.[0]

  test('an item once: what was received and what was thinned later is counted elsewhere', async () => {
    const rows = (['received', 'thinned', 'stored', 'filtered'] as const).map((outcome) => stored({ outcome }))
    expect(await count(rows)).toBe(2)
  })
  test('the end of the range is not part of it', async () => {
    expect(await count([stored({ hourMs: 3 * hourMs }), stored({ hourMs: 4 * hourMs })])).toBe(1)
  })

  const is = (column: string, value: string): Filter => ({ op: 'match', value: text(column), match: 'is', text: value })
  const rows = [
    stored({ quantity: 1 }),
    stored({ quantity: 10, category: 'log_item', outcome: 'rate_limited', reason: 'key_limit', keyId: 0 }),
    stored({ quantity: 100, projectId: 2, itemType: '', bytes: 0 }),
  ]
  test.each<[string, Filter, number]>([
    ['is', is('category', 'error'), 101],
    ['is, whose case counts', is('category', 'Error'), 0],
    ['like', { op: 'match', value: text('reason'), match: 'like', text: 'KEY_*' }, 10],
    ['like without a star is all of the text', { op: 'match', value: text('reason'), match: 'like', text: 'key' }, 0],
    ['has', { op: 'match', value: text('item'), match: 'has', text: '' }, 11],
    ['has a key', { op: 'match', value: number('key'), match: 'has', text: '' }, 101],
    ['not', { op: 'not', of: is('category', 'error') }, 10],
    ['and', { op: 'and', of: [is('category', 'error'), { op: 'projects', ids: [2] }] }, 100],
    ['and of nothing', { op: 'and', of: [] }, 111],
    ['or', { op: 'or', of: [is('category', 'log_item'), { op: 'projects', ids: [2] }] }, 110],
    ['or of nothing', { op: 'or', of: [] }, 0],
    ['<', { op: 'compare', value: number('quantity'), compare: '<', number: 10 }, 1],
    ['<=', { op: 'compare', value: number('quantity'), compare: '<=', number: 10 }, 11],
    ['=', { op: 'compare', value: number('quantity'), compare: '=', number: 10 }, 10],
    ['>=', { op: 'compare', value: number('quantity'), compare: '>=', number: 10 }, 110],
    ['>', { op: 'compare', value: number('quantity'), compare: '>', number: 10 }, 100],
    ['a missing number meets no comparison', { op: 'compare', value: number('key'), compare: '<', number: 9 }, 101],
    ['a text is no number', { op: 'compare', value: text('category'), compare: '>=', number: 0 }, 0],
    ['a time', { op: 'compare', value: { of: 'time' }, compare: '>=', number: 0 }, 111],
    ['a condition on errors', { op: 'event', of: { op: 'and', of: [] } }, 0],
  ])('%s', async (_name, filter, wanted) => expect((await count(rows, filter)) ?? 0).toBe(wanted))

  test('a column that no outcome has is a mistake of the compiler', async () => {
    await expect(count(rows, is('nonsense', ''))).rejects.toThrow('no column: nonsense')
  })
})

describe('an aggregate', () => {
  const rows = [4, 1, 3, 2].map((quantity, n) =>
    stored({ quantity, bytes: n * 10, keyId: n % 2, category: n ? 'error' : 'span' }),
  )
  const of = number('quantity')
  const only: Filter = { op: 'match', value: text('category'), match: 'is', text: 'span' }
  const one = async (aggregates: readonly Aggregate[], own: readonly Stored[] = rows) =>
    (await groups(own, { aggregates }))[0]?.at(-1)

  test.each<[string, Aggregate, number | null]>([
    ['count', { fn: 'count' }, 10],
    ['count of some', { fn: 'count', only }, 4],
    ['rows', { fn: 'samples' }, 4],
    ['rows of all groups', { fn: 'allSamples' }, 4],
    ['share', { fn: 'share' }, 1],
    ['rate per hour over the four of the range', { fn: 'rate', perMs: hourMs }, 2.5],
    ['sum', { fn: 'sum', of }, 10],
    ['mean', { fn: 'avg', of }, 2.5],
    ['least', { fn: 'min', of }, 1],
    ['largest', { fn: 'max', of }, 4],
    ['rows with a number', { fn: 'valued', of: number('key') }, 2],
    ['different values, missing ones left out', { fn: 'unique', of: number('key') }, 1],
    ['median', { fn: 'percentile', level: 0.5, of }, 3],
    ['lowest percentile', { fn: 'percentile', level: 0, of }, 1],
    ['highest percentile', { fn: 'percentile', level: 1, of }, 4],
    ['sum of some', { fn: 'sum', of: number('bytes'), only }, 0],
    ['failures, which outcomes do not have', { fn: 'failureRate' }, null],
  ])('%s', async (_name, aggregate, wanted) => expect(await one([aggregate])).toBe(wanted))

  test.each<[Aggregate, number | null]>([
    [{ fn: 'count' }, 0],
    [{ fn: 'sum', of }, 0],
    [{ fn: 'unique', of }, 0],
    [{ fn: 'avg', of }, null],
    [{ fn: 'min', of }, null],
    [{ fn: 'percentile', level: 0.5, of }, null],
    [{ fn: 'share' }, null],
  ])('of no rows: %j is %j', async (aggregate, wanted) => expect(await one([aggregate], [])).toBe(wanted))

  const at = (place: number): Arithmetic => ({ op: 'aggregate', at: place })
  test.each<[string, Arithmetic, number | null]>([
    ['sum', { op: '+', of: [at(0), at(1)] }, 14],
    ['difference', { op: '-', of: [at(1), at(0)] }, -6],
    ['product', { op: '*', of: [at(0), { op: 'number', value: 3 }] }, 30],
    ['quotient', { op: '/', of: [at(1), at(0)] }, 0.4],
    ['division by zero', { op: '/', of: [at(0), { op: 'number', value: 0 }] }, null],
    ['of nothing', { op: '+', of: [at(0), at(2)] }, null],
    [
      'nested, of nothing',
      {
        op: '*',
        of: [
          { op: 'number', value: 0 },
          { op: '-', of: [at(2), at(0)] },
        ],
      },
      null,
    ],
  ])('formula: %s', async (_name, formula, wanted) => {
    const none: Aggregate = { fn: 'avg', of: number('quantity'), only: { op: 'or', of: [] } }
    expect(await one([{ fn: 'count' }, { fn: 'count', only }, none, { fn: 'formula', of: formula }])).toBe(wanted)
  })
})

describe('groups', () => {
  const rows = [
    stored({ category: 'error', quantity: 5 }),
    stored({ category: 'span', quantity: 5, hourMs }),
    stored({ category: 'span', quantity: 2, itemType: '' }),
    stored({ category: 'log_item', quantity: 1, itemType: '', keyId: 0 }),
  ]
  const by = (more: Partial<Parameters<RowQuestions['groupRows']>[0]>) =>
    groups(rows, { values: [text('category')], aggregates: [{ fn: 'count' }], ...more })

  test('the largest first, and equal ones always in the same order', async () => {
    const order = [{ at: 1, descending: true }]
    const wanted = [
      ['span', 7],
      ['error', 5],
      ['log_item', 1],
    ]
    expect(await by({ order })).toEqual(wanted)
    expect(await by({ order, max: 1, offset: 1 })).toEqual([wanted[1]])
    expect(await by({ order: [{ at: 0, descending: false }] })).toEqual([wanted[1], wanted[2], wanted[0]])
  })
  test.each([true, false])('a missing value comes last, descending or not: %j', async (descending) => {
    const found = await by({ values: [number('key')], order: [{ at: 0, descending }] })
    expect(found).toEqual([
      [3, 12],
      [null, 1],
    ])
  })
  test('only some', async () => {
    expect(await by({ only: [['error', 99], ['gone']] })).toEqual([['error', 5]])
  })
  test.each<[number, string[]]>([
    [5, ['error', 'span']],
    [7, ['span']],
    [8, []],
  ])('with at least %d', async (least, wanted) => {
    const found = await by({ having: [{ aggregate: { fn: 'count' }, compare: '>=', number: least }] })
    expect(found.map(([name]) => name)).toEqual(wanted)
  })
  test('the share of a group is a part of all groups, shown or not', async () => {
    expect(await by({ aggregates: [{ fn: 'share' }], only: [['error']] })).toEqual([['error', 5 / 13]])
  })
})

test('a series has the buckets with rows, and shares within each', async () => {
  const rows = [
    stored({ hourMs: 3 * hourMs, quantity: 4 }),
    stored({ hourMs: hourMs, quantity: 1 }),
    stored({ hourMs: hourMs, quantity: 3, category: 'span' }),
    stored({ quantity: 2, category: 'log_item' }),
  ]
  const found = await questions(rows).seriesOfRows({
    ...asked,
    values: [text('category')],
    aggregates: [{ fn: 'count' }, { fn: 'share' }, { fn: 'rate', perMs: hourMs }],
    only: [['error'], ['log_item']],
    bucketMs: 2 * hourMs,
  })
  expect(found).toEqual([
    { startMs: 0, group: ['error'], cells: [1, 1 / 6, 0.5] },
    { startMs: 0, group: ['log_item'], cells: [2, 2 / 6, 1] },
    { startMs: 2 * hourMs, group: ['error'], cells: [4, 1, 2] },
  ])
})

test('rows are listed newest first, with the times and cells of their columns', async () => {
  const rows = [
    stored({ category: 'span', itemType: '' }),
    stored({ hourMs, keyId: 0 }),
    stored({ hourMs: 2 * hourMs }),
  ]
  const list = (more: object) =>
    questions(rows).listRows({
      ...asked,
      values: [{ of: 'time' }, text('item'), number('key')],
      order: [],
      max: 2,
      offset: 0,
      ...more,
    })
  expect(await list({})).toEqual([
    ['1970-01-01T02:00:00.000Z', 'event', 3],
    ['1970-01-01T01:00:00.000Z', 'event', null],
  ])
  expect(await list({ offset: 2 })).toEqual([['1970-01-01T00:00:00.000Z', null, 3]])
  expect(await list({ order: [{ at: 0, descending: false }], max: 1 })).toEqual([['1970-01-01T00:00:00.000Z', null, 3]])
})
