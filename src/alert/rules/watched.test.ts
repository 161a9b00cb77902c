import { describe, expect, test } from 'vitest'
import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import type { Measure } from '../../query/metrics/measures.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { newMetricState } from './metric.ts'
import {
  dueEnds,
  forgetBuckets,
  measureEnds,
  rangeToRead,
  referenceEnds,
  referencesToRead,
  setMeasure,
  storedState,
  type WatchedRule,
  watchRule,
} from './watched.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000
const noon = Date.UTC(2026, 10, 23, 12)

const measure = {
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
} satisfies Measure

type Threshold = MetricCondition['threshold']

function watchedOf(threshold: Partial<Threshold> = {}, memory: unknown = null): WatchedRule {
  const condition = {
    threshold: { type: 'fixed', direction: 'above', warning: null, critical: 5, resolve: null, ...threshold },
  } as MetricCondition
  const rule = { id: 7, state: { memory } } as AlertRule
  const watched = watchRule(rule, condition)
  setMeasure(watched, measure, noon)
  return watched
}

const judgedTo = (ms: number) => ({ ...newMetricState(), evaluatedToMs: ms })
const minutesAfter = (ends: readonly number[]) => ends.map((ms) => (ms - noon) / minuteMs)

describe('dueEnds', () => {
  test.each([
    ['a new rule begins with the newest window', null, 90_000, [1]],
    ['each step that is over', 0, 3.5 * minuteMs, [1, 2, 3]],
    ['nothing twice', 3 * minuteMs, 3.9 * minuteMs, []],
    ['nothing if processing fell behind', 3 * minuteMs, minuteMs, []],
  ])('%s', (_name, judged, processed, ends) => {
    const watched = watchedOf({}, judged === null ? null : judgedTo(noon + judged))
    expect(minutesAfter(dueEnds(watched, noon + processed, dayMs).ends)).toEqual(ends)
  })

  test('steps of five minutes end at whole ones', () => {
    const watched = watchedOf({}, judgedTo(noon + 2 * minuteMs))
    setMeasure(watched, { ...measure, stepMs: 5 * minuteMs }, noon)
    expect(minutesAfter(dueEnds(watched, noon + 12 * minuteMs, dayMs).ends)).toEqual([5, 10])
  })

  test('says what is beyond the bound', () => {
    const { ends, skippedMs } = dueEnds(watchedOf({}, judgedTo(noon)), noon + 30 * minuteMs, 10 * minuteMs)
    expect(minutesAfter(ends)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30])
    expect(skippedMs).toBe(20 * minuteMs)
  })
})

describe('what is read', () => {
  const ends = [noon + minuteMs, noon + 2 * minuteMs]

  test('the whole window first, and then only what is new', () => {
    const watched = watchedOf()
    expect(rangeToRead(watched, ends)).toEqual({ fromMs: noon - 9 * minuteMs, toMs: noon + 2 * minuteMs })
    watched.readTo = noon
    expect(rangeToRead(watched, ends)).toEqual({ fromMs: noon, toMs: noon + 2 * minuteMs })
  })

  test('nothing to compare with a fixed threshold', () => {
    expect(referencesToRead(watchedOf(), ends)).toEqual([])
  })

  test('the windows of the hour before, and then only what is new of them', () => {
    const watched = watchedOf({ type: 'change', before: 'hour' })
    const shifted = noon - hourMs
    expect(referencesToRead(watched, ends)).toEqual([{ fromMs: shifted - 9 * minuteMs, toMs: shifted + 2 * minuteMs }])
    watched.referenceTo = noon
    expect(referencesToRead(watched, ends)).toEqual([{ fromMs: shifted, toMs: shifted + 2 * minuteMs }])
  })

  test('the pattern of an hour once', () => {
    const watched = watchedOf({ type: 'weekly' })
    expect(referencesToRead(watched, ends)).toHaveLength(4)
    watched.referenceTo = noon + minuteMs
    expect(referencesToRead(watched, ends)).toEqual([])
    expect(referencesToRead(watched, [noon + hourMs])).toHaveLength(4)
  })
})

describe('windows to compare with whose different values are counted', () => {
  const ends = [noon + minuteMs, noon + 2 * minuteMs]

  test.each([
    ['a fixed threshold has none', 'fixed', 0],
    ['those of the hour before', 'change', 1],
    ['those of the pattern', 'weekly', 4],
  ] as const)('%s', (_name, type, count) => {
    expect(referenceEnds(watchedOf({ type, before: 'hour' }), ends)).toHaveLength(count)
  })

  test('all of them again at each step, but the pattern once an hour', () => {
    const change = watchedOf({ type: 'change', before: 'hour' })
    const shifted = { fromMs: noon - hourMs + minuteMs, toMs: noon - hourMs + 2 * minuteMs }
    expect(referenceEnds(change, ends)).toEqual([shifted])
    change.referenceTo = noon
    expect(referenceEnds(change, ends)).toEqual([shifted])
    const weekly = watchedOf({ type: 'weekly' })
    weekly.referenceTo = noon + minuteMs
    expect(referenceEnds(weekly, ends)).toEqual([])
  })
})

describe('what is kept', () => {
  const fill = (buckets: WatchedRule['buckets'], fromMs: number, toMs: number) => {
    for (let ms = fromMs; ms < toMs; ms += minuteMs) buckets.set(ms, [1])
  }

  test('the buckets of the next window', () => {
    const watched = watchedOf()
    fill(watched.buckets, noon - hourMs, noon)
    expect(measureEnds(watched, [noon]).map(({ value }) => value)).toEqual([10])
    forgetBuckets(watched, noon)
    expect(watched.buckets.size).toBe(10)
    fill(watched.buckets, noon, noon + 2 * minuteMs)
    expect(measureEnds(watched, [noon + minuteMs, noon + 2 * minuteMs]).map(({ value }) => value)).toEqual([10, 10])
  })

  test('the buckets that the next windows are compared with', () => {
    const watched = watchedOf({ type: 'change', before: 'hour' })
    watched.firstMs = 0
    fill(watched.buckets, noon - 10 * minuteMs, noon)
    fill(watched.referenceBuckets, noon - 2 * hourMs, noon - hourMs)
    expect(measureEnds(watched, [noon])).toMatchObject([{ value: 10, reference: 10 }])
    forgetBuckets(watched, noon)
    expect(Math.min(...watched.referenceBuckets.keys())).toBe(noon - hourMs - 10 * minuteMs)
  })

  test('nothing when what is measured changes, and everything when it is the same', () => {
    const watched = watchedOf()
    watched.readTo = noon
    setMeasure(watched, { ...measure }, noon + 1)
    expect([watched.readTo, watched.compiledMs]).toEqual([noon, noon + 1])
    setMeasure(watched, { ...measure, projectIds: [1, 2] }, noon + 2)
    expect([watched.readTo, watched.buckets.size]).toEqual([0, 0])
  })
})

test('a state comes back from the store as it was, and shows why a rule is not judged', () => {
  const state = { ...newMetricState(), level: 'critical' as const, sinceMs: noon, evaluatedToMs: noon, value: 9 }
  const blocked = { status: 'not_evaluated' as const, reason: 'The query took longer than 20 s.' }
  expect(storedState(state)).toMatchObject({ status: 'critical', reason: '', sinceMs: noon, evaluatedMs: noon })
  const stored = storedState({ ...state, blocked })
  expect(stored).toMatchObject({ status: 'not_evaluated', reason: blocked.reason, value: 9 })
  expect(watchedOf({}, stored.memory).state).toEqual({ ...state, blocked })
})
