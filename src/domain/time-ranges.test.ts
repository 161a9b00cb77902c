import { describe, expect, it } from 'vitest'
import { isRelativeRange, relativeRanges, spanFault } from './time-ranges.ts'

describe('a time range to save', () => {
  it.each([
    '',
    '1s',
    '30m',
    '24h',
    '3650d',
    '521w',
    '2026-11-01T00:00:00Z/2026-11-08T00:00:00Z',
    '2026-11-01T00:00:00.000Z/2026-11-01T00:00:00.001Z',
    '2026-11-01/2026-11-08',
    '2026-11-01T02:00:00+02:00/2026-11-01T00:00:01Z',
    ...Object.keys(relativeRanges),
  ])('%j', (text) => expect(spanFault(text)).toBeUndefined())

  it.each<[string, RegExp]>([
    ['soon', /^A length such as 14d, two dates such as .*, or empty/],
    ['7', /^A length such as/],
    ['7y', /^A length such as/],
    ['-7d', /^A length such as/],
    [' 7d', /^A length such as/],
    ['7d/', /^A length such as/],
    ['2026-11-01', /^A length such as/],
    ['----------/++++++++++', /^A length such as/],
    ['2026-11-01/2026-11-02/2026-11-03', /^A length such as/],
    ['2026-13-41/2026-11-08', /^A length such as/],
    ['2026-11-01T99:00:00Z/2026-11-08', /^A length such as/],
    ['1234567d', /^A length such as/],
    ['0d', /^A length from 1s to 3650d/],
    ['3651d', /^A length from 1s to 3650d/],
    ['522w', /^A length from 1s to 3650d/],
    ['2026-11-08/2026-11-01', /must be before the second/],
    ['2026-11-08/2026-11-08', /must be before the second/],
    ['1960-01-01/2026-11-08', /between 1970 and 2106/],
    ['2026-11-08/2160-01-01', /between 1970 and 2106/],
  ])('%j is refused', (text, fault) => expect(spanFault(text)).toMatch(fault))

  it('is one of the menu by its own name only', () => {
    expect(['1h', '90d', '3d', 'toString', '', '__proto__'].map(isRelativeRange)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })
})
