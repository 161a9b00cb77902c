import { describe, expect, it } from 'vitest'
import { fieldOf, msOfField } from './time.tsx'

describe('the fields of a range', () => {
  it.each([
    ['2026-11-21T10:30:00Z', 'UTC', '2026-11-21T10:30'],
    ['2026-11-21T10:30:00Z', 'Europe/Berlin', '2026-11-21T11:30'],
    ['2026-11-21T23:59:59Z', 'Asia/Kolkata', '2026-11-22T05:29'],
    ['2026-07-01T02:00:00Z', 'America/New_York', '2026-06-30T22:00'],
    // Around the changes of the clocks in Berlin, 2026-03-29 and 2026-10-25 at 01:00 UTC.
    ['2026-03-29T00:59:00Z', 'Europe/Berlin', '2026-03-29T01:59'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29T03:00'],
    ['2026-10-25T02:00:00Z', 'Europe/Berlin', '2026-10-25T03:00'],
  ])('%s in %s is %s, and back', (iso, zone, text) => {
    expect(fieldOf(Date.parse(iso), zone)).toBe(text)
    expect(msOfField(text, zone)).toBe(Math.floor(Date.parse(iso) / 60_000) * 60_000)
  })

  it.each(['', 'soon', '2026-13-01T00:00'])('%j is no time', (text) => expect(msOfField(text, 'UTC')).toBeNaN())
})
