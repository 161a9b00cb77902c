import { describe, expect, test } from 'vitest'
import type { IssueCondition } from '../../contract/alerts/alerts.ts'
import type { TriggerKind } from '../../store/meta/alerts/triggers.ts'
import { type Counted, evaluateIssueRule, type IssueFacts, isQuiet } from './issue.ts'

const atMs = Date.UTC(2026, 6, 1, 21, 30)
const hours = { from: '22:00', to: '07:00', timeZone: 'UTC' }
const events = (count: number) => ({ type: 'events' as const, count, windowMinutes: 60 })
const users = (count: number) => ({ type: 'users' as const, count, windowMinutes: 60 })
const rate = (percent: number) => ({ type: 'rate' as const, percent, windowMinutes: 60, before: 'day' as const })

type Case = {
  when: IssueCondition['when']
  match?: IssueCondition['match']
  unless?: Partial<IssueCondition['unless']>
  happened?: TriggerKind[]
  counted?: Counted
  earlier?: Counted
  facts?: Partial<IssueFacts>
}

function verdictOn({ when, match = 'any', unless, happened = [], counted, earlier, facts }: Case) {
  const condition = { when, match, filter: '', unless: { noise: false, skew: false, quietHours: null, ...unless } }
  const none = { now: 0, before: 0 }
  return evaluateIssueRule(condition, {
    atMs,
    happened: new Set(happened),
    counted: () => counted ?? none,
    earlier: () => earlier ?? none,
    meetsFilter: true,
    isNoise: false,
    isDecayingSkew: false,
    ...facts,
  })
}

const isNew: Case = { when: [{ type: 'new' }], happened: ['new'] }

describe('an issue rule fires for', () => {
  test.each<TriggerKind>([
    'new',
    'regression',
    'escalation',
    'priority',
    'first_of_release',
    'performance',
    'feedback',
  ])('%s, and for nothing else', (kind) => {
    expect(verdictOn({ when: [{ type: kind }], happened: [kind] })).toEqual({
      trigger: kind,
      value: null,
      threshold: null,
    })
    const others = (['new', 'regression', 'feedback'] as const).filter((other) => other !== kind)
    expect(verdictOn({ when: [{ type: kind }], happened: others })).toBeUndefined()
  })

  test.each<[string, Counted, boolean]>([
    ['the first n', { before: 9, now: 10 }, true],
    ['more than n at once', { before: 0, now: 37 }, true],
    ['one more than n', { before: 10, now: 11 }, false],
    ['the second n', { before: 19, now: 20 }, true],
    ['a window that shrinks', { before: 20, now: 12 }, false],
    ['a window that fills again', { before: 8, now: 14 }, true],
    ['too few', { before: 3, now: 9 }, false],
  ])('every ten events: %s', (_what, counted, fires) => {
    const expected = fires ? { trigger: 'events', value: counted.now, threshold: 10 } : undefined
    expect(verdictOn({ when: [events(10)], counted })).toEqual(expected)
    expect(verdictOn({ when: [users(10)], counted })?.trigger).toBe(fires ? 'users' : undefined)
  })

  test.each<[string, Counted, Counted, boolean]>([
    ['twice as many, and one', { before: 20, now: 21 }, { before: 10, now: 10 }, true],
    ['exactly twice as many', { before: 20, now: 20 }, { before: 10, now: 10 }, false],
    ['a rate that goes on', { before: 30, now: 31 }, { before: 10, now: 10 }, false],
    ['fewer than before', { before: 1, now: 5 }, { before: 10, now: 10 }, false],
    ['nothing before', { before: 0, now: 500 }, { before: 0, now: 0 }, false],
    ['a period before that falls', { before: 25, now: 25 }, { before: 13, now: 12 }, true],
  ])('a rate of 100%%: %s', (_what, counted, earlier, fires) => {
    const expected = fires ? { trigger: 'rate', value: counted.now, threshold: earlier.now * 2 } : undefined
    expect(verdictOn({ when: [rate(100)], counted, earlier })).toEqual(expected)
  })
})

