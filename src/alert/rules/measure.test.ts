import { describe, expect, test } from 'vitest'
import type { WindowValue } from '../../query/metrics/measures.ts'
import { createMeasures, referenceRanges } from './measure.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000
const weekMs = 7 * dayMs
/** A Monday at noon. */
const noon = Date.UTC(2026, 10, 23, 12)

type Options = Parameters<typeof createMeasures>[0]

const optionsOf = (change: Partial<Options> = {}): Options => ({
  compared: { type: 'fixed' },
  stepMs: minuteMs,
  windowMs: 10 * minuteMs,
  current: () => ({ value: 60, rows: 60 }),
  reference: () => ({ value: 20, rows: 20 }),
  firstMs: () => 0,
  ...change,
})

/** Windows that note when they end. */
function noting(valueAt: (endMs: number) => number | null) {
  const asked: number[] = []
  return {
    asked,
    windows: (endMs: number): WindowValue => {
      asked.push(endMs)
      const value = valueAt(endMs)
      return { value, rows: value ?? 0 }
    },
  }
}

test('a fixed threshold compares with nothing', () => {
  const { asked, windows } = noting(() => 1)
  const measured = createMeasures(optionsOf({ reference: windows }))(noon)
  expect(measured).toEqual({ atMs: noon, value: 60, rows: 60, reference: null, waits: '' })
  expect(asked).toEqual([])
})

describe('a change', () => {
  test.each([
    ['hour', hourMs],
    ['day', dayMs],
    ['week', weekMs],
  ] as const)('against the %s before', (before, length) => {
    const { asked, windows } = noting(() => 20)
    const measured = createMeasures(optionsOf({ compared: { type: 'change', before }, reference: windows }))(noon)
    expect(measured).toMatchObject({ value: 60, reference: 20, waits: '' })
    expect(asked).toEqual([noon - length])
  })

  test('waits until the whole window before has rows, and says until when', () => {
    const first = noon - hourMs - 9 * minuteMs
    const measures = createMeasures(optionsOf({ compared: { type: 'change', before: 'hour' }, firstMs: () => first }))
    expect(measures(noon)).toMatchObject({
      reference: null,
      waits: 'It needs the period that it compares with. This is complete on 2026-11-23 12:01 UTC.',
    })
    expect(measures(noon + minuteMs)).toMatchObject({ reference: 20, waits: '' })
  })

  test('says that there are no rows at all', () => {
    const measures = createMeasures(optionsOf({ compared: { type: 'change', before: 'day' }, firstMs: () => null }))
    expect(measures(noon).waits).toBe('It needs the period that it compares with. There are no rows yet.')
  })
})

describe('the weekly pattern', () => {
  const weekly = (change: Partial<Options>) => createMeasures(optionsOf({ compared: { type: 'weekly' }, ...change }))

  test('is the median of the windows around this hour in the four weeks before', () => {
    const { asked, windows } = noting((endMs) => Math.round((noon - endMs) / weekMs))
    expect(weekly({ reference: windows })(noon + 20 * minuteMs)).toMatchObject({ reference: 2.5, waits: '' })
    expect(asked).toHaveLength(20)
    // The middle of the hour is 12:30; the windows end from an hour before it to an hour after it.
    expect(asked.slice(0, 5).map((ms) => (ms + 4 * weekMs - noon) / minuteMs)).toEqual([-30, 0, 30, 60, 90])
    expect(asked).toEqual(asked.toSorted((a, b) => a - b))
  })

  test('is not moved by an incident in one of the weeks', () => {
    const incident = noon - weekMs
    const { windows } = noting((endMs) => (Math.abs(endMs - incident) < 2 * hourMs ? 5000 : 40))
    expect(weekly({ reference: windows })(noon).reference).toBe(40)
  })

  test('is asked once an hour', () => {
    const { asked, windows } = noting(() => 4)
    const measures = weekly({ reference: windows })
    for (let minute = 0; minute < 60; minute++) measures(noon + minute * minuteMs)
    expect(asked).toHaveLength(20)
    measures(noon + hourMs)
    expect(asked).toHaveLength(40)
  })

  test('leaves out windows without a value, and weeks before the first rows', () => {
    const { asked, windows } = noting((endMs) => (endMs % (2 * 30 * minuteMs) === 0 ? null : 7))
    expect(weekly({ reference: windows, firstMs: () => noon - 15 * dayMs })(noon).reference).toBe(7)
    expect(Math.min(...asked)).toBeGreaterThan(noon - 15 * dayMs)
    expect(weekly({ reference: () => ({ value: null, rows: 0 }) })(noon).reference).toBeNull()
  })

  test('needs 14 days, and says when they are over', () => {
    const measures = weekly({ firstMs: () => noon - 10 * dayMs })
    expect(measures(noon)).toMatchObject({
      reference: null,
      waits: 'The weekly pattern needs 14 days of data. This is complete on 2026-11-27 12:00 UTC.',
    })
    expect(measures(noon + 4 * dayMs)).toMatchObject({ reference: 20, waits: '' })
  })
})

describe('referenceRanges', () => {
  const windows = { stepMs: minuteMs, windowMs: 10 * minuteMs }
  const range = { fromMs: noon, toMs: noon + 5 * minuteMs }

  test('none for a fixed threshold', () => {
    expect(referenceRanges({ type: 'fixed' }, windows, range)).toEqual([])
  })

  test('the same windows before for a change', () => {
    expect(referenceRanges({ type: 'change', before: 'day' }, windows, range)).toEqual([
      { fromMs: noon - dayMs - 10 * minuteMs, toMs: noon - dayMs + 5 * minuteMs },
    ])
  })

  test('what each pattern asks for, and no more', () => {
    const ranges = referenceRanges({ type: 'weekly' }, windows, range)
    expect(ranges).toHaveLength(4)
    const { asked, windows: reference } = noting(() => 1)
    createMeasures(optionsOf({ compared: { type: 'weekly' }, reference }))(noon)
    for (const endMs of asked) {
      const holding = ranges.filter(({ fromMs, toMs }) => fromMs <= endMs - windows.windowMs && endMs <= toMs)
      expect(holding).toHaveLength(1)
    }
    for (const { fromMs, toMs } of ranges) expect(toMs - fromMs).toBe(2 * hourMs + 10 * minuteMs)
  })
})
