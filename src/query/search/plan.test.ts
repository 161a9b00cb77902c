import { expect, test } from 'vitest'
import { searchMistakes } from '../search.ts'
import type { SearchContext } from './context.ts'
import { parseSearch } from './parse.ts'
import { planOf } from './plan.ts'
import { splitRelease } from './release-parts.ts'

const nowMs = 1_795_000_000_000
const context: SearchContext = {
  lists: 'issues',
  nowMs,
  meUserId: 'me-id',
  userIdOf: async (email) => (email === 'a@b.test' ? 'a-id' : undefined),
  projectIdsOf: (wanted) => ({ web: [1], api: [2] })[wanted.text] ?? [],
  projectIds: [1, 2, 3],
  latestReleases: async () => [],
  releases: async () => ['web@1.2.0+7', 'web@1.10.0', 'api@7', 'nightly'].map(splitRelease),
  releaseStages: async () => [],
}
const plan = async (text: string) => (await planOf(parseSearch(text), context)).branches

const unresolved = { op: 'status', value: 'unresolved' }
const tag = (key: string, value: string) => ({ op: 'tag', key, match: 'is', value })

test.each([
  ['', [{}]],
  ['is:unresolved', [{ issue: unresolved }]],
  ['!is:unresolved', [{ issue: { op: 'not', of: unresolved } }]],
  ['is:archived', [{ issue: { op: 'status', value: 'ignored' } }]],
  ['is:archived_until_escalating', [{ issue: { op: 'substatus', value: 'archived_until_escalating' } }]],
  [
    'is:archived_forever',
    [
      {
        issue: {
          op: 'and',
          of: [
            { op: 'status', value: 'ignored' },
            { op: 'or', of: ['archived_forever', ''].map((value) => ({ op: 'substatus', value })) },
          ],
        },
      },
    ],
  ],
  ['is:assigned', [{ issue: { op: 'assigned', userId: 'any' } }]],
  ['is:unassigned', [{ issue: { op: 'assigned', userId: null } }]],
  ['is:regressed', [{ issue: { op: 'substatus', value: 'regressed' } }]],
  ['is:linked', []],
  ['is:unlinked', [{}]],
  ['assigned:me', [{ issue: { op: 'assigned', userId: 'me-id' } }]],
  ['assigned:""', [{ issue: { op: 'assigned', userId: null } }]],
  ['assigned:none', [{ issue: { op: 'assigned', userId: null } }]],
  ['assigned:a@b.test', [{ issue: { op: 'assigned', userId: 'a-id' } }]],
  ['assigned:x@y.test', []],
  ['!assigned:x@y.test', [{}]],
  ['hello', [{ issue: { op: 'text', value: 'hello' } }]],
  [
    'WEB-4',
    [
      {
        issue: {
          op: 'or',
          of: [
            { op: 'text', value: 'WEB-4' },
            { op: 'field', field: 'shortId', match: 'is', value: 'WEB-4' },
          ],
        },
      },
    ],
  ],
  ['issue:web-4', [{ issue: { op: 'field', field: 'shortId', match: 'is', value: 'WEB-4' } }]],
  ['title:Type*', [{ issue: { op: 'field', field: 'title', match: 'like', value: 'Type*' } }]],
  [
    'level:[error,fatal]',
    [
      {
        issue: {
          op: 'or',
          of: ['error', 'fatal'].map((value) => ({ op: 'field', field: 'level', match: 'is', value })),
        },
      },
    ],
  ],
  ['age:-24h', [{ issue: { op: 'number', field: 'firstSeen', compare: '>=', value: nowMs - 86_400_000 } }]],
  [
    'lastSeen:>2026-01-31',
    [{ issue: { op: 'number', field: 'lastSeen', compare: '>', value: Date.UTC(2026, 0, 31) } }],
  ],
  ['timesSeen:>10', [{ issue: { op: 'number', field: 'count', compare: '>', value: 10 } }]],
  ['error.handled:true', [{ issue: { op: 'unhandled', value: false } }]],
  ['issue.priority:medium', [{ issue: { op: 'priority', value: 'medium' } }]],
  ['issue.priority:constructor', []],
  ['bookmarks:me', [{ issue: { op: 'bookmarked', userId: 'me-id' } }]],
  ['subscribed:a@b.test', [{ issue: { op: 'subscribed', userId: 'a-id' } }]],
  ['issue.category:made-up', []],
  ['has:logger', [{ issue: { op: 'not', of: { op: 'field', field: 'logger', match: 'is', value: '' } } }]],
  ['!has:logger', [{ issue: { op: 'field', field: 'logger', match: 'is', value: '' } }]],
  ['fruit:apple', [{ event: tag('fruit', 'apple') }]],
  ['!fruit:apple', [{ event: { op: 'not', of: tag('fruit', 'apple') } }]],
  ['fruit:""', [{ event: { op: 'not', of: { op: 'tag', key: 'fruit', match: 'has', value: '' } } }]],
  ['has:fruit', [{ event: { op: 'tag', key: 'fruit', match: 'has', value: '' } }]],
  ['user.id:7', [{ event: { op: 'or', of: [tag('user.id', '7'), tag('user', 'id:7')] } }]],
  [
    'release:1 environment:p',
    [
      {
        event: {
          op: 'and',
          of: [
            { op: 'field', field: 'release', match: 'is', value: '1' },
            { op: 'field', field: 'environment', match: 'is', value: 'p' },
          ],
        },
      },
    ],
  ],
  [
    '00000000-0000-0000-0000-00000000000A',
    [
      {
        issue: {
          op: 'or',
          of: [
            { op: 'text', value: '00000000-0000-0000-0000-00000000000A' },
            { op: 'field', field: 'shortId', match: 'is', value: '00000000-0000-0000-0000-00000000000A' },
          ],
        },
      },
      { event: { op: 'field', field: 'event_id', match: 'is', value: '0000000000000000000000000000000a' } },
    ],
  ],
  ['Error:[object Object]', [{ issue: { op: 'text', value: 'Error:[object Object]' } }]],
  [
    '!data:[] x',
    [
      {
        issue: {
          op: 'and',
          of: [
            { op: 'text', value: '!data:[]' },
            { op: 'text', value: 'x' },
          ],
        },
      },
    ],
  ],
  ['level:[]', [{ issue: { op: 'text', value: 'level:[]' } }]],
  ['message:word', [{ event: { op: 'text', value: 'word' } }]],
  [
    'id:00000000-0000-0000-0000-00000000000A',
    [{ event: { op: 'field', field: 'event_id', match: 'is', value: '0000000000000000000000000000000a' } }],
  ],
  ['is:unresolved fruit:a', [{ issue: unresolved, event: tag('fruit', 'a') }]],
  ['is:unresolved OR fruit:a', [{ issue: unresolved }, { event: tag('fruit', 'a') }]],
  [
    '!(is:unresolved OR fruit:a)',
    [{ issue: { op: 'not', of: unresolved }, event: { op: 'not', of: tag('fruit', 'a') } }],
  ],
  ['fruit:a OR fruit:b', [{ event: { op: 'or', of: [tag('fruit', 'a'), tag('fruit', 'b')] } }]],
  ['project:web', [{ projectIds: [1] }]],
  ['!project:web', [{ projectIds: [2, 3] }]],
  ['project:web project:api', []],
  ['project.id:>1', [{ projectIds: [2, 3] }]],
  ['project:web fruit:a', [{ projectIds: [1], event: tag('fruit', 'a') }]],
  ['timestamp:>2026-01-31 timestamp:<2026-02-01', [{ fromMs: Date.UTC(2026, 0, 31), toMs: Date.UTC(2026, 1, 1) }]],
  ['!timestamp:>2026-01-31', [{ toMs: Date.UTC(2026, 0, 31) }]],
  ['transaction.duration:>5s', []],
  ['transaction.duration:>5s OR is:unresolved', [{ issue: unresolved }]],
])('%s', async (text, branches) => {
  expect(await plan(text)).toEqual(branches)
})

