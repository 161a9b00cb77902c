import { ClickHouseError } from '@clickhouse/client'
import { expect, test } from 'vitest'
import { MishapError } from '../../../base/errors.ts'
import type { Connection } from '../connection.ts'
import type { EventFilter } from '../events.ts'
import { createFindPairs } from './tag-pairs.ts'

type Answers = { parts?: unknown[]; unindexed?: number; rows?: { pair: string }[]; error?: Error }

/** A look-up over a connection that answers these rows, and the statements that it was asked. */
function rig({ parts = [], unindexed = 0, rows = [], error }: Answers) {
  const asked: string[] = []
  const connection = {
    rows: async (sql: string) => {
      asked.push(/mergeTreeTextIndex|system\.parts|arrayJoin/.exec(sql)?.[0] ?? sql)
      if (error) throw error
      return sql.includes('mergeTreeTextIndex') ? parts : sql.includes('system.parts') ? [{ n: unindexed }] : rows
    },
  } as unknown as Connection
  return { find: createFindPairs(connection, 'mishap'), asked }
}

const like = (key: string, value: string): EventFilter => ({ op: 'tag', key, match: 'like', value })
const part = (name: string, pairs: string[], compared = pairs.length) => ({ part: name, compared, pairs })
const customer = like('customer', '7*')
const groups = (many: number): EventFilter => ({ op: 'groups', hashes: Array.from({ length: many }, () => 'a') })
const parts = [part('old', ['customer=7', 'customer=71']), part('new', ['customer=71'])]

test.each<[string, EventFilter]>([
  ['a value', { op: 'tag', key: 'customer', match: 'is', value: '7' }],
  ['a pattern that rows without the tag match', like('customer', '**')],
  ['a pattern beside few groups', { op: 'and', of: [customer, groups(100)] }],
  ['five patterns', { op: 'or', of: [1, 2, 3, 4, 5].map((n) => like('customer', `${n}*`)) }],
])('the index is not asked for %s', async (_name, filter) => {
  const { find, asked } = rig({ parts })
  expect(await find([1], filter)).toBe(filter)
  expect(asked).toEqual([])
})

test.each<[string, EventFilter, (pairs: string[]) => unknown]>([
  ['alone', customer, (pairs) => ({ ...customer, pairs })],
  ['negated', { op: 'not', of: customer }, (pairs) => ({ op: 'not', of: { ...customer, pairs } })],
  [
    'beside many groups',
    { op: 'and', of: [customer, groups(101)] },
    (pairs) => ({ op: 'and', of: [{ ...customer, pairs }, groups(101)] }),
  ],
])('a pattern %s gets the pairs of all parts once', async (_name, filter, expected) => {
  const { find, asked } = rig({ parts })
  expect(await find([1], filter)).toEqual(expected(['customer=7', 'customer=71']))
  expect(asked).toEqual(['mergeTreeTextIndex', 'system.parts'])
})

test('rows without the index are read for their pairs', async () => {
  const { find, asked } = rig({ parts, unindexed: 100_000, rows: [{ pair: 'customer=79' }, { pair: 'customer=7' }] })
  expect(await find([1], customer)).toEqual({ ...customer, pairs: ['customer=7', 'customer=71', 'customer=79'] })
  expect(asked).toEqual(['mergeTreeTextIndex', 'system.parts', 'arrayJoin'])
})

const many = Array.from({ length: 2001 }, (_, n) => `customer=7${n}`)
test.each<[string, Answers]>([
  ['many rows have no index', { parts, unindexed: 100_001 }],
  ['many pairs match', { parts: [part('old', many)] }],
  ['many pairs are compared', { parts: [part('old', ['customer=7'], 150_000), part('new', [], 50_000)] }],
])('a pattern stays one if %s', async (_name, answers) => {
  expect(await rig(answers).find([1], customer)).toEqual(customer)
})

test('a server that has no such look-up is asked once', async () => {
  const { find, asked } = rig({ error: new ClickHouseError({ message: 'x', code: '46', type: 'UNKNOWN_FUNCTION' }) })
  for (let times = 0; times < 2; times++) expect(await find([1], customer)).toBe(customer)
  expect(asked).toEqual(['mergeTreeTextIndex'])
})

test('an outage is no answer', async () => {
  const { find } = rig({ error: new MishapError('STORE_UNAVAILABLE') })
  await expect(find([1], customer)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})
