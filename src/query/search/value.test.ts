import { describe, expect, test } from 'vitest'
import type { SearchKey } from './key.ts'
import { searchKeys } from './keys.ts'
import { aggregateOf, findsNothing, searchKeyOf } from './lookup.ts'
import { states } from './states.ts'
import { aggregated, dateOf, measureOf, numberOf, placed, textPattern, typed } from './value.ts'

const plain = (text: string) => ({ text, quoted: false, at: 4 })
const hourMs = 3_600_000

describe('wanted', () => {
  test.each([
    ['abc', 'abc', false],
    ['a*c', 'a*c', true],
    ['*', '*', true],
    ['a\\*c', 'a*c', false],
    ['\\*a*', '\\*a*', true],
    ['say \\"hi\\"', 'say "hi"', false],
    ['100%', '100%', false],
    ['C:\\\\x', 'C:\\x', false],
    ['C:\\x', 'C:\\x', false],
    ['C:\\\\*', 'C:\\\\*', true],
    ['\\"*', '"*', true],
    ['', '', false],
  ])('%j', (text, value, wild) => {
    expect(textPattern(plain(text))).toEqual({ text: value, wild })
  })
})

describe('numberOf', () => {
  test.each([
    ['10', '=', 10],
    ['-3', '=', -3],
    ['1.5', '=', 1.5],
    ['=7', '=', 7],
    ['>7', '>', 7],
    ['>=7', '>=', 7],
    ['<-7', '<', -7],
    ['<=7', '<=', 7],
    ['!=7', '!=', 7],
    ['2k', '=', 2000],
    ['>1.5M', '>', 1_500_000],
    ['3b', '=', 3_000_000_000],
  ])('%s', (text, compare, value) => {
    expect(numberOf(text)).toEqual({ compare, value })
  })

  test.each(['', 'x', '1x', '1 000', '>', '=>1', '1.', '.5', '1e5', '0x10', '--1', '1kk', 'NaN', 'Infinity'])(
    '%j is none',
    (text) => {
      expect(numberOf(text)).toBeUndefined()
    },
  )
})

