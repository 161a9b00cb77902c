import { describe, expect, it } from 'vitest'
import { bytesText, durationText, relativeParts } from './relative.ts'

const s = 1000
const min = 60 * s
const h = 60 * min
const d = 24 * h

describe('relativeParts', () => {
  const cases: [number, string][] = [
    [-5, '0 now'],
    [999, '0 now'],
    [Number.NaN, '0 now'],
    [s, '1 s'],
    [59 * s, '59 s'],
    [min, '1 min'],
    [14 * min + 59 * s, '14 min'],
    [h, '1 h'],
    [23.9 * h, '23 h'],
    [d, '1 d'],
    [13 * d, '13 d'],
    [14 * d, '2 w'],
    [59 * d, '8 w'],
    [61 * d, '2 mo'],
    [800 * d, '2 y'],
  ]
  it.each(cases)('%d ms', (ms, expected) => {
    const { unit, count } = relativeParts(ms)
    expect(`${count} ${unit}`).toBe(expected)
  })
})

describe('durationText', () => {
  const cases: [number, string][] = [
    [0.0421, '42.1 µs'],
    [0, '0 µs'],
    [1, '1 ms'],
    [12.3456, '12.3 ms'],
    [999, '999 ms'],
    [1234, '1.23 s'],
    [123_456, '123 s'],
    [10 * min, '10 min'],
    [90 * min, '90 min'],
    [3 * h, '3 h'],
    [30 * d, '30 d'],
  ]
  it.each(cases)('%d', (ms, text) => expect(durationText(ms, 'en')).toBe(text))
  it('takes the decimal sign of the language', () => expect(durationText(1234, 'de')).toBe('1,23 s'))
})

describe('bytesText', () => {
  const cases: [number, string][] = [
    [-1, '0 B'],
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [15_320, '15.3 kB'],
    [10_737_418_240, '10.7 GB'],
    [5e15, '5000 TB'],
  ]
  it.each(cases)('%d', (bytes, text) => expect(bytesText(bytes, 'en')).toBe(text))
  it('takes the decimal sign of the language', () => expect(bytesText(7_040_000, 'de')).toBe('7,04 MB'))
})
