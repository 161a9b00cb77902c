import { describe, expect, test } from 'vitest'
import { comparedOf, type MetricCondition, type MetricMeasure, newMetricState, stepMetricRule } from './metric.ts'

const minuteMs = 60_000

type Rule = Omit<Partial<MetricCondition>, 'threshold'> & { threshold?: Partial<MetricCondition['threshold']> }
const ruleOf = ({ threshold, ...rest }: Rule = {}): MetricCondition => ({
  threshold: { type: 'fixed', direction: 'above', warning: null, critical: 50, resolve: null, ...threshold },
  minimum: 0,
  missing: 'keep',
  ...rest,
})

type Window = number | null | Partial<MetricMeasure>
const measureOf = (window: Window, at: number): MetricMeasure => ({
  atMs: at * minuteMs,
  value: null,
  rows: 1000,
  reference: null,
  waits: '',
  ...(typeof window === 'number' ? { value: window } : window),
})

/** Steps through windows, one a minute from minute 1 on. Returns changes such as `2 start critical`. */
function firingsOf(rule: MetricCondition, windows: readonly Window[]) {
  let state = newMetricState()
  const firings: string[] = []
  for (const [at, window] of windows.entries()) {
    const step = stepMetricRule(rule, state, measureOf(window, at + 1))
    state = step.state
    if (step.firing) firings.push(`${step.firing.atMs / minuteMs} ${step.firing.change} ${step.firing.level}`)
  }
  return { state, firings }
}

const both = { threshold: { warning: 30, critical: 50 } }
const hysteresis = { threshold: { warning: 30, critical: 50, resolve: 10 } }
const change = { threshold: { type: 'change', critical: 100 } } as const

const cases: { name: string; rule: Rule; windows: Window[]; firings: string[] }[] = [
  { name: 'a value at the threshold does not fire', rule: {}, windows: [50, 50], firings: [] },
  {
    name: 'a value beyond it fires once, until it is back',
    rule: {},
    windows: [51, 80, 50],
    firings: ['1 start critical', '3 end critical'],
  },
  {
    name: 'below',
    rule: { threshold: { direction: 'below', critical: 10 } },
    windows: [10, 9, 10],
    firings: ['2 start critical', '3 end critical'],
  },
  {
    name: 'warning, critical and back',
    rule: both,
    windows: [31, 60, 40, 30],
    firings: ['1 start warning', '2 change critical', '3 change warning', '4 end warning'],
  },
  { name: 'critical at once', rule: both, windows: [60, 0], firings: ['1 start critical', '2 end critical'] },
  {
    name: 'between resolve and warning a firing goes on, and nothing begins',
    rule: hysteresis,
    windows: [20, 31, 20, 11, 10, 20],
    firings: ['2 start warning', '5 end warning'],
  },
  {
    name: 'between resolve and warning critical becomes warning',
    rule: hysteresis,
    windows: [60, 20, 10],
    firings: ['1 start critical', '2 change warning', '3 end warning'],
  },
  {
    name: 'without a warning level it stays critical until the resolve threshold',
    rule: { threshold: { resolve: 10 } },
    windows: [60, 20, 11, 10],
    firings: ['1 start critical', '4 end critical'],
  },
  {
    name: 'below, with a resolve threshold',
    rule: { threshold: { direction: 'below', critical: 10, resolve: 20 } },
    windows: [5, 15, 20],
    firings: ['1 start critical', '3 end critical'],
  },
  {
    name: 'a small window does not fire',
    rule: { minimum: 100 },
    windows: [
      { value: 90, rows: 99 },
      { value: 90, rows: 100 },
    ],
    firings: ['2 start critical'],
  },
  {
    name: 'a small window goes on with a firing, and ends it when its value is back',
    rule: { minimum: 100, threshold: { warning: 20 } },
    windows: [30, { value: 90, rows: 1 }, { value: 0, rows: 1 }],
    firings: ['1 start warning', '3 end warning'],
  },
  {
    name: 'a small window never fires, also if missing data does',
    rule: { minimum: 100, missing: 'fire' },
    windows: [{ value: 90, rows: 1 }],
    firings: [],
  },
  { name: 'missing data keeps ok', rule: {}, windows: [1, null, null], firings: [] },
  { name: 'missing data keeps a firing', rule: {}, windows: [60, null], firings: ['1 start critical'] },
  {
    name: 'missing data ends a firing',
    rule: { missing: 'resolve' },
    windows: [60, null],
    firings: ['1 start critical', '2 end critical'],
  },
  {
    name: 'missing data fires, whatever the minimum',
    rule: { missing: 'fire', minimum: 100 },
    windows: [1, { value: null, rows: 0 }, 1],
    firings: ['2 start critical', '3 end critical'],
  },
  {
    name: 'a change is compared in percent',
    rule: change,
    windows: [
      { value: 40, reference: 20 },
      { value: 41, reference: 20 },
      { value: 30, reference: 20 },
    ],
    firings: ['2 start critical', '3 end critical'],
  },
  {
    name: 'a decrease is a negative change',
    rule: { threshold: { type: 'change', direction: 'below', critical: -50 } },
    windows: [
      { value: 10, reference: 20 },
      { value: 9, reference: 20 },
    ],
    firings: ['2 start critical'],
  },
  {
    name: 'anything is more than nothing before',
    rule: change,
    windows: [
      { value: 0, reference: 0 },
      { value: 1, reference: 0 },
    ],
    firings: ['2 start critical'],
  },
  {
    name: 'without a reference the level stays',
    rule: change,
    windows: [
      { value: 90, reference: 20 },
      { value: 1, reference: null },
    ],
    firings: ['1 start critical'],
  },
  {
    name: 'a rule that waits for its pattern does not fire',
    rule: { threshold: { type: 'weekly', critical: 100 } },
    windows: [{ value: 900, reference: 1, waits: 'The weekly pattern needs 14 days of data.' }],
    firings: [],
  },
]

