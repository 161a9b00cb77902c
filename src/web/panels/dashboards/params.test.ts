import { describe, expect, it, test } from 'vitest'
import { boardParams, openingSearch, tileQuery } from './params.ts'

const names = [{ id: '7', slug: 'web', name: 'Web' }]
const read = (search: string, period: string | null = null) => boardParams(new URLSearchParams(search), period)

describe('boardParams', () => {
  it.each<[string, string | null, unknown]>([
    ['', null, { kind: 'relative', period: '24h' }],
    ['', '7d', { kind: 'relative', period: '7d' }],
    ['', '5y', { kind: 'relative', period: '24h' }],
    ['t=1h', '7d', { kind: 'relative', period: '1h' }],
    [
      'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
      '7d',
      { kind: 'absolute', fromMs: 1767225600000, toMs: 1767312000000 },
    ],
  ])('the range of "%s" with the period %s', (search, period, range) =>
    expect(read(search, period).range).toEqual(range),
  )
  it.each([
    ['', 60],
    ['refresh=0', 0],
    ['refresh=300', 300],
    ['refresh=1', 60],
    ['refresh=x', 60],
  ])('refresh: "%s"', (search, refreshS) => expect(read(search).refreshS).toBe(refreshS))
  it('several releases and values, also with commas', () =>
    expect(read('release=a,b&release=c&release=&value=x')).toMatchObject({ releases: ['a,b', 'c'], values: ['x'] }))
})

test('tileQuery names projects by id', () =>
  expect(tileQuery(read('project=web,9&env=production,dev&release=a'), names)).toEqual({
    project: ['7', '9'],
    environment: ['production', 'dev'],
    statsPeriod: '24h',
    release: ['a'],
    value: [],
  }))

test.each([
  [{ projects: [], environment: [], filters: { release: [] } }, ''],
  [
    { projects: [7, 8], environment: ['a b'], filters: { release: ['x@1&y'] } },
    '?project=web%2C8&env=a+b&release=x%401%26y',
  ],
])('openingSearch of %j', (own, expected) => expect(openingSearch(own, names)).toBe(expected))
