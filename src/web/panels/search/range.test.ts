import { describe, expect, it } from 'vitest'
import { addRange, boundsOf, fieldOf, msOfField, type Range, rangeOf } from './range.ts'

const from = '2026-11-20T00:00:00Z'
const to = '2026-11-21T00:00:00Z'
const absolute: Range = { kind: 'absolute', fromMs: Date.parse(from), toMs: Date.parse(to) }

describe('rangeOf', () => {
  it.each<[string, { t: string | null; from: string | null; to: string | null }, Range]>([
    ['nothing', { t: null, from: null, to: null }, { kind: 'relative', period: '14d' }],
    ['a period', { t: '24h', from: null, to: null }, { kind: 'relative', period: '24h' }],
    ['an unknown period', { t: '3y', from: null, to: null }, { kind: 'relative', period: '14d' }],
    ['a name of Object', { t: 'toString', from: null, to: null }, { kind: 'relative', period: '14d' }],
    ['absolute wins', { t: '24h', from, to }, absolute],
    ['half absolute', { t: '1h', from, to: null }, { kind: 'relative', period: '1h' }],
    ['upside down', { t: '1h', from: to, to: from }, { kind: 'relative', period: '1h' }],
    ['no times', { t: '7d', from: 'x', to: 'y' }, { kind: 'relative', period: '7d' }],
  ])('%s', (_name, params, expected) => {
    expect(rangeOf(params)).toEqual(expected)
  })
})

describe('boundsOf', () => {
  it('counts back from now', () => {
    expect(boundsOf({ kind: 'relative', period: '1h' }, 10_000_000)).toEqual({ fromMs: 6_400_000, toMs: 10_000_000 })
  })
  it('keeps absolute bounds', () => {
    expect(boundsOf(absolute, 5)).toEqual({ fromMs: absolute.fromMs, toMs: absolute.toMs })
  })
})

describe('addRange', () => {
  it.each<[Range, string]>([
    [{ kind: 'relative', period: '24h' }, 'statsPeriod=24h'],
    [absolute, 'start=2026-11-20T00%3A00%3A00.000Z&end=2026-11-21T00%3A00%3A00.000Z'],
  ])('%o', (range, expected) => {
    const params = new URLSearchParams()
    addRange(params, range)
    expect(params.toString()).toBe(expected)
  })
})

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
