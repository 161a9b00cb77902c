import { describe, expect, test } from 'vitest'
import { isTimeZone, onCallAt, onCallOrder, type Rota, shiftsBetween, typedMs, zonedMs, zonedText } from './on-call.ts'

const at = (text: string) => Date.parse(text)
const iso = (ms: number) => new Date(ms).toISOString()
const rota = (change: Partial<Rota> = {}): Rota => ({
  timeZone: 'Europe/Berlin',
  handOverDay: 1,
  handOverTime: '09:00',
  startDate: '2026-03-02',
  members: ['ann', 'bob', 'cyd'],
  ...change,
})

describe('the moment of a local time', () => {
  test.each([
    ['2026-01-15', '09:00', 'Europe/Berlin', '2026-01-15T08:00:00.000Z', 'winter'],
    ['2026-07-15', '09:00', 'Europe/Berlin', '2026-07-15T07:00:00.000Z', 'summer'],
    ['2026-03-29', '02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z', 'skipped: moved forward by the gap'],
    ['2026-03-29', '03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z', 'the first minute after the gap'],
    ['2026-10-25', '02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z', 'twice: the first one'],
    ['2026-10-25', '03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z', 'after the second one'],
    ['2026-03-08', '02:30', 'America/New_York', '2026-03-08T07:30:00.000Z', 'skipped in the west'],
    ['2026-11-01', '01:30', 'America/New_York', '2026-11-01T05:30:00.000Z', 'twice in the west'],
    ['2026-10-04', '02:15', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z', 'a gap of half an hour'],
    ['2026-04-05', '01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z', 'half an hour twice'],
    ['2026-05-01', '12:00', 'Asia/Kathmandu', '2026-05-01T06:15:00.000Z', 'quarters of an hour'],
    ['2011-12-31', '09:00', 'Pacific/Apia', '2011-12-30T19:00:00.000Z', 'after a day that never was'],
    ['2026-05-01', '00:00', 'UTC', '2026-05-01T00:00:00.000Z', 'midnight'],
  ])('%s %s in %s is %s: %s', (date, time, zone, expected) => {
    expect(iso(zonedMs(date, time, zone))).toBe(expected)
  })
})

test.each([
  ['2026-01-15T09:00', '2026-01-15T08:00:00.000Z'],
  ['2026-07-15T09:00:59', '2026-07-15T07:00:00.000Z'],
  ['', undefined],
  ['2026-01-15', undefined],
  ['2026-99-99T09:00', undefined],
  ['2026-01-15T25:00', undefined],
  ['tomorrow', undefined],
])('%j is typed for %s', (text, expected) => {
  const ms = typedMs(text, 'Europe/Berlin')
  expect(ms === undefined ? undefined : iso(ms)).toBe(expected)
})

test.each([
  ['2026-01-15T08:00:59Z', 'Europe/Berlin', '2026-01-15T09:00'],
  ['2026-07-15T22:30:00Z', 'Europe/Berlin', '2026-07-16T00:30'],
  ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25T02:30'],
  ['2026-05-01T00:00:00Z', 'UTC', '2026-05-01T00:00'],
])('at %s the clock of %s shows %s', (moment, zone, expected) => {
  expect(zonedText(at(moment), zone)).toBe(expected)
})

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Mars/Olympus', false],
  ['', false],
  ['+02:00', false],
  ['Europe/Berlin\n', false],
])('%j is a time zone: %s', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected)
})

describe('a weekly rota', () => {
  test.each([
    ['the first turn', rota(), '2026-03-02T08:00:00Z', 'ann', '2026-03-02T08:00:00.000Z', '2026-03-09T08:00:00.000Z'],
    ['its last moment', rota(), '2026-03-09T07:59:59.999Z', 'ann', undefined, '2026-03-09T08:00:00.000Z'],
    ['the next turn', rota(), '2026-03-09T08:00:00Z', 'bob', '2026-03-09T08:00:00.000Z', undefined],
    ['before the start', rota(), '2026-03-02T07:59:00Z', 'cyd', '2026-02-23T08:00:00.000Z', undefined],
    // The clock goes forward on 29 March: this turn has 167 hours, and the hand-over stays at nine.
    ['spring', rota(), '2026-03-30T06:59:59Z', 'ann', '2026-03-23T08:00:00.000Z', '2026-03-30T07:00:00.000Z'],
    ['after spring', rota(), '2026-03-30T07:00:00Z', 'bob', '2026-03-30T07:00:00.000Z', '2026-04-06T07:00:00.000Z'],
    // And back on 25 October: 169 hours.
    ['autumn', rota(), '2026-10-26T07:59:59Z', 'ann', '2026-10-19T07:00:00.000Z', '2026-10-26T08:00:00.000Z'],
    [
      'a hand-over in the gap',
      rota({ handOverDay: 7, handOverTime: '02:30', startDate: '2026-03-22' }),
      '2026-03-29T01:30:00Z',
      'bob',
      '2026-03-29T01:30:00.000Z',
      '2026-04-05T00:30:00.000Z',
    ],
    [
      'just before a hand-over in the gap',
      rota({ handOverDay: 7, handOverTime: '02:30', startDate: '2026-03-22' }),
      '2026-03-29T01:29:59Z',
      'ann',
      undefined,
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'a hand-over in the hour that comes twice',
      rota({ handOverDay: 7, handOverTime: '02:30', startDate: '2026-10-18' }),
      '2026-10-25T01:30:00Z',
      'bob',
      '2026-10-25T00:30:00.000Z',
      undefined,
    ],
    [
      'New York',
      rota({ timeZone: 'America/New_York', handOverDay: 7, handOverTime: '02:00', startDate: '2026-03-01' }),
      '2026-03-08T07:00:00Z',
      'bob',
      '2026-03-08T07:00:00.000Z',
      '2026-03-15T06:00:00.000Z',
    ],
    [
      'Lord Howe',
      rota({ timeZone: 'Australia/Lord_Howe', handOverDay: 7, handOverTime: '02:00', startDate: '2026-09-27' }),
      '2026-10-03T15:30:00Z',
      'bob',
      '2026-10-03T15:30:00.000Z',
      '2026-10-10T15:00:00.000Z',
    ],
    [
      'a start in the middle of a week',
      rota({ startDate: '2026-03-05' }),
      '2026-03-05T12:00:00Z',
      'ann',
      '2026-03-02T08:00:00.000Z',
      undefined,
    ],
    ['years later', rota(), '2036-03-03T08:00:00Z', 'ann', '2036-03-03T08:00:00.000Z', undefined],
    ['alone', rota({ members: ['ann'] }), '2026-03-20T00:00:00Z', 'ann', undefined, undefined],
  ])('%s', (_name, given, moment, userId, fromMs, toMs) => {
    const shift = onCallAt(given, [], at(moment))
    expect(shift?.userId).toBe(userId)
    if (fromMs) expect(iso(shift?.fromMs ?? 0)).toBe(fromMs)
    if (toMs) expect(iso(shift?.toMs ?? 0)).toBe(toMs)
  })

  test('nobody is on call in an empty rota, except by an override', () => {
    const empty = rota({ members: [] })
    expect(onCallAt(empty, [], at('2026-03-03T00:00:00Z'))).toBeUndefined()
    expect(onCallOrder(empty, [], at('2026-03-03T00:00:00Z'))).toEqual([])
    expect(shiftsBetween(empty, [], 0, 1)).toEqual([])
    const override = { userId: 'eve', fromMs: at('2026-03-03T00:00:00Z'), toMs: at('2026-03-04T00:00:00Z') }
    expect(onCallAt(empty, [override], override.fromMs)?.userId).toBe('eve')
  })
})

