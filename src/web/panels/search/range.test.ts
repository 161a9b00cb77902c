import { describe, expect, it } from 'vitest'
import { addRange, boundsOf, localFieldOf, type Range, rangeOf } from './range.ts'

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

describe('localFieldOf', () => {
  it('can be read back to the same minute', () => {
    const ms = Date.parse('2026-03-04T05:06:00Z')
    expect(Date.parse(localFieldOf(ms))).toBe(ms)
  })
})
