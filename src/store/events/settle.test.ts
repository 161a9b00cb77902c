import { describe, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import type { Connection } from './connection.ts'
import { createSettle } from './settle.ts'

const token = 'batch:7-9'

/** An engine with an insert that runs until it was polled `looks` times. Its rows are visible after that. */
function engine(looks: number, projects = ['1', '1']) {
  const clock = testClock()
  const asked: string[] = []
  const state = { left: looks }
  const commands: Record<string, unknown>[] = []
  const lines: Record<string, unknown>[] = []
  const stored = projects.map((project, at) => ({
    jpos: String(7 + at),
    places: [0],
    project,
    hour: 1_795_000_000 - (1_795_000_000 % 3600),
  }))
  const connection = {
    kind: { isRemote: false },
    commentOf: (token: string) => token,
    command: async (sql: string, bound: Record<string, unknown>, limits?: { seconds: number }) => {
      if (limits) commands.push({ ...bound, ...limits })
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
  const settling = createSettle(
    connection,
    'mishap',
    { ...clock, sleep: async (ms) => clock.advance(ms) },
    {
      ...silent,
      info: (fields) => lines.push(fields),
    },
  )
  return { settling, asked, clock, commands, lines }
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

describe('after an insert of which nobody saw the end', () => {
  test('the hours of the rows that are there are counted anew, for each of their projects', async () => {
    const { settling, commands, lines } = engine(0, ['1', '2', '1'])
    expect((await settling.settle('events', token, 7, 10)).size).toBe(3)
    const hour = Math.floor(1_795_000_000 / 3600) * 3600
    expect(commands.length).toBeGreaterThan(0)
    for (const command of commands)
      expect(command).toMatchObject({ projects: [1, 2], hours: [hour], from: hour, to: hour + 3600, seconds: 120 })
    expect(lines).toEqual([{ from: 7, to: 10, rows: 3 }])
  })

  test('nothing is counted where no row is there', async () => {
    const { settling, commands, lines } = engine(0, [])
    expect((await settling.settle('events', token, 7, 9)).size).toBe(0)
    expect([commands, lines]).toEqual([[], []])
  })

  test('inserts wait until it is counted', async () => {
    const { settling } = engine(0)
    const order: string[] = []
    const counting = settling.counting(async () => {
      await Promise.resolve()
      order.push('counted')
    })
    await settling.inserting(async () => order.push('inserted'))
    await counting
    expect(order).toEqual(['counted', 'inserted'])
  })
})
