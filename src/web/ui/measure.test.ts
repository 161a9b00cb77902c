import { describe, expect, it } from 'vitest'
import { measureText } from './measure.ts'

describe('measureText', () => {
  const text = measureText('en')
  it.each<[number | null, string | null, string]>([
    [null, null, '–'],
    [Number.NaN, 'millisecond', '–'],
    [0, null, '0'],
    [0.0312, null, '0.0312'],
    [1234, null, '1,234'],
    [41_234, null, '41.2K'],
    [-41_234, 'none', '-41.2K'],
    [0, 'millisecond', '0 ms'],
    [940.4, 'millisecond', '940 ms'],
    [2411, 'millisecond', '2.41 s'],
    [0.25, 'millisecond', '250 µs'],
    [12, 'nanosecond', '12 ns'],
    [90, 'second', '90 s'],
    [3, 'minute', '3 min'],
    [50, 'hour', '2.08 d'],
    [512, 'byte', '512 B'],
    [2, 'kibibyte', '2.05 kB'],
    [3.2, 'gigabyte', '3.2 GB'],
    [0.1234, 'ratio', '12.3%'],
    [12.34, 'percent', '12.3%'],
    [7, 'items', '7 items'],
  ])('%s %s is %s', (value, unit, expected) => expect(text(value, unit).replaceAll('\u00a0', ' ')).toBe(expected))
  it('uses the locale', () => expect(measureText('de')(2411, 'millisecond')).toBe('2,41\u00a0s'))
})
