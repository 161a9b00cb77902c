import { describe, expect, it, test } from 'vitest'
import { parseSearch } from '../../../query/search/parse.ts'
import {
  changedSearch,
  isPlain,
  periodSince,
  releaseParams,
  type Search,
  spanQuery,
  typedName,
  versionOf,
  versionTerm,
} from './params.ts'

const plain = {
  q: '',
  project: '',
  env: '',
  range: { kind: 'relative', period: '14d' },
  sort: 'order',
  status: 'open',
  at: 0,
}

describe('releaseParams', () => {
  it.each<[string, Search, object]>([
    ['nothing', {}, {}],
    [
      'all',
      { q: ' shop@ ', project: 'web', env: 'production', t: '7d', sort: 'date', status: 'archived', at: '50' },
      {
        q: 'shop@',
        project: 'web',
        env: 'production',
        sort: 'date',
        status: 'archived',
        at: 50,
        range: { kind: 'relative', period: '7d' },
      },
    ],
    ['twice the same counts as none', { q: ['a', 'b'], at: ['1', '2'], sort: ['date', 'date'] }, {}],
    ['a page that is no number', { at: '-1' }, {}],
    ['a page without end', { at: '99999999' }, {}],
    ['a sorting that is none', { sort: 'size' }, {}],
    ['a status that is none', { status: 'gone' }, {}],
    [
      'a range of its own',
      { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
      {
        range: { kind: 'absolute', fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 2) },
      },
    ],
    ['a range of more than ten years', { from: '1990-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }, {}],
    ['a range before 1970', { from: '1950-01-01T00:00:00Z', to: '1951-01-02T00:00:00Z' }, {}],
    ['a range after 2106', { from: '2110-01-01T00:00:00Z', to: '2110-01-02T00:00:00Z' }, {}],
  ])('%s', (_name, search, expected) => expect(releaseParams(search)).toEqual({ ...plain, ...expected }))

  it('a long search is cut', () => expect(releaseParams({ q: 'x'.repeat(1000) }).q).toHaveLength(250))

  it.each<[Search, boolean]>([
    [{}, true],
    [{ t: '90d', sort: 'date' }, true],
    [{ q: 'a' }, false],
    [{ status: 'archived' }, false],
    [{ project: 'web' }, false],
    [{ env: 'x' }, false],
    [{ at: '50' }, false],
  ])('%j is plain: %s', (search, expected) => expect(isPlain(releaseParams(search))).toBe(expected))
})

test.each<[string, Parameters<typeof changedSearch>[1], string]>([
  ['', {}, ''],
  ['', { q: 'a b&c' }, '?q=a+b%26c'],
  ['q=a&at=50', { at: '100' }, '?q=a&at=100'],
  ['q=a&at=50', { sort: 'date' }, '?q=a&sort=date'],
  ['q=a', { q: '' }, ''],
  ['t=7d', { t: null, from: 'x', to: 'y' }, '?from=x&to=y'],
])('changedSearch of %j with %j', (before, change, expected) => {
  expect(changedSearch(new URLSearchParams(before), change)).toBe(expected)
})

test('spanQuery', () => {
  expect(spanQuery({ kind: 'relative', period: '24h' })).toEqual({ statsPeriod: '24h' })
  expect(spanQuery({ kind: 'absolute', fromMs: 0, toMs: 1000 })).toEqual({
    start: '1970-01-01T00:00:00.000Z',
    end: '1970-01-01T00:00:01.000Z',
  })
})

test.each([
  [0, '1h'],
  [1, '1h'],
  [2, '24h'],
  [25, '7d'],
  [24 * 8, '14d'],
  [24 * 15, '30d'],
  [24 * 31, '90d'],
  [24 * 400, '90d'],
])('a release of %i hours ago: %s', (hours, expected) => {
  const nowMs = Date.UTC(2026, 10, 21)
  expect(periodSince(nowMs - hours * 3_600_000, nowMs)).toBe(expected)
})

test.each([
  'shop@1.0.0',
  'with space + plus',
  'a"quote',
  'star*',
  '*',
  'a:b (c) [d,e] OR AND !x >1',
  '<img src=x onerror=alert(1)>',
])('the search means exactly the version %s', (version) => {
  for (const field of ['release', 'firstRelease'] as const) {
    const found = JSON.stringify(parseSearch(versionTerm(field, version)))
    expect(found).toContain(JSON.stringify({ text: version, wild: false }))
    expect(found).not.toContain('"wild":true')
  }
})

test.each([
  ['shop%401.0.0%2Bb%201', 'shop@1.0.0+b 1'],
  ['%', undefined],
  ['%ff', undefined],
])('versionOf %s', (part, expected) => expect(versionOf(part)).toBe(expected))

test.each([
  ['shop@1.0.0', 'shop@1.0.0'],
  ['a\u202eb c', 'ab c'],
  ['\u202e\u200b', 'release'],
  ['v'.repeat(200), 'v'.repeat(40)],
])('to delete %j one types %j', (version, expected) => expect(typedName(version)).toBe(expected))
