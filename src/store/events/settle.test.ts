import { describe, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import type { Connection } from './connection.ts'
import { createSettle } from './settle.ts'

const token = 'batch:7-9'

/** An engine with an insert that runs for `looks` looks at it; its rows show when it has ended. */
function engine(looks: number) {
  const clock = testClock()
  const asked: string[] = []
  const state = { left: looks }
  const stored = [7, 8].map((jpos) => ({ jpos: String(jpos), places: [0], project: '1', hour: 1_795_000_000 }))
  const connection = {
    command: async (sql: string, bound: Record<string, unknown>) => {
      asked.push(/^KILL QUERY/.test(sql) ? `kill ${String(bound.token)}` : 'command')
    },
    rows: async (sql: string, bound: Record<string, unknown>) => {
      if (/system\.processes/.test(sql)) {
        asked.push(`look ${String(bound.token)}`)
        return state.left-- > 0 ? [{ 1: 1 }] : []
      }
      asked.push(/groupUniqArray/.test(sql) ? `read ${String(bound.from)}-${String(bound.to)}` : 'other')
      return state.left < 0 && bound.from !== undefined ? stored : []
    },
  } as unknown as Connection
  const settling = createSettle(connection, 'mishap', { ...clock, sleep: async (ms) => clock.advance(ms) }, silent)
  return { settling, asked, clock }
}

describe('settling while an insert of the token is running', () => {
  test('it is ended and its end waited for before anything is read: its rows are found', async () => {
    const { settling, asked } = engine(3)
    const places = await settling.settle('events', token, 7, 9)
    expect([...places.keys()]).toEqual([7, 8])
    const looks = Array.from({ length: 4 }, () => `look ${token}`)
    expect(asked.slice(0, 6)).toEqual([`kill ${token}`, ...looks, 'read 7-9'])
  })

  test('with none running rows are read after one look', async () => {
    const { settling, asked } = engine(0)
    await settling.settle('events', token, 7, 9)
    expect(asked.slice(0, 3)).toEqual([`kill ${token}`, `look ${token}`, 'read 7-9'])
  })

  test('an insert that never ends is said, after 20 s; nothing is read', async () => {
    const { settling, asked, clock } = engine(Number.POSITIVE_INFINITY)
    const before = clock.now()
    await expect(settling.settle('events', token, 7, 9)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      causes: ['an insert does not end'],
    })
    expect([asked.some((item) => item.startsWith('read')), clock.now() - before]).toEqual([false, 20_000])
  })

  test('whoever only wants its end reads nothing', async () => {
    const { settling, asked } = engine(1)
    await settling.ended(token)
    expect(asked).toEqual([`kill ${token}`, `look ${token}`, `look ${token}`])
  })
})
