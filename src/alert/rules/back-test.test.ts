import { describe, expect, test } from 'vitest'
import {
  type BackTestRun,
  barsOf,
  changesAgainst,
  markedFirings,
  messagesOf,
  type NoiseMark,
  othersOf,
  runMetricRule,
  suggestionsOf,
  variantsOf,
  withCritical,
} from './back-test.ts'
import type { MetricCondition, MetricMeasure } from './metric.ts'

const minuteMs = 60_000

const ruleOf = (threshold: Partial<MetricCondition['threshold']> = {}): MetricCondition => ({
  threshold: { type: 'fixed', direction: 'above', warning: null, critical: 50, resolve: null, ...threshold },
  minimum: 0,
  missing: 'keep',
})

/** One window a minute, from minute 1 on. Rows: the value, unless they are given. */
const measuresOf = (values: readonly (number | null)[], rows?: readonly number[]): MetricMeasure[] =>
  values.map((value, at) => ({
    atMs: (at + 1) * minuteMs,
    value,
    rows: rows?.[at] ?? value ?? 0,
    reference: null,
    waits: '',
  }))

describe('runMetricRule', () => {
  test('gives each firing its start, end, peak and highest level', () => {
    const measures = measuresOf([10, 40, 90, 60, 10, 70])
    expect(runMetricRule(ruleOf({ warning: 30 }), measures).firings).toEqual([
      { startMs: 2 * minuteMs, endMs: 5 * minuteMs, level: 'critical', peak: 90, rows: 90 },
      { startMs: 6 * minuteMs, endMs: null, level: 'critical', peak: 70, rows: 70 },
    ])
  })

  test('the peak of a rule below is the lowest value; a firing without data has none', () => {
    const below = { ...ruleOf({ direction: 'below', critical: 5 }), missing: 'fire' as const }
    expect(runMetricRule(below, measuresOf([4, 2, 9, null])).firings.map(({ peak }) => peak)).toEqual([2, null])
  })
})

test('barsOf shows the furthest window of each bar', () => {
  const measures = measuresOf([1, 7, null, null, 3, 2])
  const range = { fromMs: 0, toMs: 6 * minuteMs, barMs: 2 * minuteMs }
  expect(barsOf(ruleOf(), measures, range).map(({ value }) => value)).toEqual([7, null, 3])
  expect(barsOf(ruleOf({ direction: 'below' }), measures, range).map(({ value }) => value)).toEqual([1, null, 2])
})

test('withCritical keeps the ratio of the other levels', () => {
  const { threshold } = withCritical(ruleOf({ warning: 25, resolve: 10 }), 100)
  expect(threshold).toMatchObject({ critical: 100, warning: 50, resolve: 20 })
})

test('othersOf counts the firings of other thresholds and how long they are', () => {
  const measures = measuresOf([35, 60, 110, 35, 0, 60, 0])
  const rule = ruleOf()
  expect(othersOf(rule, measures, runMetricRule(rule, measures), 7 * minuteMs)).toEqual([
    { threshold: 30, times: 2, totalMs: 5 * minuteMs, isChosen: false },
    { threshold: 40, times: 2, totalMs: 3 * minuteMs, isChosen: false },
    { threshold: 50, times: 2, totalMs: 3 * minuteMs, isChosen: true },
    { threshold: 75, times: 1, totalMs: minuteMs, isChosen: false },
    { threshold: 100, times: 1, totalMs: minuteMs, isChosen: false },
    { threshold: 150, times: 0, totalMs: 0, isChosen: false },
  ])
})

describe('messagesOf', () => {
  const change = (at: number, kind: 'start' | 'change' | 'end') => ({ atMs: at * minuteMs, change: kind })
  const changes = [change(1, 'start'), change(3, 'change'), change(4, 'end'), change(8, 'start'), change(9, 'end')]

  test('sends each change without an interval, and the end if it is wanted', () => {
    expect(messagesOf(changes, { intervalMinutes: 0, resolveMessage: true })).toBe(5)
    expect(messagesOf(changes, { intervalMinutes: 0, resolveMessage: false })).toBe(3)
  })

  test('is silent within the interval, also about the end of what was not told', () => {
    expect(messagesOf(changes, { intervalMinutes: 5, resolveMessage: true })).toBe(4)
    expect(messagesOf(changes, { intervalMinutes: 30, resolveMessage: true })).toBe(2)
  })
})

