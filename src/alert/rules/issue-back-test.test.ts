import { describe, expect, test } from 'vitest'
import type { IssueCondition } from '../../contract/alerts/alerts.ts'
import type { TriggerKind } from '../../store/meta/alerts/triggers.ts'
import {
  issueMessages,
  issueOthers,
  issuePoints,
  numbersOf,
  type PastMoment,
  peakOf,
  runIssueRule,
} from './issue-back-test.ts'
import { joinHappenings, type PastHappening } from './past-happenings.ts'

const minuteMs = 60_000
type When = IssueCondition['when']

const conditionOf = (when: When): IssueCondition => ({
  when,
  match: 'any',
  filter: '',
  unless: { noise: false, skew: false, quietHours: null },
})

const events = (count: number) => ({ type: 'events' as const, count, windowMinutes: 5 })
const rate = { type: 'rate' as const, percent: 50, windowMinutes: 5, before: 'hour' as const }
const none = { now: 0, before: 0 }

/** Counts of an issue at the ends of minutes. */
const counting = (issueId: number, counts: readonly number[], earlier = none): PastMoment[] =>
  counts.map((now, at) => ({
    issueId,
    facts: {
      atMs: (at + 1) * minuteMs,
      happened: new Set(),
      counted: () => ({ now, before: counts[at - 1] ?? 0 }),
      earlier: () => earlier,
      meetsFilter: true,
      isNoise: false,
      isDecayingSkew: false,
    },
  }))

const happening = (issueId: number | null, minute: number, kind: TriggerKind, meetsFilter = true): PastMoment => {
  const [moment] = counting(1, [0])
  if (!moment) throw new Error('no moment')
  return { issueId, facts: { ...moment.facts, atMs: minute * minuteMs, happened: new Set([kind]), meetsFilter } }
}

test('a rule fires by the function of the evaluator, the oldest first', () => {
  const moments = [...counting(7, [4, 12, 12, 25]), ...counting(3, [0, 10]), happening(5, 1, 'new')]
  expect(
    runIssueRule(conditionOf([events(10), { type: 'new' }]), moments).map(({ issueId, atMs, trigger, value }) => [
      atMs / minuteMs,
      issueId,
      trigger,
      value,
    ]),
  ).toEqual([
    [1, 5, 'new', null],
    [2, 3, 'events', 10],
    [2, 7, 'events', 12],
    [4, 7, 'events', 25],
  ])
})

describe('the bars', () => {
  const range = { fromMs: 0, toMs: 4 * minuteMs, barMs: 2 * minuteMs }

  test.each<[string, When, PastMoment[], number[]]>([
    ['of a count: its highest', [events(10)], [...counting(1, [3, 9, 4]), ...counting(2, [5, 5, 8, 6])], [9, 8]],
    ['of a rate: percent', [rate], counting(1, [10, 25, 5], { now: 10, before: 10 }), [150, 0]],
    ['of a rate without events before: nothing', [rate], counting(1, [10, 25]), [0, 0]],
    [
      'of what happened: issues',
      [{ type: 'new' }],
      [happening(1, 1, 'new'), happening(1, 2, 'new'), happening(2, 2, 'new'), happening(3, 3, 'regression')],
      [2, 0],
    ],
    ['without what the filter leaves out', [{ type: 'new' }], [happening(1, 1, 'new', false)], [0, 0]],
    [
      'without an issue: each',
      [{ type: 'feedback' }],
      [happening(null, 1, 'feedback'), happening(null, 2, 'feedback')],
      [2, 0],
    ],
  ])('%s', (_name, when, moments, values) => {
    expect(issuePoints(conditionOf(when), moments, range).map(({ value }) => value)).toEqual(values)
  })
})

test.each<[string, When, number[]]>([
  ['a count', [events(100)], [40, 60, 100, 150, 200, 300]],
  ['a small count has no 0 and nothing twice', [events(1)], [1, 2, 3]],
  ['a rate', [rate], [20, 30, 50, 75, 100, 150]],
  ['only the first of two', [events(10), rate], [4, 6, 10, 15, 20, 30]],
  ['what happens has none', [{ type: 'new' }], []],
])('numbers beside %s', (_name, when, numbers) => {
  expect(numbersOf({ when })).toEqual(numbers)
})

test('other numbers are run over the same moments', () => {
  const condition = conditionOf([events(10)])
  const moments = () => counting(1, [3, 8, 12, 21, 21, 33])
  const others = issueOthers(condition, moments, runIssueRule(condition, moments()))
  expect(others.map(({ threshold, times, isChosen }) => [threshold, times, isChosen])).toEqual([
    [4, 4, false],
    [6, 4, false],
    [10, 3, true],
    [15, 2, false],
    [20, 1, false],
    [30, 1, false],
  ])
})

test('a rate is shown in percent, a count as it is', () => {
  expect(peakOf({ trigger: 'rate', value: 30, threshold: 15 }, conditionOf([rate]))).toBeCloseTo(200)
  expect(peakOf({ trigger: 'events', value: 30, threshold: 15 }, conditionOf([rate, events(15)]))).toBe(30)
  expect(peakOf({ trigger: 'new', value: null, threshold: null }, conditionOf([rate]))).toBeNull()
})

test('the interval holds for each issue, and for each firing without one', () => {
  const firing = (issueId: number | null, minute: number) => ({
    issueId,
    atMs: minute * minuteMs,
    trigger: 'new' as const,
    value: null,
    threshold: null,
  })
  expect(issueMessages([firing(1, 0), firing(1, 4), firing(1, 5), firing(2, 4)], 5)).toBe(3)
  expect(issueMessages([firing(null, 0), firing(null, 1)], 5)).toBe(2)
})

test('what happens to an issue within seconds is judged together, but not feedback', () => {
  const at = (seconds: number, kind: TriggerKind, eventId = ''): PastHappening => ({
    issue: { id: 4 } as PastHappening['issue'],
    projectId: 1,
    kinds: new Set([kind]),
    eventId,
    environment: '',
    atMs: seconds * 1000,
    isGone: false,
  })
  const joined = joinHappenings([
    at(20, 'regression'),
    at(1, 'first_of_release', 'b'),
    at(0, 'new', 'a'),
    at(2, 'feedback'),
    at(3, 'feedback'),
  ])
  expect(joined.map(({ kinds, eventId }) => [[...kinds].join(' '), eventId])).toEqual([
    ['new first_of_release', 'a'],
    ['feedback', ''],
    ['feedback', ''],
    ['regression', ''],
  ])
})