describe('overrides', () => {
  const night = { userId: 'cyd', fromMs: at('2026-03-03T20:00:00Z'), toMs: at('2026-03-04T06:00:00Z') }
  const late = { userId: 'eve', fromMs: at('2026-03-04T02:00:00Z'), toMs: at('2026-03-04T04:00:00Z') }

  test.each([
    ['2026-03-03T19:59:59.999Z', 'ann'],
    ['2026-03-03T20:00:00Z', 'cyd'],
    ['2026-03-04T02:00:00Z', 'eve'],
    ['2026-03-04T04:00:00Z', 'cyd'],
    ['2026-03-04T06:00:00Z', 'ann'],
  ])('at %s it is %s', (moment, userId) => {
    expect(onCallAt(rota(), [night, late], at(moment))?.userId).toBe(userId)
  })

  test('shifts around overrides meet without a gap', () => {
    const from = at('2026-03-02T08:00:00Z')
    const shifts = shiftsBetween(rota(), [night, late], from, at('2026-03-16T08:00:00Z'))
    expect(shifts.map(({ userId, isOverride, fromMs }) => [userId, isOverride, iso(fromMs)])).toEqual([
      ['ann', false, '2026-03-02T08:00:00.000Z'],
      ['cyd', true, '2026-03-03T20:00:00.000Z'],
      ['eve', true, '2026-03-04T02:00:00.000Z'],
      ['cyd', true, '2026-03-04T04:00:00.000Z'],
      ['ann', false, '2026-03-04T06:00:00.000Z'],
      ['bob', false, '2026-03-09T08:00:00.000Z'],
    ])
    expect(shifts.slice(1).map((shift) => shift.fromMs)).toEqual(shifts.slice(0, -1).map((shift) => shift.toMs))
  })

  test('an override over a hand-over is one shift, and one person in a row too', () => {
    const over = { userId: 'eve', fromMs: at('2026-03-08T00:00:00Z'), toMs: at('2026-03-10T00:00:00Z') }
    expect(
      shiftsBetween(rota({ members: ['ann'] }), [over], at('2026-03-02T08:00:00Z'), at('2026-03-20T00:00:00Z')).map(
        ({ userId }) => userId,
      ),
    ).toEqual(['ann', 'eve', 'ann'])
  })
})

test.each([
  ['the rota goes on from the one on call', [], ['ann', 'bob', 'cyd']],
  ['whoever took over is first, and only once', [{ userId: 'cyd', fromMs: 0, toMs: 4e12 }], ['cyd', 'ann', 'bob']],
  ['somebody outside the rota is first', [{ userId: 'eve', fromMs: 0, toMs: 4e12 }], ['eve', 'ann', 'bob', 'cyd']],
])('%s', (_name, overrides, expected) => {
  expect(onCallOrder(rota(), overrides, at('2026-03-03T00:00:00Z'))).toEqual(expected)
})

test('a hole is the first step of an escalation while it is on, and no later one', () => {
  const rota = { timeZone: 'UTC', handOverDay: 1, handOverTime: '09:00', startDate: '2026-03-02' }
  const at = (week: number) => Date.parse('2026-03-02T10:00:00Z') + week * 7 * 86_400_000
  const order = (members: string[], week: number) => onCallOrder({ ...rota, members }, [], at(week))
  expect(order(['ann', '', 'bob'], 0)).toEqual(['ann', 'bob'])
  expect(order(['ann', '', 'bob'], 1)).toEqual(['', 'bob', 'ann'])
  expect(order(['', ''], 0)).toEqual([])
  expect(order([], 0)).toEqual([])
})
