import { describe, expect, test } from 'vitest'
import { type Limits, type StatusDetails, type Substatus, silentLimits } from '../../../domain/issue-states.ts'
import { effect } from '../fixture.cases.ts'
import type { EventEffect } from '../meta.ts'
import {
  afterOf,
  beginIssue,
  countEvent,
  countMoved,
  escalationOf,
  type IssueContext,
  type IssueRow,
  isNext,
  latestTexts,
  settleCommit,
  settleNext,
  shiftBefore,
  stateColumns,
} from './issue-state.ts'

const slotMs = 120_000
const hourMs = 3_600_000
const dayMs = 86_400_000
/** The start of an hour, which also starts a slot. */
const start = Math.floor(1_795_000_000_000 / hourMs) * hourMs

const around = (change: Partial<IssueContext> = {}): IssueContext => ({
  nowMs: start + 5000,
  isLater: (version, than) => version > than,
  limitsOf: () => undefined,
  ...change,
})
const event = (change: Partial<EventEffect> = {}) =>
  effect({ timestampMs: start, receivedMs: start, release: '', ...change })
const row = (change: Partial<IssueRow> = {}): IssueRow => ({
  id: 7,
  ...beginIssue(event(), 1, 'WEB-1', start),
  ...change,
})
const resolved = (details: StatusDetails = {}, change: Partial<IssueRow> = {}) =>
  row({ ...stateColumns('resolved', null, details, start), ...change })
const archived = (details: StatusDetails, substatus: Substatus = 'archived_until_condition_met') =>
  row({ ...stateColumns('ignored', substatus, details, start) })

describe('a new issue', () => {
  test('has what its event says, and no count yet', () => {
    const made = beginIssue(event({ release: 'web@2', unhandled: true, kind: 'message' }), 3, 'WEB-9', start + 7)
    expect(made).toMatchObject({
      organization_id: 3,
      short_id: 'WEB-9',
      kind: 'message',
      status: 'unresolved',
      substatus: 'new',
      status_details: '{}',
      state_ms: start + 7,
      due_ms: start + 7 + 7 * dayMs,
      awaits_release: 0,
      resolved_ms: null,
      first_seen_ms: start,
      last_seen_ms: start,
      first_release: 'web@2',
      last_release: 'web@2',
      unhandled: 1,
      count: 0,
      ten_counts: '',
    })
  })

  test('is found by the beginning of its texts, in lower case', () => {
    const long = 'X'.repeat(1_001)
    const texts = latestTexts(event({ title: `T${long}`, culprit: 'C', metadata: { type: 'TypeError', value: long } }))
    expect(texts.title).toBe(`T${long}`)
    expect(texts.search_text).toBe(`t${'x'.repeat(999)}\nc\ntypeerror\n${'x'.repeat(1_000)}`)
    expect(latestTexts(event({ title: 'a', culprit: '', metadata: {} })).search_text).toBe('a\n\n\n')
  })
})

test.each<[Parameters<typeof stateColumns>[0], StatusDetails, number, number | null]>([
  ['resolved', {}, 0, start],
  ['resolved', { inNextRelease: true }, 1, start],
  ['resolved', { inCommit: { repository: 'a', commit: 'b' } }, 2, start],
  ['resolved', { inRelease: 'web@1' }, 0, start],
  ['resolved', { inRelease: 'web@1', inNextRelease: true }, 0, start],
  ['resolved', { inRelease: 'web@1', inCommit: { repository: 'a', commit: 'b' } }, 0, start],
  ['unresolved', { inNextRelease: true }, 0, null],
  ['ignored', { inCommit: { repository: 'a', commit: 'b' } }, 0, null],
])('%s with %j waits for %i', (status, details, awaits, resolvedMs) => {
  expect(stateColumns(status, null, details, start)).toMatchObject({
    status,
    awaits_release: awaits,
    resolved_ms: resolvedMs,
    state_ms: start,
    status_details: JSON.stringify(details),
  })
})

test.each([
  [{}, 5, {}],
  [{ ignoreUserCount: 3 }, 5, { ignoreUserCount: 3 }],
  [{ ignoreCount: 3 }, 5, { ignoreCount: 3, eventsBefore: 5 }],
  [{ ignoreCount: 3, eventsBefore: 10 }, 5, { ignoreCount: 3, eventsBefore: 15 }],
  [{ ignoreCount: 3, eventsBefore: 10 }, -4, { ignoreCount: 3, eventsBefore: 6 }],
  [{ ignoreCount: 3, eventsBefore: 1 }, -4, { ignoreCount: 3, eventsBefore: 0 }],
])('%j after %i events that are no arrivals is %j', (details, events, expected) => {
  expect(JSON.parse(shiftBefore(JSON.stringify(details), events))).toEqual(expected)
})

