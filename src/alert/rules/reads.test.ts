import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import type { Measure } from '../../query/metrics/measures.ts'
import type { Aggregate, Filter } from '../../store/events/question.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { readWindows } from './reads.ts'
import { setMeasure, type WatchedRule, watchRule } from './watched.ts'

const minuteMs = 60_000
const noon = Date.UTC(2026, 10, 23, 12)
const limits = { seconds: 20 }

const routeIs = (text: string): Filter => ({
  op: 'match',
  value: { of: 'text', column: 'route' },
  match: 'is',
  text,
})

/** A rule that counts the spans of its own route, so that no two have an aggregate in common. */
function ruleOf(id: number, change: Partial<Measure> = {}, threshold: Partial<MetricCondition['threshold']> = {}) {
  const condition = { threshold: { type: 'fixed', direction: 'above', critical: 5, ...threshold } } as MetricCondition
  const watched = watchRule({ id, state: { memory: null } } as AlertRule, condition)
  const measure: Measure = {
    dataset: 'spans',
    from: 'spans',
    projectIds: [id],
    environments: [],
    filter: routeIs(`/${id}`),
    withCut: false,
    groups: [],
    isCount: true,
    stepMs: minuteMs,
    windowMs: 5 * minuteMs,
    recipes: { parts: [{ aggregate: { fn: 'count' }, merge: 'sum' }], uniques: [], valueOf: () => 0 },
    ...change,
  }
  setMeasure(watched, measure, noon)
  return { watched, measure, ends: [noon] }
}

type Asked = { aggregates: Aggregate[]; projectIds: number[]; fromMs: number; toMs: number }
type Counted = { parts: number; projectIds: number[]; fromMs: number; toMs: number }
type Scoped = { scope: { projectIds: number[]; fromMs: number; toMs: number } }

/** A rule that counts the users of its own route. */
function uniqueRuleOf(
  id: number,
  change: Partial<Measure> = {},
  threshold: Partial<MetricCondition['threshold']> = {},
) {
  const of = { of: 'id', column: 'user' } as const
  const { recipes } = ruleOf(id).measure
  return ruleOf(id, { recipes: { ...recipes, uniques: [{ of, only: undefined }] }, ...change }, threshold)
}

/** A store that notes what it is asked. Each statement has a row with as many rows as its place. */
function storeOf(
  failing: (asked: Asked) => unknown = () => undefined,
  failingCount: (counted: Counted) => unknown = () => undefined,
) {
  const asked: Asked[] = []
  const counted: Counted[] = []
  const events = {
    uniqueOfWindows: async ({ parts, scope }: Scoped & { parts: unknown[] }) => {
      const own = { parts: parts.length, projectIds: scope.projectIds, fromMs: scope.fromMs, toMs: scope.toMs }
      counted.push(own)
      const error = failingCount(own)
      if (error) throw error
      return parts.map((_, part) => ({ part, group: [], changes: [{ endMs: scope.fromMs, count: part + 1 }] }))
    },
    seriesOfRows: async (question: Scoped & { aggregates: Aggregate[] }) => {
      const { aggregates, scope } = question
      const own = { aggregates, projectIds: scope.projectIds, fromMs: scope.fromMs, toMs: scope.toMs }
      asked.push(own)
      const error = failing(own)
      if (error) throw error
      return [{ startMs: scope.fromMs, group: [], cells: aggregates.map((_, at) => at + 1) }]
    },
  }
  return { asked, counted, deps: { clock: testClock(noon), events, meta: {} } as unknown as QueryDeps }
}

const countsOf = (due: readonly { watched: WatchedRule }[]) =>
  due.map(({ watched }) => [...watched.buckets.values()].flat())

test('rules over the same dataset share a statement, each with its own condition', async () => {
  const due = [ruleOf(1), ruleOf(2), ruleOf(3)]
  const { asked, deps } = storeOf()
  expect((await readWindows(deps, due, limits)).size).toBe(0)
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ projectIds: [1, 2, 3], fromMs: noon - 5 * minuteMs, toMs: noon })
  expect(asked[0]?.aggregates[1]?.only).toEqual({ op: 'and', of: [{ op: 'projects', ids: [2] }, routeIs('/2')] })
  expect(countsOf(due)).toEqual([[1], [2], [3]])
})

test('equal aggregates are asked once', async () => {
  const same = { projectIds: [1], filter: undefined }
  const due = [ruleOf(1, same), ruleOf(2, same), ruleOf(3, same)]
  const { asked, deps } = storeOf()
  await readWindows(deps, due, limits)
  expect(asked[0]?.aggregates).toHaveLength(1)
  expect(countsOf(due)).toEqual([[1], [1], [1]])
})

test.each([
  ['datasets', { dataset: 'logs', from: 'logs' }],
  ['steps', { stepMs: 5 * minuteMs }],
  ['windows that are not read yet', { windowMs: 9 * minuteMs }],
  ['percentiles with cut spans', { withCut: true }],
] as [string, Partial<Measure>][])('different %s have different statements', async (_name, change) => {
  const { asked, deps } = storeOf()
  await readWindows(deps, [ruleOf(1), ruleOf(2, change)], limits)
  expect(asked).toHaveLength(2)
})