describe('suggestions', () => {
  const rule = ruleOf()
  const measures = measuresOf([0, 60, 0, 0, 200, 0, 0, 70, 0], [9, 20, 9, 9, 900, 9, 9, 90, 9])
  const base = runMetricRule(rule, measures)
  const [first, second, third] = base.firings

  test('a threshold and a minimum that avoid the marked firings, with what they lose', () => {
    if (!first || !second || !third) throw new Error('three firings are expected')
    const noise = [first.startMs, third.startMs]
    const found = suggestionsOf(base, variantsOf(rule, measures, [first, third]), noise)
    expect(found).toEqual([
      { change: 'threshold', value: 70, critical: 70, avoids: noise, loses: [], times: 1 },
      { change: 'minimum', value: 91, critical: 50, avoids: noise, loses: [], times: 1 },
    ])
  })

  test('says which real firings a change would lose, and offers the one that loses least first', () => {
    if (!first || !third) throw new Error('three firings are expected')
    const found = suggestionsOf(base, variantsOf(rule, measures, [third]), [third.startMs])
    expect(found.map(({ change, loses }) => [change, loses])).toEqual([
      ['threshold', [first.startMs]],
      ['minimum', [first.startMs]],
    ])
    const better = {
      change: 'filter' as const,
      value: '!issue:WEB-1',
      critical: 50,
      run: { changes: [], firings: base.firings.slice(0, 2) },
    }
    expect(suggestionsOf(base, [...variantsOf(rule, measures, [third]), better], [third.startMs])[0]).toEqual({
      change: 'filter',
      value: '!issue:WEB-1',
      critical: 50,
      avoids: [third.startMs],
      loses: [],
      times: 2,
    })
  })

  test('a change that avoids nothing is not offered', () => {
    const same = { change: 'window' as const, value: 10, critical: 50, run: base }
    expect(suggestionsOf(base, [same], [base.firings[0]?.startMs ?? 0])).toEqual([])
  })
})

describe('marks of a rule by groups', () => {
  const firing = (minute: number, groupId: string) => ({
    startMs: minute * minuteMs,
    endMs: (minute + 2) * minuteMs,
    level: 'critical' as const,
    peak: 60,
    rows: 0,
    groupId,
  })
  const base: BackTestRun = { changes: [], firings: [firing(1, 'cart'), firing(1, 'pay'), firing(9, 'cart')] }
  const mark = (minute: number, groupId: string): NoiseMark => ({ startMs: minute * minuteMs, groupId })

  test.each<[string, NoiseMark[], number[]]>([
    ['one group of two that fired at once', [mark(1, 'pay')], [1]],
    ['each group that fired then, by the start alone', [minuteMs], [0, 1]],
    ['each of several marks once', [minuteMs, mark(1, 'pay'), mark(9, 'cart')], [0, 1, 2]],
    ['no group that did not fire then', [mark(9, 'pay'), mark(2, 'cart'), 2 * minuteMs], []],
    ['nothing without marks', [], []],
  ])('mean %s', (_says, noise, expected) => {
    expect(markedFirings(base.firings, noise)).toEqual(expected.map((at) => base.firings[at]))
  })

  test('a firing of another group does not stand for one that is gone', () => {
    const run = { changes: [], firings: [firing(1, 'cart'), firing(9, 'pay')] }
    const variant = { change: 'minimum' as const, value: 5, critical: 50, run }
    expect(suggestionsOf(base, [variant], [mark(1, 'pay')])).toEqual([
      { change: 'minimum', value: 5, critical: 50, avoids: [mark(1, 'pay')], loses: [mark(9, 'cart')], times: 2 },
    ])
  })

  test('changes are made of the windows of marked firings, whichever group they are of', () => {
    const changes = changesAgainst(ruleOf({ warning: 20 }), measuresOf([60, 75], [10, 33]))
    expect(changes.map(({ change, value, rule }) => [change, value, rule.threshold.warning, rule.minimum])).toEqual([
      ['threshold', 75, null, 0],
      ['minimum', 34, 20, 33 + 1],
    ])
    expect(changesAgainst(ruleOf(), [])).toEqual([])
  })
})
