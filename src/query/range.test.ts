import { describe, expect, test } from 'vitest'
import { pageByOffset, readCursor, writeCursor } from './cursor.ts'
import { bucketOf, pointsOf, rangeOf } from './range.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)
const dayMs = 86_400_000

describe('range', () => {
  test.each([
    [{}, nowMs - 14 * dayMs, nowMs + 60_000, '14d'],
    [{ statsPeriod: '24h' }, nowMs - dayMs, nowMs + 60_000, '24h'],
    [{ statsPeriod: '30m' }, nowMs - 1_800_000, nowMs + 60_000, '30m'],
    [{ start: '2026-11-01', end: '2026-11-02T06:00:00' }, Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2, 6), 'range'],
    [{ start: '2026-11-01T00:00:00+02:00', end: '1793600000' }, Date.UTC(2026, 9, 31, 22), 1_793_600_000_000, 'range'],
  ])('%j', (asked, fromMs, toMs, period) => {
    expect(rangeOf(asked, nowMs)).toEqual({ fromMs, toMs, period })
  })

  test.each([
    [{ statsPeriod: '0d' }, 'statsPeriod'],
    [{ statsPeriod: '99999w' }, 'statsPeriod'],
    [{ statsPeriod: '-1d' }, 'statsPeriod'],
    [{ start: 'x', end: '2026-01-01' }, 'start'],
    [{ end: '2026-01-01' }, 'start'],
    [{ start: '2026-01-02', end: '2026-01-02' }, 'start'],
    [{ start: '1990-01-02', end: '2026-01-02' }, 'start'],
    [{ start: '1969-12-31', end: '1970-01-02' }, 'start'],
    [{ start: '0001-01-01', end: '0002-01-01' }, 'start'],
    [{ start: '2105-01-01', end: '2107-01-01' }, 'end'],
  ])('%j is refused at %s', (asked, field) => {
    expect(() => rangeOf(asked, nowMs)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', fields: { [field]: [expect.any(String)] } }),
    )
  })

  test.each([
    ['1h', 2],
    ['24h', 60],
    ['14d', 720],
    ['90d', 7 * 1440],
  ])('buckets of %s are %i minutes', (statsPeriod, minutes) => {
    const range = rangeOf({ statsPeriod }, nowMs)
    const bucketMs = bucketOf({ fromMs: range.fromMs, toMs: nowMs })
    expect(bucketMs / 60_000).toBe(minutes)
  })

  test('points fill the gaps and keep the sum', () => {
    const hourMs = 3_600_000
    const points = pointsOf({ fromMs: nowMs - 4 * hourMs + 1, toMs: nowMs }, hourMs, [
      { startMs: nowMs - 4 * hourMs, events: 1 },
      { startMs: nowMs - hourMs, events: 2 },
      { startMs: nowMs - hourMs, events: 3 },
    ])
    expect(points).toEqual([4, 3, 2, 1].map((back, i) => [(nowMs - back * hourMs) / 1000, [1, 0, 0, 5][i]]))
  })
})

describe('cursor', () => {
  test.each([
    [undefined, { after: undefined, offset: 0 }],
    ['0:100:0', { after: undefined, offset: 100 }],
    ['0:0:1', { after: undefined, offset: 0 }],
    [writeCursor({ after: { valueMs: nowMs, id: 42 }, offset: 25 }), { after: { valueMs: nowMs, id: 42 }, offset: 25 }],
  ])('%s', (text, cursor) => {
    expect(readCursor(text)).toEqual(cursor)
  })

  test.each(['x', '1:2', '0:-1:0', '0:0:2', `${'9'.repeat(30)}:0:0`])('%s is refused', (text) => {
    expect(() => readCursor(text)).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
  })

  test.each([
    [0, false, '0:0:1'],
    [25, true, '0:0:1'],
    [100, true, '0:75:1'],
  ])('the page before offset %i', (offset, results, cursor) => {
    expect(pageByOffset([], offset, 25, true).previous).toEqual({ cursor, results })
  })
})