describe('an event is counted', () => {
  test.each<[string, Partial<IssueRow>, Partial<EventEffect>, Partial<IssueRow>]>([
    ['later', {}, { timestampMs: start + 5 }, { first_seen_ms: start, last_seen_ms: start + 5 }],
    ['earlier', {}, { timestampMs: start - 5 }, { first_seen_ms: start - 5, last_seen_ms: start }],
    ['unhandled', {}, { unhandled: true }, { unhandled: 1 }],
    ['handled after one that was not', { unhandled: 1 }, { unhandled: false }, { unhandled: 1 }],
    ['the first with a release', {}, { release: 'a' }, { first_release: 'a', last_release: 'a' }],
    [
      'earlier, with a release, though none is known',
      {},
      { release: 'a', timestampMs: start - 5 },
      { first_release: 'a', last_release: 'a' },
    ],
    [
      'at the same time, with another release',
      { first_release: 'x', last_release: 'y' },
      { release: 'a' },
      { first_release: 'x', last_release: 'a' },
    ],
    [
      'earlier, with another release',
      { first_release: 'x', last_release: 'y' },
      { release: 'a', timestampMs: start - 1 },
      { first_release: 'a', last_release: 'y' },
    ],
    [
      'later, without a release',
      { first_release: 'x', last_release: 'y' },
      { timestampMs: start + 1 },
      { first_release: 'x', last_release: 'y', last_seen_ms: start + 1 },
    ],
  ])('%s', (_name, before, change, expected) => {
    const issue = row(before)
    expect(countEvent(issue, event(change), around())).toBeUndefined()
    expect(issue).toMatchObject({ ...expected, count: 1, rev: 0 })
    const moved = row(before)
    expect(countMoved(moved, event(change), around())).toBeUndefined()
    // A moved event does not count as an arrival.
    expect(moved).toMatchObject({ ...expected, count: 1, ten_counts: '', hour_count: 0 })
  })
})

describe('arrivals', () => {
  const arrivals = (...received: number[]) => {
    const issue = row({ substatus: 'ongoing' })
    for (const receivedMs of received) countEvent(issue, event({ receivedMs: start + receivedMs }), around())
    const { ten_ms, ten_counts, hour_ms, hour_count } = issue
    return [ten_ms - start, ten_counts, hour_ms - start, hour_count]
  }

  test.each<[string, number[], unknown[]]>([
    ['one', [0], [0, '0,0,0,0,1', 0, 1]],
    ['two of one slot', [0, slotMs - 1], [0, '0,0,0,0,2', 0, 2]],
    ['of the next slot', [0, slotMs], [slotMs, '0,0,0,1,1', 0, 2]],
    ['four slots later the first is still there', [0, 4 * slotMs], [4 * slotMs, '1,0,0,0,1', 0, 2]],
    ['five slots later it is not', [0, 5 * slotMs], [5 * slotMs, '0,0,0,0,1', 0, 2]],
    ['one that is late counts in its own slot', [2 * slotMs, 0], [2 * slotMs, '0,0,1,0,1', 0, 2]],
    ['one that is older than all slots counts in the hour only', [9 * slotMs, 0], [9 * slotMs, '0,0,0,0,1', 0, 2]],
    ['of the next hour', [0, hourMs], [hourMs, '0,0,0,0,1', hourMs, 1]],
    ['of the hour before counts in no hour', [hourMs, 0], [hourMs, '0,0,0,0,1', hourMs, 1]],
  ])('%s', (_name, received, expected) => {
    expect(arrivals(...received)).toEqual(expected)
  })
})

