import { describe, expect, test } from 'vitest'
import type { RestBackTest } from '../../../../contract/alerts/alerts-back-test.ts'
import { typedNumber } from '../fields.tsx'
import {
  afterDeploys,
  afterKey,
  barsPath,
  isOver,
  markersOf,
  scaleOf,
  snapped,
  stepOf,
  totalMs,
} from './chart-scale.ts'

const hour = 3_600_000
const firing = (startMs: number, peak: number | null, endMs: number | null = startMs + hour) => ({
  startMs,
  endMs,
  peak,
  level: 'critical' as const,
  trigger: null,
  group: null,
  groupId: null,
  mostly: null,
})
const axis = { min: 0, max: 200, ticks: [200, 100, 0] }
const answerOf = (firings: RestBackTest['firings']) => ({ firings, fromMs: 0, toMs: 100 * hour }) as RestBackTest

test.each([
  [51, 50, 'above', true],
  [50, 50, 'above', false],
  [49, 50, 'below', true],
  [50, 50, 'below', false],
  [null, 50, 'below', false],
  [1, null, 'above', false],
] as const)('%s beside %s, %s: %s', (value, threshold, direction, over) => {
  expect(isOver(value, threshold, direction)).toBe(over)
})

describe('the axis', () => {
  test('has room above the bars and above the line', () => {
    expect(scaleOf([{ startMs: 0, value: 182 }], 50).max).toBe(200)
    expect(scaleOf([{ startMs: 0, value: 3 }], 50).max).toBe(60)
    expect(scaleOf([], null).max).toBe(1)
  })
  test.each([
    [200, 1],
    [0.2, 0.001],
    [9000, 100],
  ])('an axis to %s has steps of %s', (max, step) => {
    expect(stepOf({ ...axis, max })).toBe(step)
  })
  test('a dragged threshold stays on steps and on the axis', () => {
    expect([snapped(50.4, axis), snapped(-3, axis), snapped(900, axis)]).toEqual([50, 0, 200])
    expect(snapped(0.1234567, { min: 0, max: 0.2, ticks: [] })).toBe(0.123)
  })
  test.each([
    ['ArrowUp', 51],
    ['ArrowDown', 49],
    ['PageUp', 60],
    ['PageDown', 40],
    ['Home', 0],
    ['End', 200],
    ['a', undefined],
  ])('%s moves 50 to %s', (key, value) => {
    expect(afterKey(key, 50, axis)).toBe(value)
  })
})

test('bars stand on zero, small ones are visible, and none has no bar', () => {
  const points = [null, 0, 0.01, 100, -50].map((value, startMs) => ({ startMs, value }))
  const path = barsPath(points, { min: -100, max: 100, ticks: [] }, 200, () => true)
  expect(path).toBe('M2.08 99.00h.84v1.00h-.84zM3.08 0.00h.84v100.00h-.84zM4.08 100.00h.84v50.00h-.84z')
})

test('firings keep their numbers where close ones have no marker', () => {
  const answer = answerOf([
    firing(10 * hour, 100),
    firing(11 * hour, 90),
    firing(50 * hour, null),
    firing(90 * hour, 500),
  ])
  expect(markersOf(answer, axis)).toEqual([
    { number: 1, place: 0.1, height: 0.5, level: 'critical' },
    { number: 3, place: 0.5, height: 0, level: 'critical' },
    { number: 4, place: 0.9, height: 1, level: 'critical' },
  ])
})

test('a deploy counts for three hours, and an open firing lasts to the end', () => {
  const firings = [firing(10 * hour, 1), firing(20 * hour, 1), firing(98 * hour, 1, null)]
  expect(afterDeploys(firings, [8 * hour, 21 * hour, 95 * hour])).toBe(2)
  expect(totalMs(answerOf(firings))).toBe(4 * hour)
})

test.each([
  ['', null],
  [' 50 ', 50],
  ['0,5', 0.5],
  ['-3', -3],
  ['1e9', undefined],
  ['1.2.3', undefined],
  ['12345678901234567', undefined],
])('the text %j is the number %s', (text, number) => {
  expect(typedNumber(text)).toBe(number)
})
