import { describe, expect, test } from 'vitest'
import { pageByOffset, readCursor, sliceByOffset, writeCursor } from './cursor.ts'
import { bucketOf, pointsOf, rangeOf } from './range.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)
const dayMs = 86_400_000

describe('cursors come from anybody', () => {
  test.each([
    ['', { after: undefined, offset: 0 }],
    ['0:0:0', { after: undefined, offset: 0 }],
    ['0:999999999:0', { after: undefined, offset: 999_999_999 }],
    ['1234567890:5:0', { after: undefined, offset: 5 }],
    ['10000000007:5:0', { after: { valueMs: 1, id: 7 }, offset: 5 }],
    ['00000000000:0:0', { after: { valueMs: 0, id: 0 }, offset: 0 }],
  ])('%j reads', (text, cursor) => {
    expect(readCursor(text)).toEqual(cursor)
  })

  test.each([
    ' 0:0:0',
    '0:0:0 ',
    '0:0:0\n',
    '0:0:00',
    '0:0:-1',
    '0:0',
    '0:0:0:0',
    ':0:0',
    '0::0',
    '-1:0:0',
    '1.5:0:0',
    '1e9:0:0',
    '0x1:0:0',
    '٠:0:0',
    "0:0:0' or 1=1",
    '0:9999999999:0',
    `${'9'.repeat(27)}:0:0`,
    'null',
    '%00',
  ])('%j is refused by its field', (text) => {
    expect(() => readCursor(text)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', status: 400, fields: { cursor: [expect.any(String)] } }),
    )
  })

  test.each([
    { after: undefined, offset: 0 },
    { after: undefined, offset: 75 },
    { after: { valueMs: nowMs, id: 1 }, offset: 25 },
    { after: { valueMs: nowMs, id: 9_999_999_999 }, offset: 25 },
    { after: { valueMs: 0, id: 3 }, offset: 0 },
  ])('%j comes back as it went', (cursor) => {
    for (const previous of [true, false]) {
      const text = writeCursor(cursor, previous)
      expect(text).toMatch(/^\d+:\d+:[01]$/)
      expect(readCursor(text)).toEqual(cursor)
    }
  })
})

describe('pages by offset', () => {
  test.each([
    // offset, limit, more, previous, has previous, next
    [0, 25, true, '0:0:1', false, '0:25:0'],
    [0, 25, false, '0:0:1', false, '0:25:0'],
    [10, 25, true, '0:0:1', true, '0:35:0'],
    [50, 25, true, '0:25:1', true, '0:75:0'],
    [100, 1, false, '0:99:1', true, '0:101:0'],
  ])('at %i by %i, more: %s', (offset, limit, more, previous, before, next) => {
    expect(pageByOffset(['row'], offset, limit, more, 7)).toEqual({
      rows: ['row'],
      hits: 7,
      walk: 'may-repeat',
      previous: { cursor: previous, results: before },
      next: { cursor: next, results: more },
    })
  })

  test.each<[number, number, string[], boolean]>([
    [0, 2, ['a', 'b'], true],
    [2, 2, ['c'], false],
    [0, 3, ['a', 'b', 'c'], false],
    [5, 3, [], false],
  ])('cut out of all rows at %i by %i', (offset, limit, rows, more) => {
    expect(sliceByOffset(['a', 'b', 'c'], offset, limit)).toEqual(pageByOffset(rows, offset, limit, more, 3))
  })

  test('following next and then previous leads back', () => {
    const first = pageByOffset([], 0, 10, true)
    const second = pageByOffset([], readCursor(first.next.cursor).offset, 10, true)
    expect(readCursor(second.previous.cursor).offset).toBe(0)
    expect(second.hits).toBeUndefined()
  })
})