describe('an escalation', () => {
  const limits: Limits = { ten: Array(24).fill(40), hour: Array(24).fill(50) }
  const windows = (ten: number, hour: number, change: Partial<IssueRow> = {}) =>
    row({ ten_ms: start, hour_ms: start, ten_counts: `0,0,0,1,${ten - 1}`, hour_count: hour, ...change })

  test.each<[string, IssueRow, Limits | undefined, number | undefined]>([
    ['at the limits', windows(40, 50), limits, undefined],
    ['over that of ten minutes', windows(41, 50), limits, 41],
    ['over that of the hour', windows(40, 51), limits, 51],
    ['at the floors', windows(20, 30), { ten: Array(24).fill(1), hour: Array(24).fill(1) }, undefined],
    ['over the floor of ten minutes', windows(21, 30), { ten: Array(24).fill(1), hour: Array(24).fill(1) }, 21],
    ['over the floor of the hour', windows(20, 31), { ten: Array(24).fill(1), hour: Array(24).fill(1) }, 20],
    ['without a forecast, young', windows(1000, 1000, { count: 1000 }), undefined, undefined],
    [
      'without a forecast, a day old and quiet before',
      windows(61, 61, { count: 160, first_seen_ms: start - dayMs - 1 }),
      undefined,
      61,
    ],
    [
      'without a forecast, not yet a day old',
      windows(61, 61, { count: 160, first_seen_ms: start + 5000 - dayMs }),
      undefined,
      undefined,
    ],
    [
      'without a forecast, with 100 events before',
      windows(61, 61, { count: 161, first_seen_ms: start - dayMs - 1 }),
      undefined,
      undefined,
    ],
  ])('%s: %#', (_name, issue, found, count) => {
    expect(escalationOf(issue, around({ limitsOf: (id) => (id === 7 ? found : undefined) }))?.count).toBe(count)
  })

  test('turns a new or ongoing issue, and no other', () => {
    const quiet: Limits = { ten: Array(24).fill(21), hour: Array(24).fill(1000) }
    const states = (['new', 'ongoing', 'escalating', 'regressed'] as const).map((substatus) => {
      const issue = windows(21, 21, { substatus })
      const turn = countEvent(issue, event({ eventId: 'e1' }), around({ limitsOf: () => quiet }))
      return [turn?.type, turn?.data, issue.substatus, issue.rev]
    })
    const data = { eventId: 'e1', reason: 'forecast', count: 22, limit: 21, minutes: 10 }
    expect(states).toEqual([
      ['set_escalating', data, 'escalating', 1],
      ['set_escalating', data, 'escalating', 1],
      [undefined, undefined, 'escalating', 0],
      [undefined, undefined, 'regressed', 0],
    ])
  })
})

describe('a resolved issue', () => {
  test.each<[string, IssueRow, Partial<EventEffect>, boolean]>([
    ['comes back with a later event', resolved(), { timestampMs: start + 1 }, true],
    ['stays with one of the same time', resolved(), { timestampMs: start }, false],
    ['stays with one that was held back', resolved(), { timestampMs: start - 1 }, false],
    [
      'comes back in a later release',
      resolved({ inRelease: 'web@2' }),
      { timestampMs: start + 1, release: 'web@3' },
      true,
    ],
    ['stays in that release', resolved({ inRelease: 'web@2' }), { timestampMs: start + 1, release: 'web@2' }, false],
    ['stays in one before it', resolved({ inRelease: 'web@2' }), { timestampMs: start + 1, release: 'web@1' }, false],
    ['stays without a release', resolved({ inRelease: '' }), { timestampMs: start + 1 }, false],
    ['waits for the next one', resolved({ inNextRelease: true }), { timestampMs: start + 1, release: 'web@3' }, false],
  ])('%s', (_name, issue, change, comesBack) => {
    const moved = { ...issue }
    for (const [each, count] of [
      [issue, countEvent],
      [moved, countMoved],
    ] as const) {
      const turn = count(each, event({ eventId: 'e1', ...change }), around({ isLater: (a, b) => a > b }))
      const release = change.release === undefined ? {} : { release: change.release }
      expect(turn).toEqual(
        comesBack ? { type: 'set_regression', alert: 'regression', data: { eventId: 'e1', ...release } } : undefined,
      )
      expect([each.status, each.substatus, each.rev]).toEqual(
        comesBack ? ['unresolved', 'regressed', 1] : ['resolved', null, 0],
      )
      expect(each.state_ms).toBe(comesBack ? start + 5000 : start)
    }
  })
})