describe('several triggers', () => {
  const both: IssueCondition['when'] = [{ type: 'new' }, events(10)]
  test.each<[IssueCondition['match'], TriggerKind[], Counted, string | undefined]>([
    ['any', ['new'], { before: 0, now: 1 }, 'new'],
    ['any', [], { before: 9, now: 10 }, 'events'],
    ['any', ['new'], { before: 9, now: 10 }, 'new'],
    ['any', [], { before: 1, now: 2 }, undefined],
    ['all', ['new'], { before: 0, now: 1 }, undefined],
    ['all', [], { before: 9, now: 10 }, undefined],
    ['all', ['new'], { before: 9, now: 10 }, 'new'],
    ['all', ['new'], { before: 11, now: 12 }, 'new'],
  ])('match %s, happened %j, counted %j: %s', (match, happened, counted, trigger) => {
    expect(verdictOn({ when: both, match, happened, counted })?.trigger).toBe(trigger)
  })

  test('all of two counts: one that begins is enough while the other holds', () => {
    const when = [events(10), users(5)]
    expect(verdictOn({ when, match: 'all', counted: { before: 9, now: 10 } })?.trigger).toBe('events')
    expect(verdictOn({ when, match: 'all', counted: { before: 4, now: 5 } })).toBeUndefined()
    expect(verdictOn({ when, match: 'all', counted: { before: 11, now: 12 } })).toBeUndefined()
  })

  test('no trigger never fires', () => {
    expect(verdictOn({ when: [], happened: ['new'] })).toBeUndefined()
    expect(verdictOn({ when: [], match: 'all', happened: ['new'] })).toBeUndefined()
  })
})

describe('an issue rule does not fire', () => {
  test.each<[string, Case, boolean]>([
    ['without the filter', { ...isNew, facts: { meetsFilter: false } }, false],
    ['for noise, if it leaves it out', { ...isNew, unless: { noise: true }, facts: { isNoise: true } }, false],
    ['for noise, otherwise it does', { ...isNew, facts: { isNoise: true } }, true],
    ['for other issues, with noise left out', { ...isNew, unless: { noise: true } }, true],
    ['for skew, if it leaves it out', { ...isNew, unless: { skew: true }, facts: { isDecayingSkew: true } }, false],
    ['for skew, otherwise it does', { ...isNew, facts: { isDecayingSkew: true } }, true],
    ['in quiet hours', { ...isNew, unless: { quietHours: { ...hours, from: '21:00' } } }, false],
    ['outside of them it does', { ...isNew, unless: { quietHours: hours } }, true],
  ])('%s', (_what, given, fires) => {
    expect(verdictOn(given) !== undefined).toBe(fires)
  })
})

describe('quiet hours', () => {
  const at = (text: string) => Date.parse(`2026-${text}Z`)
  test.each<[string, string, string, string, boolean]>([
    ['07-01T21:59', '22:00', '07:00', 'UTC', false],
    ['07-01T22:00', '22:00', '07:00', 'UTC', true],
    ['07-01T23:59', '22:00', '07:00', 'UTC', true],
    ['07-02T00:00', '22:00', '07:00', 'UTC', true],
    ['07-02T06:59', '22:00', '07:00', 'UTC', true],
    ['07-02T07:00', '22:00', '07:00', 'UTC', false],
    ['07-01T12:00', '12:00', '13:00', 'UTC', true],
    ['07-01T13:00', '12:00', '13:00', 'UTC', false],
    ['07-01T12:00', '12:00', '12:00', 'UTC', false],
    // Two hours ahead in summer, one in winter.
    ['07-01T20:00', '22:00', '07:00', 'Europe/Berlin', true],
    ['01-15T20:00', '22:00', '07:00', 'Europe/Berlin', false],
    ['01-15T21:00', '22:00', '07:00', 'Europe/Berlin', true],
    // The night in which the hour from two to three is left out.
    ['03-29T00:59', '01:30', '03:00', 'Europe/Berlin', true],
    ['03-29T01:00', '01:30', '03:00', 'Europe/Berlin', false],
    ['07-01T16:30', '22:00', '07:00', 'Asia/Kolkata', true],
    ['07-01T16:29', '22:00', '07:00', 'Asia/Kolkata', false],
  ])('at %s from %s to %s in %s: %s', (text, from, to, timeZone, quiet) => {
    expect(isQuiet({ from, to, timeZone }, at(text))).toBe(quiet)
  })

  test('are never without any', () => {
    expect(isQuiet(null, atMs)).toBe(false)
  })
})