describe('edges of a range', () => {
  test.each([
    ['1s', 1000],
    ['1m', 60_000],
    ['1h', 3_600_000],
    ['1d', dayMs],
    ['1w', 7 * dayMs],
    ['3650d', 3650 * dayMs],
  ])('%s', (statsPeriod, lengthMs) => {
    expect(rangeOf({ statsPeriod }, nowMs)).toEqual({
      fromMs: nowMs - lengthMs,
      toMs: nowMs + 60_000,
      period: statsPeriod,
    })
  })

  test.each(['3651d', '522w', '0h', '1y', '1', 'd', '1.5d', '1D', ' 1d', '1d ', '-1d', '9999999s', '14d;'])(
    'a period of %j is refused',
    (statsPeriod) => {
      expect(() => rangeOf({ statsPeriod }, nowMs)).toThrow(
        expect.objectContaining({ code: 'VALIDATION', fields: { statsPeriod: [expect.any(String)] } }),
      )
    },
  )

  test.each([
    ['a millisecond', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', 1],
    ['seconds', '1767225600', '1767225601', 1000],
    ['fractions of seconds', '1767225600.25', '1767225600.5', 250],
    ['a space for the T', '2026-01-01 00:00:00', '2026-01-01 00:00:01', 1000],
    ['two zones', '2026-01-01T00:00:00+01:00', '2026-01-01T00:00:00Z', 3_600_000],
    ['no zone is UTC', '2026-01-01T00:00', '2026-01-01T00:01Z', 60_000],
  ])('%s', (_name, start, end, lengthMs) => {
    const range = rangeOf({ start, end }, nowMs)
    expect([range.toMs - range.fromMs, range.period]).toEqual([lengthMs, 'range'])
  })

  test.each([
    ['2026-01-01', '2026-01-01', 'start'],
    ['2026-01-02', '2026-01-01', 'start'],
    ['2016-01-01', '2026-01-01', 'start'],
    ['yesterday', '2026-01-01', 'start'],
    ['2026-01-01', 'now', 'end'],
    ['2026-01-01', '', 'end'],
    ['', '2026-01-01', 'start'],
    ['2026-02-30T25:00:00Z', '2026-03-01', 'start'],
    ['1', '2', 'start'],
    ['Infinity', '2026-01-01', 'start'],
  ])('%j to %j is refused at %s', (start, end, field) => {
    expect(() => rangeOf({ start, end }, nowMs)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', fields: { [field]: [expect.any(String)] } }),
    )
  })

  test('fixed ends win over a period', () => {
    const asked = { statsPeriod: '24h', start: '2026-01-01', end: '2026-01-02' }
    expect(rangeOf(asked, nowMs)).toMatchObject({ fromMs: Date.UTC(2026, 0, 1), period: 'range' })
  })
})

describe('points', () => {
  test.each([
    [1, 1],
    [30 * 60_000, 1],
    [30 * 60_000 + 1, 2],
    [dayMs, 60],
    [30 * dayMs, 1440],
    [3650 * dayMs, 30 * 1440],
  ])('%i ms have buckets of %i minutes', (lengthMs, minutes) => {
    expect(bucketOf({ fromMs: nowMs - lengthMs, toMs: nowMs }) / 60_000).toBe(minutes)
  })

  test.each([10, 24, 60])('never more than %i points, but for ten years', (max) => {
    for (const hours of [1, 5, 24, 72, 14 * 24, 90 * 24]) {
      const range = { fromMs: nowMs - hours * 3_600_000, toMs: nowMs }
      const points = pointsOf(range, bucketOf(range, max), [])
      expect(points.length).toBeGreaterThan(0)
      expect(points.length).toBeLessThanOrEqual(max + 1) // the first bucket begins before the range
      expect(points.every(([, events]) => events === 0)).toBe(true)
    }
  })

  test('a bucket outside the range is not shown, the order is by time', () => {
    const range = { fromMs: nowMs, toMs: nowMs + 3 * 60_000 }
    const found = [
      { startMs: nowMs + 2 * 60_000, events: 2 },
      { startMs: nowMs - 60_000, events: 9 },
      { startMs: nowMs + 3 * 60_000, events: 9 },
      { startMs: nowMs, events: 1 },
    ]
    expect(pointsOf(range, 60_000, found).map(([, events]) => events)).toEqual([1, 0, 2])
  })
})