describe('stepMetricRule', () => {
  test.each(cases)('$name', ({ rule, windows, firings }) => {
    expect(firingsOf(ruleOf(rule), windows).firings).toEqual(firings)
  })

  test('a firing says what passed which threshold, and since when', () => {
    const rule = ruleOf(hysteresis)
    const first = stepMetricRule(rule, newMetricState(), measureOf(35, 1))
    expect(first.firing).toEqual({
      change: 'start',
      level: 'warning',
      atMs: minuteMs,
      value: 35,
      threshold: 30,
      sinceMs: minuteMs,
    })
    const second = stepMetricRule(rule, first.state, measureOf(70, 2))
    expect(second.firing).toMatchObject({ change: 'change', level: 'critical', threshold: 50, sinceMs: minuteMs })
    const third = stepMetricRule(rule, second.state, measureOf(5, 3))
    expect(third.firing).toMatchObject({ change: 'end', level: 'critical', threshold: 10, sinceMs: minuteMs })
    expect(third.state).toMatchObject({ level: 'ok', firedMs: null, sinceMs: 3 * minuteMs, value: 5 })
  })

  test('a rule that waits says why, keeps its level, and goes on', () => {
    const rule = ruleOf({ threshold: { type: 'weekly', critical: 100 } })
    const fired = stepMetricRule(rule, newMetricState(), measureOf({ value: 30, reference: 10 }, 1)).state
    const waiting = stepMetricRule(rule, fired, measureOf({ value: 1, waits: 'It needs 14 days.' }, 2)).state
    expect(waiting).toMatchObject({ level: 'critical', blocked: { status: 'waiting', reason: 'It needs 14 days.' } })
    expect(waiting.evaluatedToMs).toBe(2 * minuteMs)
    const ended = stepMetricRule(rule, waiting, measureOf({ value: 10, reference: 10 }, 3))
    expect(ended.state.blocked).toBeNull()
    expect(ended.firing).toMatchObject({ change: 'end', sinceMs: minuteMs })
  })

  test('the first window sets since when the rule is ok', () => {
    expect(firingsOf(ruleOf(), [1, 1]).state).toMatchObject({ level: 'ok', sinceMs: minuteMs })
  })
})

test('comparedOf keeps a fixed value and says how much a change is', () => {
  const measure = measureOf({ value: 5, reference: -10 }, 1)
  expect(comparedOf({ type: 'fixed' }, measure)).toBe(5)
  expect(comparedOf({ type: 'change' }, measure)).toBe(150)
  expect(comparedOf({ type: 'change' }, { ...measure, value: null })).toBeNull()
})
