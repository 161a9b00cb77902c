import { describe, expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import type { PlanView } from '../compile/dataset.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { outcomeStats } from './outcome-stats.ts'

const hourMs = 3_600_000
type Stored = Awaited<ReturnType<QueryDeps['meta']['ledger']['outcomesSince']>>[number]
const stored = (more: Partial<Stored> = {}): Stored => ({
  hourMs: 0,
  projectId: 1,
  keyId: 3,
  category: 'error',
  itemType: 'event',
  outcome: 'stored',
  reason: 'ok',
  quantity: 1,
  bytes: 100,
  ...more,
})
type Request = Parameters<typeof outcomeStats>[2]
const rows = [
  stored({ quantity: 5 }),
  stored({ quantity: 7, hourMs, projectId: 2 }),
  stored({ quantity: 2, hourMs, outcome: 'rate_limited', reason: 'key_limit', keyId: 0 }),
  stored({ quantity: 40, category: 'span', hourMs: 2 * hourMs }),
]

function stats(more: Partial<Request> = {}, range = { fromMs: 0, toMs: 3 * hourMs }, all: readonly Stored[] = rows) {
  const meta = { ledger: { outcomesSince: async () => all } } as unknown as QueryDeps['meta']
  const view = {
    projects: [{ id: 1 }, { id: 2 }],
    environments: [],
    range: { ...range, period: 'range' },
    meUserId: undefined,
  } as unknown as PlanView
  const only = { category: [], outcome: [], reason: [] }
  return outcomeStats({ meta }, view, { fields: [], groupBy: [], only, intervalMs: hourMs, ...more })
}
const totals = async (more: Partial<Request>) =>
  (await stats(more)).groups.map((group) => [...Object.values(group.by), group.totals['sum(quantity)']])
const limited = (only: Partial<Request['only']>) => ({ only: { category: [], outcome: [], reason: [], ...only } })

test('without groups: one with all items, by hour', async () => {
  expect(await stats()).toEqual({
    start: '1970-01-01T00:00:00.000Z',
    end: '1970-01-01T03:00:00.000Z',
    intervals: ['1970-01-01T00:00:00.000Z', '1970-01-01T01:00:00.000Z', '1970-01-01T02:00:00.000Z'],
    groups: [{ by: {}, totals: { 'sum(quantity)': 54 }, series: { 'sum(quantity)': [5, 9, 40] } }],
  })
})

test('both names of the number of items are the same', async () => {
  const { groups } = await stats({ fields: ['sum(times_seen)', 'sum(quantity)'] })
  expect(groups[0]?.totals).toEqual({ 'sum(times_seen)': 54, 'sum(quantity)': 54 })
  expect(groups[0]?.series['sum(times_seen)']).toEqual([5, 9, 40])
})

test.each<[string[], unknown[][]]>([
  [
    ['category'],
    [
      ['span', 40],
      ['error', 14],
    ],
  ],
  // Other clients know stored items as accepted.
  [
    ['outcome'],
    [
      ['accepted', 52],
      ['rate_limited', 2],
    ],
  ],
  [
    ['reason'],
    [
      ['ok', 52],
      ['key_limit', 2],
    ],
  ],
  [
    ['project'],
    [
      [1, 47],
      [2, 7],
    ],
  ],
  [
    ['key_id'],
    [
      [3, 52],
      [null, 2],
    ],
  ],
  [
    ['category', 'project'],
    [
      ['span', 1, 40],
      ['error', 1, 7],
      ['error', 2, 7],
    ],
  ],
])('by %j, the largest first', async (groupBy, wanted) => expect(await totals({ groupBy })).toEqual(wanted))

test('each group has its own series, with a zero for each hour without items', async () => {
  const { groups } = await stats({ groupBy: ['category'] })
  expect(groups.map(({ series }) => series['sum(quantity)'])).toEqual([
    [0, 0, 40],
    [5, 9, 0],
  ])
})

test.each<[string, Partial<Request['only']>, number | undefined]>([
  ['a category', { category: ['span'] }, 40],
  ['two of them', { category: ['span', 'error'] }, 54],
  ['accepted is what is stored', { outcome: ['accepted'] }, 52],
  ['an outcome by its own name', { outcome: ['rate_limited'] }, 2],
  ['a reason', { reason: ['key_limit'] }, 2],
  ['several conditions hold together', { category: ['error'], outcome: ['accepted'] }, 12],
  ['an unknown category', { category: ['<b>'] }, 0],
])('limited to %s', async (_name, only, wanted) => expect(await totals(limited(only))).toEqual([[wanted]]))

describe('the buckets', () => {
  test.each<[string, { fromMs: number; toMs: number }, number, string[], number[]]>([
    ['begin at whole hours', { fromMs: 1000, toMs: hourMs }, hourMs, ['00'], [5]],
    ['reach to the end', { fromMs: 0, toMs: hourMs + 1 }, hourMs, ['00', '01'], [5, 9]],
    ['are as long as asked', { fromMs: 0, toMs: 3 * hourMs }, 2 * hourMs, ['00', '02'], [14, 40]],
  ])('%s', async (_name, range, intervalMs, hours, wanted) => {
    const { intervals, groups } = await stats({ intervalMs }, range)
    expect(intervals).toEqual(hours.map((hour) => `1970-01-01T${hour}:00:00.000Z`))
    expect(groups[0]?.series['sum(quantity)']).toEqual(wanted)
  })
  test('are whole hours by themselves, as the ledger has no shorter ones', async () => {
    expect((await stats({ intervalMs: undefined }, { fromMs: 0, toMs: 2 * hourMs })).intervals).toHaveLength(2)
  })
})

test('at most 1,000 groups, the largest', async () => {
  const many = Array.from({ length: 1005 }, (_, n) => stored({ projectId: n + 1, quantity: n + 1 }))
  const { groups } = await stats({ groupBy: ['project'] }, undefined, many)
  expect([groups.length, groups[0]?.by, groups.at(-1)?.by]).toEqual([1000, { project: 1005 }, { project: 6 }])
})

test.each<[string, Partial<Request>, string]>([
  [
    'field',
    { fields: ['sum(quantity)', 'avg(quantity)'] },
    '"avg(quantity)" is none of sum(quantity), sum(times_seen).',
  ],
  ['field', { fields: ['constructor'] }, '"constructor" is none of'],
  ['groupBy', { groupBy: ['__proto__'] }, '"__proto__" is none of category, outcome, reason, project, key_id.'],
  ['groupBy', { groupBy: ['x'.repeat(500)] }, `"${'x'.repeat(200)}" is none of`],
  ['interval', { intervalMs: 999 }, 'At least a second.'],
  ['interval', { intervalMs: hourMs + 1000 }, 'whole hours'],
])('a wrong %s: %j', async (field, more, sentence) => {
  const error = await stats(more).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(MishapError)
  expect(error).toMatchObject({
    code: 'VALIDATION',
    fields: { [field]: [expect.stringContaining(sentence)] },
  })
})
