import { describe, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import type { Plan } from '../../contract/explore/explore.ts'
import type { Explained } from '../../store/events/question.ts'
import type { PlanView } from '../compile/dataset.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { sqlOfPlan, wordsOfPlan } from './plan-words.ts'

const hourMs = 3_600_000
const view: PlanView = {
  projects: [],
  environments: ['production'],
  range: { fromMs: hourMs, toMs: 2 * hourMs, period: 'range' },
  meUserId: '',
}
const planOf = (given: Partial<Plan>): Plan => ({
  dataset: 'spans',
  query: '',
  columns: [],
  groupBy: [],
  series: [],
  formulas: [],
  order: '',
  limit: 10,
  ...given,
})
const count = { name: 'a', aggregate: 'count()' }

/** Returns the SQL of a plan, and the questions that the store was asked to write as SQL. */
async function explained(
  given: Partial<Plan>,
  options: Parameters<typeof sqlOfPlan>[3] = { shape: 'table' },
): Promise<{ sql: string | undefined; asked: Explained[] }> {
  const asked: Explained[] = []
  const events = {
    explain: (question: Explained) => {
      asked.push(question)
      return 'SELECT 1'
    },
  }
  const deps = { clock: testClock(), events } as unknown as QueryDeps
  return { sql: await sqlOfPlan(deps, view, planOf(given), options), asked }
}

describe('a plan in words', () => {
  const rows = { part: 'rows', dataset: 'spans', columns: [] }
  const series = { part: 'series', dataset: 'spans', name: 'a', aggregate: 'count()', query: '' }
  const ofRows = { part: 'limit', rows: 10, of: 'rows' }
  const ofGroups = { part: 'limit', rows: 10, of: 'groups' }

  test.each<[name: string, given: Partial<Plan>, words: object[]]>([
    ['an empty plan is a list', {}, [rows, ofRows]],
    ['a list keeps the order of its columns', { columns: ['id', 'a'] }, [{ ...rows, columns: ['id', 'a'] }, ofRows]],
    ['a series hides the columns', { columns: ['id'], series: [count] }, [series, ofGroups]],
    ['groups alone are counted', { groupBy: ['b'] }, [series, { part: 'groups', fields: ['b'] }, ofGroups]],
    [
      'groups with a series are not counted as well',
      { groupBy: ['b'], series: [{ name: 'x', aggregate: 'p95()' }] },
      [{ ...series, name: 'x', aggregate: 'p95()' }, { part: 'groups', fields: ['b'] }, ofGroups],
    ],
    [
      'each series keeps its own filter',
      {
        series: [
          { ...count, query: 'a:1' },
          { ...count, name: 'b' },
        ],
      },
      [{ ...series, query: 'a:1' }, { ...series, name: 'b' }, ofGroups],
    ],
    ['a filter of spaces is none', { query: ' \t\n' }, [rows, ofRows]],
    ['a filter keeps its spaces', { query: ' a:1 ' }, [rows, { part: 'filter', query: ' a:1 ' }, ofRows]],
    [
      'an order without a sign ascends',
      { order: 'id' },
      [rows, { part: 'order', by: 'id', descending: false }, ofRows],
    ],
    [
      'only the first sign is the direction',
      { order: '-first-seen' },
      [rows, { part: 'order', by: 'first-seen', descending: true }, ofRows],
    ],
    ['the period before comes last', { compare: 'previous' }, [rows, ofRows, { part: 'previous' }]],
    ['another dataset', { dataset: 'outcomes' }, [{ ...rows, dataset: 'outcomes' }, ofRows]],
  ])('%s', (_name, given, words) => {
    expect(wordsOfPlan(planOf(given))).toEqual(words)
  })
})

describe('the SQL of a plan', () => {
  test('a table has the scope and the limit, and no buckets', async () => {
    const { sql, asked } = await explained({ series: [count], groupBy: ['span.op'], limit: 7 })
    expect(sql).toBe('SELECT 1')
    expect(asked).toMatchObject([
      {
        from: 'spans',
        scope: { projectIds: [], environments: ['production'], fromMs: hourMs, toMs: 2 * hourMs },
        values: [{ name: 'span.op' }],
        aggregates: [{ aggregate: { fn: 'count' } }],
        order: [{ at: 1, descending: true }],
        max: 7,
      },
    ])
    expect(asked[0]?.bucketMs).toBe(undefined)
  })

  test('a chart of nothing counts the rows', async () => {
    const { asked } = await explained({}, { shape: 'series' })
    expect(asked).toMatchObject([{ values: [], aggregates: [{ aggregate: { fn: 'count' } }], bucketMs: 60_000 }])
  })

  test('outcomes have none, whatever they ask', async () => {
    expect(await explained({ dataset: 'outcomes', order: 'nothing' })).toEqual({ sql: undefined, asked: [] })
  })

  test.each([1800, hourMs, 2 * hourMs])('buckets of %i ms fit the range of an hour', async (intervalMs) => {
    const { asked } = await explained({ series: [count] }, { shape: 'series', intervalMs })
    expect(asked).toMatchObject([{ bucketMs: intervalMs }])
  })

  test.each([0, -60_000, 999, 1799, 2000.5, Number.NaN])('buckets of %d ms are refused', async (intervalMs) => {
    await expect(explained({ series: [count] }, { shape: 'series', intervalMs })).rejects.toMatchObject({
      code: 'VALIDATION',
      fields: { interval: [expect.any(String)] },
    })
  })

  test('a table ignores the length of the buckets', async () => {
    expect(await explained({ series: [count] }, { shape: 'table', intervalMs: 0 })).toMatchObject({ sql: 'SELECT 1' })
  })
})

describe('a wrong plan has no SQL', () => {
  test.each<[name: string, given: Partial<Plan>, field: string, sentence: RegExp]>([
    ['a list without columns', {}, 'columns', /one column/],
    ['a function as a column', { columns: ['count()'] }, 'columns', /belongs to the series/],
    ['a function as a group', { groupBy: ['count()'] }, 'groupBy', /belongs to the series/],
    ['a field as a series', { series: [{ name: 'a', aggregate: 'span.op' }] }, 'series', /is no function/],
    ['a name of two series', { series: [count, count] }, 'series', /only once/],
    [
      'a formula with the name of the implied count',
      { groupBy: ['b'], formulas: [{ name: 'a', expression: '1' }] },
      'series',
      /once/,
    ],
    [
      'a formula of an unknown series',
      { series: [count], formulas: [{ name: 'f', expression: 'a + z' }] },
      'formulas',
      /^f: at position 5/,
    ],
    ['a formula of itself', { series: [count], formulas: [{ name: 'f', expression: 'f' }] }, 'formulas', /position 1/],
    ['an unknown order', { series: [count], order: '-b' }, 'order', /^"b" is no column/],
    ['a condition on a function in a series', { series: [{ ...count, query: 'count():>5' }] }, 'series', /all series/],
    ['a condition on a function in a list', { columns: ['id'], query: 'count():>5' }, 'query', /needs a series/],
  ])('%s is refused', async (_name, given, field, sentence) => {
    await expect(explained(given)).rejects.toMatchObject({
      code: 'VALIDATION',
      fields: { [field]: [expect.stringMatching(sentence)] },
    })
  })

  test.each([
    ['span.duration:abc', 'QUERY_TYPE'],
    ['(span.op:db', 'QUERY_SYNTAX'],
  ])('the filter %j is refused in both places', async (query, code) => {
    await expect(explained({ series: [count], query })).rejects.toMatchObject({ code })
    await expect(explained({ series: [{ ...count, query }] })).rejects.toMatchObject({ code })
  })
})
