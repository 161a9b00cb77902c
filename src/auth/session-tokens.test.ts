import { createHash } from 'node:crypto'
import type { DBAdapter, Where } from 'better-auth'
import { describe, expect, test } from 'vitest'
import { hashTokens } from './session-tokens.ts'

type Call = { call: string; model: string; where?: Where[]; data?: unknown; update?: unknown }

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')
const row = { id: 's1', token: hashOf('secret'), userId: 'ann' }

/** A database that records calls and answers with one row. */
function database(answer: unknown = row) {
  const calls: Call[] = []
  const note =
    (call: string, value: unknown) =>
    async (asked: Omit<Call, 'call'>): Promise<unknown> => {
      calls.push({ call, ...asked })
      return value
    }
  const inner = {
    create: async (asked: { model: string; data: Record<string, unknown> }) => {
      calls.push({ call: 'create', ...asked })
      return { id: 's1', ...asked.data }
    },
    findOne: note('findOne', answer),
    findMany: note('findMany', [answer]),
    update: note('update', answer),
    updateMany: note('updateMany', 2),
    delete: note('delete', undefined),
    deleteMany: note('deleteMany', 3),
    count: note('count', 4),
  } as unknown as DBAdapter
  return { calls, adapter: hashTokens(inner) }
}

const byToken: Where[] = [
  { field: 'userId', value: 'ann' },
  { field: 'token', value: 'secret' },
]
const byHash = [
  { field: 'userId', value: 'ann' },
  { field: 'token', value: hashOf('secret') },
]

/** All calls that have conditions. */
const questions: [string, (adapter: DBAdapter, model: string, where: Where[]) => Promise<unknown>][] = [
  ['findOne', (adapter, model, where) => adapter.findOne({ model, where })],
  ['findMany', (adapter, model, where) => adapter.findMany({ model, where })],
  ['update', (adapter, model, where) => adapter.update({ model, where, update: { userId: 'eve' } })],
  ['updateMany', (adapter, model, where) => adapter.updateMany({ model, where, update: { userId: 'eve' } })],
  ['delete', (adapter, model, where) => adapter.delete({ model, where })],
  ['deleteMany', (adapter, model, where) => adapter.deleteMany({ model, where })],
  ['count', (adapter, model, where) => adapter.count({ model, where })],
]

describe.each(questions)('%s', (call, ask) => {
  test('finds a session by the hash of its token', async () => {
    const { calls, adapter } = database()
    await ask(adapter, 'session', byToken)
    expect(calls).toEqual([expect.objectContaining({ call, model: 'session', where: byHash })])
  })

  test('finds sessions by a list of tokens', async () => {
    const { calls, adapter } = database()
    await ask(adapter, 'session', [{ field: 'token', operator: 'in', value: ['a', 'b'] }])
    expect(calls[0]?.where).toEqual([{ field: 'token', operator: 'in', value: [hashOf('a'), hashOf('b')] }])
  })

  test('leaves other tables as they are', async () => {
    const { calls, adapter } = database()
    await ask(adapter, 'verification', byToken)
    expect(calls).toEqual([expect.objectContaining({ call, model: 'verification', where: byToken })])
  })

  test('refuses what is no whole token', async () => {
    const { calls, adapter } = database()
    const where = [{ field: 'token', value: 7 }] as Where[]
    await expect((async () => ask(adapter, 'session', where))()).rejects.toThrow('by a whole token')
    expect(calls).toEqual([])
  })
})

test.each([
  ['updateMany', 2],
  ['deleteMany', 3],
  ['count', 4],
])('%s gives the number of rows', async (name, expected) => {
  const { adapter } = database()
  const ask = questions.find(([call]) => call === name)?.[1]
  expect(await ask?.(adapter, 'session', byToken)).toBe(expected)
})

describe('a row that was found', () => {
  test('by its token has the token, found otherwise it has the hash', async () => {
    const { adapter } = database()
    const byUser: Where[] = [{ field: 'userId', value: 'ann' }]
    const found = [
      await adapter.findOne({ model: 'session', where: byToken }),
      await adapter.findOne({ model: 'session', where: byUser }),
      await adapter.update({ model: 'session', where: byToken, update: {} }),
      ...(await adapter.findMany({ model: 'session', where: byToken })),
      ...(await adapter.findMany({ model: 'session' })),
    ]
    const [plain, hashed] = [{ ...row, token: 'secret' }, row]
    expect(found).toEqual([plain, hashed, plain, plain, hashed])
  })

  test.each([[null], ['text'], [{ id: 's1' }], [{ id: 's1', token: null }]])(
    'is given on as it is: %j',
    async (answer) => {
      const { adapter } = database(answer)
      expect(await adapter.findOne({ model: 'session', where: byToken })).toEqual(answer)
    },
  )

  test('in another table keeps what it has', async () => {
    const { adapter } = database()
    const asked = { model: 'verification', where: byToken }
    expect([await adapter.findOne(asked), await adapter.findMany(asked)]).toEqual([row, [row]])
    expect(await adapter.update({ ...asked, update: { token: 'new' } })).toEqual(row)
  })
})

describe('a new session', () => {
  test('is kept by its hash, and given back with its token', async () => {
    const { calls, adapter } = database()
    const made = await adapter.create({ model: 'session', data: { token: 'secret', userId: 'ann' } })
    expect(calls[0]?.data).toEqual({ token: hashOf('secret'), userId: 'ann' })
    expect(made).toEqual({ id: 's1', token: 'secret', userId: 'ann' })
  })

  test('must have a token, which does not change later', async () => {
    const { calls, adapter } = database()
    await expect(adapter.create({ model: 'session', data: { userId: 'ann' } })).rejects.toThrow('made with a token')
    const change = { model: 'session', where: byToken, update: { token: 'new' } }
    await expect(adapter.update(change)).rejects.toThrow('does not change')
    expect(calls).toEqual([])
  })

  test('is nothing to other tables', async () => {
    const { calls, adapter } = database()
    await adapter.create({ model: 'verification', data: { value: 'x' } })
    expect(calls[0]).toMatchObject({ model: 'verification', data: { value: 'x' } })
  })
})

test('what runs in a transaction has its tokens hashed too', async () => {
  const { calls, adapter } = database()
  await adapter.transaction((inside) => inside.findOne({ model: 'session', where: byToken }))
  expect(calls[0]?.where).toEqual(byHash)
})