test('many rules are cut into statements', async () => {
  const { asked, deps } = storeOf()
  await readWindows(
    deps,
    Array.from({ length: 250 }, (_, at) => ruleOf(at + 1)),
    limits,
  )
  expect(asked.map(({ aggregates }) => aggregates.length)).toEqual([100, 100, 50])
})

test('a rule that is too much is found by halves, and the others are read', async () => {
  const due = Array.from({ length: 8 }, (_, at) => ruleOf(at + 1))
  const timeout = new MishapError('QUERY_TIMEOUT')
  const { asked, deps } = storeOf(({ projectIds }) => (projectIds.includes(6) ? timeout : undefined))
  const failures = await readWindows(deps, due, limits)
  expect([...failures]).toEqual([[due[5]?.watched, timeout]])
  expect(due.filter(({ watched }) => watched.buckets.size > 0)).toHaveLength(7)
  expect(asked).toHaveLength(7)
})

test('rules about different values share a statement, and each gets its own number', async () => {
  const due = [uniqueRuleOf(1), uniqueRuleOf(2), ruleOf(3), uniqueRuleOf(4)]
  const { counted, deps } = storeOf()
  expect((await readWindows(deps, due, limits)).size).toBe(0)
  expect(counted).toEqual([{ parts: 3, projectIds: [1, 2, 4], fromMs: noon - 5 * minuteMs, toMs: noon }])
  expect(due.map(({ watched }) => watched.uniques(noon))).toEqual([[1], [2], [], [3]])
})

test.each([
  ['datasets', { dataset: 'logs', from: 'logs' }],
  ['steps', { stepMs: 5 * minuteMs }],
  ['windows', { windowMs: 9 * minuteMs }],
] as [string, Partial<Measure>][])(
  'different values of different %s have different statements',
  async (_name, change) => {
    const { counted, deps } = storeOf()
    await readWindows(deps, [uniqueRuleOf(1), uniqueRuleOf(2, change)], limits)
    expect(counted.map(({ projectIds }) => projectIds)).toEqual([[1], [2]])
  },
)

test('many rules about different values are cut into statements', async () => {
  const { counted, deps } = storeOf()
  const due = Array.from({ length: 60 }, (_, at) => uniqueRuleOf(at + 1))
  await readWindows(deps, due, limits)
  expect(counted.map(({ parts }) => parts)).toEqual([25, 25, 10])
})

test('a rule whose different values are too many is found by halves, and the others are counted', async () => {
  const due = Array.from({ length: 8 }, (_, at) => uniqueRuleOf(at + 1))
  const timeout = new MishapError('QUERY_TIMEOUT')
  const { deps } = storeOf(undefined, ({ projectIds }) => (projectIds.includes(6) ? timeout : undefined))
  expect([...(await readWindows(deps, due, limits))]).toEqual([[due[5]?.watched, timeout]])
  expect(due.map(({ watched }) => (watched.uniques(noon)[0] ?? 0) > 0)).toEqual(due.map((_, at) => at !== 5))
})

test('different values are counted over the whole window that is compared with, each time', async () => {
  const due = [uniqueRuleOf(1, {}, { type: 'change', before: 'hour' })]
  const { counted, deps } = storeOf()
  const hourBefore = { fromMs: noon - 65 * minuteMs, toMs: noon - 60 * minuteMs }
  for (const endMs of [noon, noon + minuteMs]) {
    counted.length = 0
    await readWindows(
      deps,
      due.map((own) => ({ ...own, ends: [endMs] })),
      limits,
    )
    const lateMs = endMs - noon
    expect(counted).toMatchObject([
      { fromMs: endMs - 5 * minuteMs, toMs: endMs },
      { fromMs: hourBefore.fromMs + lateMs, toMs: hourBefore.toMs + lateMs },
    ])
    expect(due[0]?.watched.referenceUniques(endMs - 60 * minuteMs)).toEqual([1])
    for (const { watched } of due) watched.referenceTo = endMs
  }
})

test('an outage is no fault of a rule', async () => {
  const { asked, deps } = storeOf(() => new MishapError('STORE_UNAVAILABLE'))
  await expect(readWindows(deps, [ruleOf(1), ruleOf(2)], limits)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(asked).toHaveLength(1)
})

test('rules that compare ask when the first rows came, once an hour for the same projects', async () => {
  const change = { type: 'change', before: 'hour' } as const
  const shared = { projectIds: [1] }
  const due = [ruleOf(1, shared, change), ruleOf(2, shared, change), ruleOf(3)]
  const { asked, deps } = storeOf()
  await readWindows(deps, due, limits)
  const firsts = () => asked.filter(({ aggregates }) => aggregates[0]?.fn === 'samples')
  expect(firsts()).toHaveLength(1)
  expect(due.map(({ watched }) => watched.firstMs)).toEqual([firsts()[0]?.fromMs, firsts()[0]?.fromMs, null])
  await readWindows(deps, due, limits)
  expect(firsts()).toHaveLength(1)
})
