import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import type { Measure } from '../../query/metrics/measures.ts'
import { measuresOf, readHistory } from './history.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000
const now = Date.UTC(2026, 10, 23, 12)
const range = { fromMs: now - 14 * dayMs, toMs: now, spareMs: 0 }

const measureOf = (change: Partial<Measure> = {}): Measure => ({
  dataset: 'spans',
  from: 'spans',
  projectIds: [1],
  environments: [],
  filter: undefined,
  withCut: false,
  groups: [],
  isCount: true,
  stepMs: minuteMs,
  windowMs: 10 * minuteMs,
  recipes: {
    parts: [{ aggregate: { fn: 'count' }, merge: 'sum' }],
    uniques: [],
    valueOf: ([count]) => (typeof count === 'number' ? count : 0),
  },
  ...change,
})

type Threshold = Partial<MetricCondition['threshold']>
const ruleOf = (threshold: Threshold = {}) =>
  ({ threshold: { type: 'fixed', direction: 'above', critical: 5, ...threshold } }) as MetricCondition

type Scope = { fromMs: number; toMs: number }

/** A store with one row an hour, which notes what it is asked. */
function storeOf(failing: (scope: Scope) => unknown = () => undefined) {
  const asked: Scope[] = []
  const events = {
    seriesOfRows: async ({ scope: { fromMs, toMs }, bucketMs }: { scope: Scope; bucketMs: number }) => {
      // The question when the first rows came.
      if (bucketMs === hourMs) return [{ startMs: now - 10 * dayMs, group: [], cells: [1] }]
      asked.push({ fromMs, toMs })
      const error = failing({ fromMs, toMs })
      if (error) throw error
      const first = Math.ceil(fromMs / hourMs) * hourMs
      const count = Math.max(0, Math.ceil((toMs - first) / hourMs))
      return Array.from({ length: count }, (_, at) => ({ startMs: first + at * hourMs, group: [], cells: [1] }))
    },
  }
  return { asked, deps: { clock: testClock(now), events, meta: {} } as unknown as QueryDeps }
}

const daysOf = (asked: readonly Scope[]) => asked.map(({ fromMs, toMs }) => (toMs - fromMs) / dayMs)
const timeout = new MishapError('QUERY_TIMEOUT')

test('a history is read in one statement, with the window before its first step', async () => {
  const { asked, deps } = storeOf()
  const history = await readHistory(deps, measureOf(), ruleOf(), range)
  expect(asked).toEqual([{ fromMs: range.fromMs - 10 * minuteMs, toMs: now }])
  const measures = measuresOf(history, measureOf(), ruleOf(), { fromMs: range.fromMs + minuteMs, toMs: now })
  expect(measures).toHaveLength(14 * 1440)
  expect(measures.at(-1)).toMatchObject({ atMs: now, value: 0 })
  // The row at the beginning of each hour is in the ten windows behind it.
  expect(measures.filter(({ value }) => value === 1)).toHaveLength(14 * 24 * 10)
})

test('percentiles are read two days at a time, because each minute has many bins', async () => {
  const { asked, deps } = storeOf()
  const { recipes } = measureOf()
  const bins = measureOf({
    recipes: { ...recipes, parts: [...recipes.parts, { aggregate: { fn: 'count' }, merge: 'bins' }] },
  })
  await readHistory(deps, bins, ruleOf(), range)
  expect(daysOf(asked).slice(0, 7)).toEqual([2, 2, 2, 2, 2, 2, 2])
  expect(asked.at(-1)?.fromMs).toBe(range.fromMs - 10 * minuteMs)
})

test('what is compared with is read, too', async () => {
  const { asked, deps } = storeOf()
  await readHistory(deps, measureOf(), ruleOf({ type: 'change', before: 'week' }), range)
  expect(asked[0]?.fromMs).toBe(range.fromMs - 7 * dayMs - 10 * minuteMs)
  await readHistory(deps, measureOf(), ruleOf({ type: 'weekly' }), { ...range, spareMs: hourMs })
  expect((range.fromMs - (asked[1]?.fromMs ?? 0)) / dayMs).toBeCloseTo(28, 0)
})

