import { describe, expect, test } from 'vitest'
import {
  ageMs,
  archiveOf,
  dueOf,
  hasEventLimit,
  type Limits,
  overLimit,
  type Status,
  type StatusDetails,
  type Substatus,
  silentLimits,
} from './issue-states.ts'

test.each<[StatusDetails, string | null | undefined, Substatus]>([
  [{}, undefined, 'archived_forever'],
  [{}, null, 'archived_forever'],
  [{}, 'archived_forever', 'archived_forever'],
  [{}, 'something else', 'archived_forever'],
  [{}, 'archived_until_escalating', 'archived_until_escalating'],
  [{ ignoreUntil: '2027-01-01T00:00:00Z' }, undefined, 'archived_until_condition_met'],
  [{ ignoreCount: 1 }, undefined, 'archived_until_condition_met'],
  [{ ignoreUserCount: 1 }, 'archived_until_escalating', 'archived_until_condition_met'],
  // A window alone is not a condition.
  [{ ignoreWindow: 5, ignoreUserWindow: 5 }, undefined, 'archived_forever'],
])('an archive with %j that was asked for as %j is %s', (details, asked, expected) => {
  expect(archiveOf(details, asked)).toBe(expected)
})

const since = 1_795_000_000_000
const until = { ignoreUntil: '2027-01-01T00:00:00.000Z' }

test.each<[Status, Substatus | null, StatusDetails, number | null]>([
  ['unresolved', 'new', {}, since + ageMs],
  ['unresolved', 'escalating', {}, since + ageMs],
  ['unresolved', 'regressed', until, since + ageMs],
  ['unresolved', 'ongoing', {}, null],
  ['unresolved', null, {}, null],
  ['ignored', 'archived_until_condition_met', until, Date.UTC(2027, 0, 1)],
  ['ignored', 'archived_until_condition_met', { ignoreCount: 5 }, null],
  ['ignored', 'archived_forever', {}, null],
  ['resolved', null, {}, null],
  ['resolved', null, until, null],
])('%s, %s with %j is looked at again at %j', (status, substatus, details, expected) => {
  expect(dueOf(status, substatus, details, since)).toBe(expected)
})

test.each<[StatusDetails, boolean]>([
  [{}, false],
  [until, false],
  [{ ignoreCount: 5 }, false],
  [{ ignoreWindow: 60 }, false],
  [{ ignoreCount: 5, ignoreWindow: 60 }, true],
  [{ ignoreUserCount: 5 }, true],
  [{ ignoreUserWindow: 60 }, false],
])('only the events can answer %j: %s', (details, expected) => {
  expect(hasEventLimit(details)).toBe(expected)
})

describe('the limit of a window', () => {
  const at = (hour: number) => Date.UTC(2026, 10, 23, hour, 30)
  const limits: Limits = {
    ten: Array.from({ length: 24 }, (_, hour) => 10 + hour),
    hour: Array.from({ length: 24 }, (_, hour) => 100 + hour),
  }
  const windows = { slotStartMs: at(3), tenCount: 0, hourStartMs: at(5), hourCount: 0 }

  test.each<[string, Partial<typeof windows>, ReturnType<typeof overLimit>]>([
    ['at both', { tenCount: 13, hourCount: 105 }, undefined],
    ['over ten minutes', { tenCount: 14 }, { count: 14, limit: 13, minutes: 10 }],
    ['over the hour', { tenCount: 13, hourCount: 106 }, { count: 106, limit: 105, minutes: 60 }],
    ['over both: the shorter one says it', { tenCount: 14, hourCount: 106 }, { count: 14, limit: 13, minutes: 10 }],
  ])('%s', (_name, change, expected) => {
    expect(overLimit({ ...windows, ...change }, limits)).toEqual(expected)
  })

  test('is none where a forecast has none for the hour', () => {
    expect(overLimit({ ...windows, tenCount: 1e9, hourCount: 1e9 }, { ten: [1], hour: [1] })).toBeUndefined()
  })

  test('of what has no level is 60 in each hour', () => {
    for (let hour = 0; hour < 24; hour++) {
      const now = { ...windows, slotStartMs: at(hour), hourStartMs: at(hour) }
      expect(overLimit({ ...now, tenCount: 60, hourCount: 60 }, silentLimits)).toBeUndefined()
      expect(overLimit({ ...now, tenCount: 61 }, silentLimits)?.limit).toBe(60)
      expect(overLimit({ ...now, hourCount: 61 }, silentLimits)?.limit).toBe(60)
    }
  })
})