test('mixtures are bounded', async () => {
  const mixed = Array.from({ length: 5 }, (_, i) => `(is:new OR t${i}:x)`).join(' ')
  await expect(plan(mixed)).rejects.toThrow(expect.objectContaining({ code: 'QUERY_TOO_LONG' }))
})

const many = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n))

test.each([
  ['words', many(20, (n) => `w${n}`).join(' OR '), many(21, (n) => `w${n}`).join(' OR ')],
  ['words of an AND', many(20, (n) => `w${n}`).join(' '), many(21, (n) => `w${n}`).join(' ')],
  ['words with a star', many(5, (n) => `w${n}*`).join(' '), many(6, (n) => `w${n}*`).join(' ')],
  ['patterns of a list', `title:[${many(20, (n) => `*${n}`)}]`, `title:[${many(21, (n) => `*${n}`)}]`],
])('%s that issues are looked through for are bounded', async (_name, good, long) => {
  expect(await plan(good)).toHaveLength(1)
  await expect(plan(long)).rejects.toThrow(expect.objectContaining({ code: 'QUERY_TOO_LONG' }))
  expect((await planOf(parseSearch('w '.repeat(90)), { ...context, lists: 'events' })).branches).toHaveLength(1)
})

test('parts of releases are compared a bounded number of times', async () => {
  const releases = many(5_000, (n) => `web@1.${n}.0`).map(splitRelease)
  const asked = async (values: number) => {
    const text = `release.version:[${many(values, (n) => `>9.${n}`)}]`
    return (await planOf(parseSearch(`${text} OR ${text}`), { ...context, releases: async () => releases })).branches
  }
  expect(await asked(50)).toEqual([])
  await expect(asked(51)).rejects.toThrow(expect.objectContaining({ code: 'QUERY_TOO_LONG' }))
})

test('the box gets the position', () => {
  expect(searchMistakes('a b:')).toMatchObject([{ reason: 'missing_value', position: 5 }])
  expect(searchMistakes('a b:c')).toEqual([])
})

test('a search may hold 20 patterns against frames, and any number of whole values', async () => {
  const asked = (pattern: string, count: number) => plan(`stack.function:[${many(count, (at) => `f${at}${pattern}`)}]`)
  await asked('', 100)
  await asked('*', 20)
  await expect(asked('*', 21)).rejects.toThrow(expect.objectContaining({ code: 'QUERY_TOO_LONG' }))
})