describe('an archived issue', () => {
  const arrive = (issue: IssueRow, events: number, change: Partial<IssueContext> = {}) =>
    Array.from({ length: events }, () => countEvent(issue, event({ eventId: 'e' }), around(change))).map(
      (turn) => turn?.data,
    )

  test('wakes with the event that makes its count, of those since it was archived', () => {
    expect(arrive(archived({ ignoreCount: 3 }), 3)).toEqual([
      undefined,
      undefined,
      { eventId: 'e', reason: 'count', count: 3 },
    ])
    const before = { ...archived({ ignoreCount: 2, eventsBefore: 10 }), count: 10 }
    expect(arrive(before, 2)).toEqual([undefined, { eventId: 'e', reason: 'count', count: 2 }])
    expect([before.status, before.substatus, before.status_details, before.rev]).toEqual([
      'unresolved',
      'escalating',
      '{}',
      1,
    ])
  })

  test.each<[string, StatusDetails]>([
    ['events within a window', { ignoreCount: 1, ignoreWindow: 60 }],
    ['users', { ignoreUserCount: 1 }],
  ])('with a condition over %s is left to the clock, at once', (_name, details) => {
    const issue = archived(details)
    expect(arrive(issue, 1)).toEqual([undefined])
    expect([issue.status, issue.due_ms]).toEqual(['ignored', start + 5000])
    const sooner = { ...archived(details), due_ms: start + 1 }
    arrive(sooner, 1)
    expect(sooner.due_ms).toBe(start + 1)
  })

  test('of several conditions wakes by the one that is met, and may still ask the clock for the others', () => {
    const details = { ignoreCount: 2, ignoreUserCount: 5 }
    const issue = archived(details)
    expect(arrive(issue, 1)).toEqual([undefined])
    expect(issue.due_ms).toBe(start + 5000)
    expect(arrive(issue, 1)).toEqual([{ eventId: 'e', reason: 'count', count: 2 }])
  })

  test.each([
    ['archived_until_escalating', 60],
    ['archived_forever', undefined],
    ['archived_until_condition_met', undefined],
  ] as const)('%s wakes over its forecast: %s', (substatus, limit) => {
    const data = arrive(archived({}, substatus), 61, { limitsOf: () => silentLimits }).at(-1)
    expect(data).toEqual(limit && { eventId: 'e', reason: 'forecast', count: 61, limit, minutes: 10 })
  })
})

describe('what waits for the next release', () => {
  const waiting = (details: StatusDetails) => resolved({ inNextRelease: true, ...details })

  test.each<[StatusDetails, string, boolean]>([
    [{}, 'web@1', true],
    [{ afterRelease: '' }, 'web@1', true],
    [{ afterRelease: 'web@2' }, 'web@3', true],
    [{ afterRelease: 'web@2' }, 'web@2', false],
    [{ afterRelease: 'web@2' }, 'web@1', false],
  ])('with %j is resolved in %s: %s', (details, version, isSettled) => {
    const issue = waiting(details)
    expect(afterOf(issue)).toBe(details.afterRelease ?? '')
    expect(isNext(version, afterOf(issue), around())).toBe(isSettled)
    expect(settleNext(issue, version, around())).toBe(isSettled)
    expect([issue.awaits_release, issue.rev, JSON.parse(issue.status_details)]).toEqual(
      isSettled ? [0, 1, { inRelease: version }] : [1, 0, { inNextRelease: true, ...details }],
    )
  })

  test.each<[string, IssueRow]>([
    ['waits for nothing', resolved()],
    ['waits for a commit', resolved({ inCommit: { repository: 'a', commit: 'b' } })],
    ['came back meanwhile', { ...waiting({}), status: 'unresolved' }],
  ])('is not what %s', (_name, issue) => {
    const before = { ...issue }
    expect(settleNext(issue, 'web@9', around())).toBe(false)
    expect(issue).toEqual(before)
  })
})

describe('what waits for a commit', () => {
  const inCommit = { repository: 'shop', commit: 'abc' }
  const has = async (asked: { repository: string; commit: string }) =>
    asked.commit === 'abc' && asked.repository === 'shop'

  test('is resolved in the release that has it', async () => {
    const issue = resolved({ inCommit })
    expect(await settleCommit(issue, 'web@3', has)).toBe(true)
    expect([issue.awaits_release, issue.rev, JSON.parse(issue.status_details)]).toEqual([
      0,
      1,
      { inRelease: 'web@3', inCommit },
    ])
    // Then only a failure in a later release reopens it.
    expect(await settleCommit(issue, 'web@4', has)).toBe(false)
  })

  test.each<[string, IssueRow]>([
    ['another commit', resolved({ inCommit: { repository: 'shop', commit: 'abd' } })],
    ['the next release', resolved({ inNextRelease: true })],
    ['nothing', resolved()],
    ['a commit, and came back', { ...resolved({ inCommit }), status: 'unresolved' }],
    ['a commit of which nothing is known', { ...resolved({}), awaits_release: 2 }],
  ])('is not what waits for %s', async (_name, issue) => {
    const before = { ...issue }
    expect(await settleCommit(issue, 'web@3', has)).toBe(false)
    expect(issue).toEqual(before)
  })
})