describe('dateOf', () => {
  test.each([
    ['-24h', '>=', 24],
    ['+24h', '<=', 24],
    ['-7d', '>=', 168],
    ['+2w', '<=', 336],
    ['-30m', '>=', 0.5],
  ])('%s is relative', (text, compare, hours) => {
    expect(dateOf(text)).toEqual({ compare, moment: { agoMs: hours * hourMs } })
  })

  test.each([
    ['>2026-01-31', '>', '2026-01-31T00:00:00Z'],
    ['<=2026-01-31T12:30', '<=', '2026-01-31T12:30:00Z'],
    ['>=2026-01-31T12:30:15', '>=', '2026-01-31T12:30:15Z'],
    ['<2026-01-31T12:30:15.123456', '<', '2026-01-31T12:30:15.123Z'],
    ['<2026-01-31T12:30:15Z', '<', '2026-01-31T12:30:15Z'],
    ['<2026-01-31T12:30:15+0530', '<', '2026-01-31T07:00:15Z'],
    ['<2026-01-31T12:30:15-02:00', '<', '2026-01-31T14:30:15Z'],
    ['>2024-02-29', '>', '2024-02-29T00:00:00Z'],
  ])('%s', (text, compare, iso) => {
    expect(dateOf(text)).toEqual({ compare, moment: { atMs: Date.parse(iso) } })
  })

  test.each([
    ['2026-01-31', '2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['=2026-01-31', '2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['2026-01-31T12:00', '2026-01-31T11:55:00Z', '2026-01-31T12:05:00Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T09:55:00Z', '2026-01-31T10:05:00Z'],
  ])('%s alone is a stretch', (text, from, until) => {
    expect(dateOf(text)).toEqual({
      compare: '>=',
      moment: { atMs: Date.parse(from) },
      until: { atMs: Date.parse(until) },
    })
  })

  test.each(['', 'soon', '24h', '-24', '-24y', '-1234567d', '!=2026-01-31', '2026-1-1', '2026-13-01', '26-01-31'])(
    '%j is none',
    (text) => {
      expect(dateOf(text)).toBeUndefined()
    },
  )
})

describe('measureOf', () => {
  test.each<[string, string, number, string]>([
    ['5', '=', 5, 'duration'],
    ['>1.5s', '>', 1500, 'duration'],
    ['300ms', '=', 300, 'duration'],
    ['>2m', '>', 120_000, 'duration'],
    ['2min', '=', 120_000, 'duration'],
    ['>=1hr', '>=', 3_600_000, 'duration'],
    ['3wk', '=', 1_814_400_000, 'duration'],
    ['!=2d', '!=', 172_800_000, 'duration'],
    ['50%', '=', 50, 'percent'],
    ['10mb', '=', 10_000_000, 'size'],
    ['1.5KiB', '=', 1536, 'size'],
    ['8bit', '=', 1, 'size'],
    ['7bytes', '=', 7, 'size'],
  ])('%s', (text, compare, value, of) => {
    expect(measureOf(text, 'duration')).toEqual({ compare, value, of })
  })
  test('m is millions of a number', () => {
    expect(measureOf('2m', 'number')).toEqual({ compare: '=', value: 2_000_000, of: 'number' })
  })
  test.each(['', 'fast', '5 s', '5parsecs', '..5s', 's', '%', '-24h+'])('%j is none', (text) => {
    expect(measureOf(text, 'duration')).toBeUndefined()
  })
})

describe('aggregated', () => {
  test.each<[string, 'number' | 'duration' | 'percent' | undefined, string, [string, number, string][] | undefined]>([
    ['p95()', 'duration', '>1s', [['>', 1000, 'duration']]],
    [
      'p95()',
      'duration',
      '!=1s',
      [
        ['<', 1000, 'duration'],
        ['>', 1000, 'duration'],
      ],
    ],
    ['count_unique(user)', 'number', '>2k', [['>', 2000, 'number']]],
    ['failure_rate()', 'percent', '>5%', [['>', 5, 'percent']]],
    ['failure_rate()', 'percent', '>0.05', [['>', 0.05, 'percent']]],
    ['min(measurements.size)', 'number', '3s', undefined],
    ['own(x)', undefined, '10mb', [['=', 10_000_000, 'size']]],
    ['max(timestamp)', undefined, '-24h', [['=', 0, 'number']]],
    ['p95()', 'duration', '..5s', undefined],
  ])('%s, a %s, of %s', (key, of, text, expected) => {
    expect(aggregated(key, of, text, 3)).toEqual(
      expected?.map(([compare, value, unit]) => ({ op: 'measure', key, aggregate: true, compare, value, unit, at: 3 })),
    )
  })
})

test.each([
  ['Contains', '*a\\*b*'],
  ['StartsWith', 'a\\*b*'],
  ['EndsWith', '*a\\*b'],
] as const)('a text that %s stands as a pattern', (place, text) => {
  expect(placed({ text: 'a*b', wild: false }, place)).toEqual({ text, wild: true })
})

const known = (name: string): SearchKey => {
  const searchKey = searchKeyOf(name)
  if (!searchKey) throw new Error(`no search key ${name}`)
  return searchKey
}

const measure = (key: string, compare: string, value: number, unit: string) => ({
  op: 'measure',
  key,
  aggregate: false,
  compare,
  value,
  unit,
  at: 9,
})

describe('typed', () => {
  test.each<[string, string, object[]]>([
    ['is', 'Resolved', [{ op: 'is', value: 'resolved', at: 9 }]],
    ['error.handled', 'TRUE', [{ op: 'flag', key: 'error.handled', value: true, at: 9 }]],
    ['error.handled', '0', [{ op: 'flag', key: 'error.handled', value: false, at: 9 }]],
    ['timesSeen', '>2k', [{ op: 'number', key: 'timesSeen', compare: '>', value: 2000, at: 9 }]],
    [
      'timesSeen',
      '!=5',
      [
        { op: 'number', key: 'timesSeen', compare: '<', value: 5, at: 9 },
        { op: 'number', key: 'timesSeen', compare: '>', value: 5, at: 9 },
      ],
    ],
    ['transaction.duration', '>5s', [measure('transaction.duration', '>', 5000, 'duration')]],
    ['transaction.duration', '500', [measure('transaction.duration', '=', 500, 'duration')]],
    ['measurements.cls', '>0.1', [measure('measurements.cls', '>', 0.1, 'number')]],
    ['title', 'x*', [{ op: 'match', key: 'title', tag: false, values: [{ text: 'x*', wild: true }], at: 9 }]],
  ])('%s:%s', (key, text, terms) => {
    expect(typed(known(key), plain(text), 9)).toEqual(terms)
  })

  test.each(['is', 'error.handled', 'timesSeen', 'transaction.duration', 'title'])(
    'an empty text in quotes asks whether %s is not set',
    (key) => {
      expect(typed(known(key), { text: '', quoted: true, at: 4 }, 9)).toEqual([
        { op: 'match', key, tag: false, values: [{ text: '', wild: false }], at: 9 },
      ])
    },
  )

  test.each([
    ['is', 'lost'],
    ['error.handled', 'yes'],
    ['timesSeen', 'many'],
    ['transaction.duration', '5parsecs'],
  ])('%s:%s is refused at the place of its value', (key, text) => {
    expect(() => typed(known(key), plain(text), 0)).toThrow(
      expect.objectContaining({ code: 'QUERY_TYPE', mistakes: [expect.objectContaining({ position: 5 })] }),
    )
  })
})

describe('search keys', () => {
  test.each(searchKeys.map((searchKey) => [searchKey.name, searchKey]))(
    '%s is found by its name',
    (name, searchKey) => {
      expect(searchKeyOf(name)).toBe(searchKey)
    },
  )

  test.each([
    ['first_seen', 'firstSeen'],
    ['http.url', 'url'],
    ['user.ip_address', 'user.ip'],
    ['first-seen', 'firstSeen'],
    ['first_seen()', 'firstSeen'],
    ['last_seen', 'lastSeen'],
    ['last-seen', 'lastSeen'],
    ['times_seen', 'timesSeen'],
    ['count()', 'timesSeen'],
    ['first_release', 'firstRelease'],
    ['last_release', 'lastRelease'],
    ['platform.name', 'platform'],
    ['assignee', 'assigned'],
    ['event.timestamp', 'timestamp'],
    ['project_id', 'project.id'],
    ['project.name', 'project'],
    ['trace_id', 'trace'],
    ['event_id', 'id'],
    ['location', 'culprit'],
    ['short_id', 'issue'],
    ['group.id', 'issue.id'],
  ])('%s is another spelling of %s', (spelling, name) => {
    expect(searchKeyOf(spelling)?.name).toBe(name)
  })

  test.each(['fruit', 'Level', 'constructor', '__proto__', 'toString', 'measurement.x', ''])('%j is a tag', (key) => {
    expect(searchKeyOf(key)).toBeUndefined()
  })

  test.each([
    ['measurements.lcp', 'duration'],
    ['spans.db', 'duration'],
    ['span.duration', 'duration'],
    ['measurements.cls', 'number'],
  ])('%s is a %s of another kind of data, and not offered', (key, type) => {
    expect(known(key)).toMatchObject({ name: key, type, measured: true })
    expect(findsNothing(known(key))).toBe(true)
  })

  test.each([
    ['count()', 'number'],
    ['p95()', 'duration'],
    ['avg(transaction.duration)', 'duration'],
    ['percentile(measurements.fp,0.5)', 'duration'],
    ['min(measurements.size)', 'number'],
    ['failure_rate()', 'percent'],
    ['max(timestamp)', undefined],
    ['own(x)', undefined],
    ['count', undefined],
  ])('%s counts in %s', (key, unit) => {
    expect(aggregateOf(key)).toBe(unit)
  })

  test.each(states.map((state) => [state]))('is:%s is read', (state) => {
    expect(typed(known('is'), plain(state), 0)).toEqual([{ op: 'is', value: state, at: 0 }])
  })
})
