import { describe, expect, test } from 'vitest'
import { attributesOf, bucketOf, type SessionClock, type SessionUpdate, updateMsMax, updateOf } from './parse.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const clock: SessionClock = { receivedMs: nowMs, shiftS: 0 }
const iso = (ms: number) => new Date(ms).toISOString()
const sid = '7c7b6585-f901-4351-bf8d-02711b721929'
const sent = { sid, did: 'ann', init: true, started: iso(nowMs - 1000), timestamp: iso(nowMs), status: 'ok', errors: 0 }

describe('an update', () => {
  const whole: SessionUpdate = {
    sid: '7c7b6585f9014351bf8d02711b721929',
    startedMs: nowMs - 1000,
    seq: 0,
    status: 'ok',
    hasErrors: false,
    isInit: true,
    quantity: 1,
    user: 'ann',
    durationS: -1,
  }
  const cases: [what: string, changes: object, expected: Partial<SessionUpdate>][] = [
    ['as the browser sends it', {}, {}],
    ['a start with a seq is the start', { seq: 9 }, { seq: 0 }],
    ['a seq', { init: false, seq: 9 }, { seq: 9, isInit: false }],
    ['a seq as text', { init: false, seq: '12' }, { seq: 12, isInit: false }],
    ['no seq: the time of the update', { init: false }, { seq: nowMs, isInit: false }],
    ['neither: the time of arrival', { init: false, timestamp: 'soon' }, { seq: nowMs, isInit: false }],
    ['a negative seq', { init: undefined, seq: -4 }, { seq: 0, isInit: false }],
    ['an id of 32 hex in capitals', { sid: sid.replaceAll('-', '').toUpperCase() }, {}],
    ['the nil id', { sid: '00000000-0000-0000-0000-000000000000' }, { sid: '' }],
    ['no id: it is sent once', { sid: undefined, init: false, status: 'exited' }, { sid: '', status: 'exited' }],
    ['an id that is no UUID', { sid: 'Tab 4' }, { sid: 'tab 4' }],
    ['a number as user', { did: 12 }, { user: '12' }],
    ['no user', { did: null }, { user: '' }],
    ['a duration', { status: 'exited', duration: 12.5 }, { status: 'exited', durationS: 12.5 }],
    ['a duration as text', { duration: '3' }, { durationS: 3 }],
    ['no sensible duration', { duration: -1 }, { durationS: -1 }],
    ['a duration of years', { duration: 1e12 }, { durationS: -1 }],
    ['errors', { errors: 2 }, { hasErrors: true }],
    ['errors as yes', { errors: true }, { hasErrors: true }],
    ['errors that are no number', { errors: 'many' }, {}],
    ['a status in capitals', { status: 'Crashed' }, { status: 'crashed' }],
    ['unhandled', { status: 'unhandled' }, { status: 'unhandled' }],
    ['a status of a later version', { status: 'paused' }, {}],
    ['a start in seconds', { started: nowMs / 1000 - 1 }, {}],
    ['a start to come is the time of arrival', { started: iso(nowMs + 90_000) }, { startedMs: nowMs }],
    ['a start a little ahead stays', { started: iso(nowMs + 30_000) }, { startedMs: nowMs + 30_000 }],
    ['a start five days ago', { started: iso(nowMs - updateMsMax) }, { startedMs: nowMs - updateMsMax }],
  ]
  test.each(cases)('%s', (_what, changes, expected) => {
    expect(updateOf({ ...sent, ...changes }, clock)).toEqual({ ...whole, ...expected })
  })

  test.each([
    ['no start', { started: undefined }],
    ['a start that is no time', { started: 'yesterday' }],
    ['a start over five days ago', { started: iso(nowMs - updateMsMax - 1000) }],
  ])('%s is none', (_what, changes) => {
    expect(updateOf({ ...sent, ...changes }, clock)).toBeUndefined()
  })

  test('times of a clock that is hours off are moved', () => {
    const childContext = updateOf({ ...sent, init: false }, { receivedMs: nowMs, shiftS: -7200 })
    expect(childContext).toMatchObject({ startedMs: nowMs - 7_201_000, seq: nowMs - 7_200_000 })
  })
})

describe('a bucket', () => {
  const started = iso(nowMs - 60_000)
  test('is one entry for each end that has sessions', () => {
    const found = bucketOf(
      { started, did: 'ann', exited: 784, errored: 10, unhandled: 0, abnormal: 2, crashed: 6 },
      clock,
    )
    expect(found?.map(({ status, quantity, hasErrors, user }) => [status, quantity, hasErrors, user])).toEqual([
      ['exited', 784, false, 'ann'],
      ['errored', 10, true, 'ann'],
      ['abnormal', 2, false, 'ann'],
      ['crashed', 6, false, 'ann'],
    ])
    expect(found?.every((update) => update.isInit && update.sid === '' && update.startedMs === nowMs - 60_000)).toBe(
      true,
    )
  })

  test.each([
    ['numbers as text', { exited: '5' }, [5]],
    ['fractions and signs', { exited: 2.9, crashed: -3 }, [2]],
    ['far too many', { exited: 9e12 }, [1_000_000_000]],
  ])('%s are repaired', (_what, counts, quantities) => {
    expect(bucketOf({ started, ...counts }, clock)?.map((update) => update.quantity)).toEqual(quantities)
  })

  test.each([
    ['a text', 'x'],
    ['null', null],
    ['one without a start', { exited: 5 }],
    ['one that is over', { started: iso(nowMs - updateMsMax - 60_000), exited: 5 }],
    ['an empty one', { started, exited: 0 }],
  ])('%s is none', (_what, value) => {
    expect(bucketOf(value, clock)).toBeUndefined()
  })
})

test.each([
  [
    'all',
    { release: ' web@1 ', environment: 'production', ip_address: '10.0.0.7', user_agent: 'curl' },
    { release: 'web@1', environment: 'production', address: '10.0.0.7', agent: 'curl' },
  ],
  ['a release alone', { release: 'web@1' }, { release: 'web@1', environment: '', address: '', agent: '' }],
  [
    'an environment that is none',
    { release: 'web@1', environment: 'a/b', ip_address: '{{auto}}' },
    { release: 'web@1', environment: '', address: '', agent: '' },
  ],
  ['no release', { environment: 'production' }, undefined],
  ['a release that is none', { release: 'latest' }, undefined],
  ['no attributes', undefined, undefined],
])('attributes: %s', (_what, value, expected) => {
  expect(attributesOf(value)).toEqual(expected)
})