test('a range that is too much is read from its end, a day at a time, as far as possible', async () => {
  const { asked, deps } = storeOf(({ fromMs, toMs }) =>
    toMs - fromMs > dayMs || fromMs < now - 3 * dayMs ? timeout : undefined,
  )
  const history = await readHistory(deps, measureOf(), ruleOf(), range)
  expect(history.readFrom).toBe(now - 3 * dayMs)
  expect(daysOf(asked).slice(1)).toEqual([1, 1, 1, 1])
  const [first] = measuresOf(history, measureOf(), ruleOf(), range)
  expect(first?.atMs).toBe(now - 3 * dayMs + 10 * minuteMs)
})

/** A measure of different values, over a store that counts one in each window, as far as `failing` lets it. */
function countedOf(failing: (scope: Scope) => unknown) {
  const { recipes } = measureOf()
  const uniques = [{ of: { of: 'id', column: 'user' } as const, only: undefined }]
  const measure = measureOf({ recipes: { ...recipes, uniques, valueOf: (_merged, [count = 0]) => count } })
  const { deps } = storeOf()
  const asked: Scope[] = []
  const uniqueOfWindows = async ({ scope }: { scope: Scope }) => {
    asked.push(scope)
    const error = failing(scope)
    if (error) throw error
    return [{ part: 0, group: [], changes: [{ endMs: scope.fromMs, count: 1 }] }]
  }
  const events = { ...deps.events, uniqueOfWindows } as unknown as QueryDeps['events']
  return { asked, measure, deps: { ...deps, events } }
}

test('different values are counted a day at a time, the newest first', async () => {
  const { asked, measure, deps } = countedOf(() => undefined)
  const history = await readHistory(deps, measure, ruleOf(), range)
  expect(asked).toHaveLength(15)
  expect(asked[0]).toMatchObject({ fromMs: now - dayMs + minuteMs - 10 * minuteMs, toMs: now })
  const measures = measuresOf(history, measure, ruleOf(), range)
  expect(measures).toHaveLength(14 * 1440 + 1)
  expect(new Set(measures.map(({ value }) => value))).toEqual(new Set([1]))
})

test.each([3, 0])('different values that are too many are counted as far as possible: %s days', async (days) => {
  const { measure, deps } = countedOf(({ fromMs }) => (fromMs < now - days * dayMs - hourMs ? timeout : undefined))
  const history = await readHistory(deps, measure, ruleOf(), range)
  const measures = measuresOf(history, measure, ruleOf(), range)
  expect(measures).toHaveLength(days * 1440)
  expect(history.readFrom).toBe(now - days * dayMs + (days > 0 ? minuteMs - 10 * minuteMs : 0))
})

test('rows that were not read are no rows to compare with', async () => {
  const { deps } = storeOf(({ fromMs, toMs }) =>
    toMs - fromMs > dayMs || fromMs < now - 2 * dayMs ? timeout : undefined,
  )
  const rule = ruleOf({ type: 'change', before: 'day' })
  const history = await readHistory(deps, measureOf(), rule, range)
  const measures = measuresOf(history, measureOf(), rule, range)
  const judged = measures.filter(({ waits }) => waits === '')
  expect(judged[0]?.atMs).toBe(now - dayMs + 10 * minuteMs)
  expect(measures.length).toBeGreaterThan(judged.length)
})

test('an outage, and a caller that is gone, end the history', async () => {
  const away = storeOf(() => new MishapError('STORE_UNAVAILABLE'))
  await expect(readHistory(away.deps, measureOf(), ruleOf(), range)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  })
  const slow = storeOf(() => timeout)
  const signal = AbortSignal.abort()
  await expect(readHistory(slow.deps, measureOf(), ruleOf(), range, signal)).rejects.toBe(timeout)
  expect(slow.asked).toHaveLength(1)
})
