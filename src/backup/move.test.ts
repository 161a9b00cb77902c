import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import type { PartitionSum, RowPartition, RowRange, RowTarget } from '../store/events/moves.ts'
import { tableNames } from '../store/events/tables.ts'
import { copyStores } from './move.ts'
import { copyNewBlobs, finishBlobs } from './move-blobs.ts'
import { createEventsMove } from './move-events.ts'
import { demandStores, placesOf, readMoving, readStores, writeMoving, writeStores } from './stores-record.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-move-'))
afterAll(() => rmSync(root, { recursive: true }))
const newFolder = () => mkdtempSync(join(root, 'one-'))

type Row = { id: string; jpos: number }
type Memory = Map<string, { rows: Row[]; version: number; deletion: number }>
const keyOf = ({ table, id }: { table: string; id: string }) => `${table} ${id}`

const sumsOf = (memory: Memory): PartitionSum[] =>
  [...memory].flatMap(([key, { rows }]) => {
    const [table = '', id = ''] = key.split(' ')
    return rows.length === 0
      ? []
      : [
          {
            table,
            id,
            rows: rows.length,
            sum: rows
              .map((row) => row.id)
              .sort()
              .join(),
          },
        ]
  })

/** An events store in memory that counts what is read from it. */
function storeOf() {
  const memory: Memory = new Map()
  const state = { sequence: 0, read: 0 }
  const change = (key: string, rows: (before: Row[]) => Row[], isDeletion = false) => {
    const before = memory.get(key) ?? { rows: [], version: 0, deletion: 0 }
    state.sequence++
    memory.set(key, {
      rows: rows(before.rows),
      version: state.sequence,
      deletion: isDeletion ? state.sequence : before.deletion,
    })
  }
  return {
    memory,
    state,
    add: (key: string, ...rows: Row[]) => change(key, (before) => [...before, ...rows]),
    remove: (key: string, id: string) => change(key, (before) => before.filter((row) => row.id !== id), true),
    rowPartitions: async (): Promise<RowPartition[]> =>
      [...memory].map(([key, { version, deletion }]) => {
        const [table = '', id = ''] = key.split(' ')
        return { table, id, version, deletion }
      }),
    rowColumns: async () => ['id', 'jpos'],
    rowSums: async () => sumsOf(memory),
    async *rowsIn(partition: RowPartition, { from, until }: RowRange) {
      const isStored = (tableNames as readonly string[]).includes(partition.table)
      const { rows = [] } = memory.get(keyOf(partition)) ?? {}
      for (const row of rows.filter(({ jpos }) => !isStored || (jpos >= from && jpos < until))) {
        state.read++
        yield Buffer.from(`${JSON.stringify(row)}\n`)
      }
    },
  }
}

/** A target in memory. */
function targetOf() {
  const memory: Memory = new Map()
  const target: RowTarget = {
    async put(partition, _columns, rows, replace) {
      const before = replace ? [] : (memory.get(keyOf(partition))?.rows ?? [])
      const added: Row[] = []
      for await (const piece of rows) added.push(JSON.parse(piece.toString()) as Row)
      memory.set(keyOf(partition), { rows: [...before, ...added], version: 0, deletion: 0 })
    },
    drop: async (partition) => void memory.delete(keyOf(partition)),
    finish: async () => undefined,
  }
  return { memory, target, rowSums: async () => sumsOf(memory) }
}

describe('events', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id, at) => ({ id, jpos: at * 10 })) as [Row, Row, Row]

  test.each<[string, (from: ReturnType<typeof storeOf>) => void, number]>([
    ['nothing changes', () => undefined, 0],
    ['rows are added', (from) => from.add('events 1', c), 1],
    ['a partition begins', (from) => from.add('events 2', c), 1],
    ['a row is deleted', (from) => from.remove('events 1', 'a'), 1],
    ['a row is deleted and another one added', (from) => [from.remove('events 1', 'a'), from.add('events 1', c)], 2],
    ['a partition is dropped', (from) => void from.memory.delete('events 1'), 0],
    ['a rewritten row with an old position is added', (from) => from.add('events 1', { id: 'd', jpos: 0 }), 3],
    ['a rollup changes', (from) => from.add('issue_time 1', c), 2],
  ])('after a round, %s: the target is equal, and little is read again', async (_name, change, read) => {
    const [from, to] = [storeOf(), targetOf()]
    from.add('events 1', a, b)
    from.add('issue_time 1', a)
    const move = createEventsMove(from, to.target, to)
    await move.round(20)
    change(from)
    from.state.read = 0
    const rows = await move.finish()
    expect(sumsOf(to.memory)).toEqual(sumsOf(from.memory))
    expect(from.state.read).toBe(read)
    expect(rows.events).toBe(
      [...from.memory].flatMap(([key, { rows: all }]) => (key.startsWith('events') ? all : [])).length,
    )
  })

  test('rows above the position of a round come with the next one', async () => {
    const [from, to] = [storeOf(), targetOf()]
    from.add('spans 1', a, b, c)
    const move = createEventsMove(from, to.target, to)
    await move.round(10)
    expect(sumsOf(to.memory)).toMatchObject([{ table: 'spans', rows: 1, sum: 'a' }])
    await move.round(20)
    expect(sumsOf(to.memory)).toMatchObject([{ rows: 2, sum: 'a,b' }])
  })

  test('a target that loses rows is found out', async () => {
    const [from, to] = [storeOf(), targetOf()]
    from.add('events 1', a)
    const target = { ...to.target, put: async () => undefined }
    await expect(createEventsMove(from, target, to).finish()).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('events 1'),
    })
  })
})

describe('blobs', () => {
  test('new ones are copied, deleted ones go, and the spool stays', async () => {
    const [from, to] = [openFileBlobs(newFolder()), openFileBlobs(newFolder())]
    for (const key of ['a/1', 'a/2', 'spool/3']) await from.put(key, Buffer.from(key))
    expect(await copyNewBlobs(from, to)).toBe(2)
    expect(await copyNewBlobs(from, to)).toBe(0)
    await from.delete('a/1')
    await from.put('a/4', Buffer.from('a/4'))
    expect(await finishBlobs(from, to)).toBe(2)
    expect([await to.list(''), String(await to.get('a/4'))]).toEqual([['a/2', 'a/4'], 'a/4'])
  })

  test('a target that does not keep blobs is found out', async () => {
    const [from, to] = [openFileBlobs(newFolder()), openFileBlobs(newFolder())]
    await from.put('a/1', Buffer.from('x'))
    await expect(finishBlobs(from, { ...to, putStream: async () => ({ bytes: 1 }) })).rejects.toMatchObject({
      code: 'VALIDATION',
    })
  })
})

test('the database is copied last, after all changes have ended', async () => {
  const steps: string[] = []
  const [from, to] = [openFileBlobs(newFolder()), openFileBlobs(newFolder())]
  const result = await copyStores({
    observe: silent,
    clock: systemClock,
    events: undefined,
    blobs: { from, to },
    cursor: async () => 0,
    quiet: async () => {
      steps.push('quiet')
      await from.put('a/1', Buffer.from('late'))
    },
    meta: async () => void steps.push(`meta ${(await to.list('')).length}`),
  })
  expect([steps, result.blobs]).toEqual([['quiet', 'meta 1'], 1])
})

describe('the record', () => {
  const server = { url: 'http://ch:8123', host: 'ch:8123', user: 'u', database: 'errors' }
  const bucket = { bucket: 'b', prefix: 'p', endpoint: 'http://s3', region: 'x' }
  const external = { meta: 'postgres://u:***@a,b/m?pool=3', events: server, blobs: bucket }
  const inside = { meta: '', events: undefined, blobs: undefined }

  test('names stores without secrets and parameters', () => {
    expect(placesOf(external)).toEqual({
      meta: 'postgres://a,b/m',
      events: 'http://ch:8123/errors',
      blobs: 's3://b/p',
    })
    expect(placesOf(inside)).toEqual({ meta: 'sqlite', events: 'embedded', blobs: 'files' })
  })

  test.each([
    ['the same stores', external, external, undefined],
    ['another host of the same database', external, { ...external, meta: 'postgres://u:***@b,c/m' }, undefined],
    ['the old database', external, { ...external, meta: '' }, 'set MISHAP_META to the address of postgres://a,b/m'],
    ['another database of events', external, { ...external, events: { ...server, database: 'x' } }, 'MISHAP_EVENTS'],
    ['the old bucket', inside, { ...inside, blobs: bucket }, 'unset MISHAP_BLOBS'],
  ])('with %s', async (_name, moved, configured, refused) => {
    const data = newFolder()
    expect(() => demandStores({ ...configured, data })).not.toThrow()
    await writeStores(data, { places: placesOf(moved), kept: [] })
    const demand = () => demandStores({ ...configured, data })
    if (refused === undefined) expect(demand).not.toThrow()
    else expect(demand).toThrow(refused)
  })

  test('an interrupted move is known until the switch', async () => {
    const data = newFolder()
    expect(readMoving(data)).toEqual({})
    await writeMoving(data, placesOf(external))
    expect([readMoving(data).events, readStores(data)]).toEqual(['http://ch:8123/errors', undefined])
    await writeStores(data, { places: placesOf(external), kept: [] })
    expect([readMoving(data), readStores(data)?.places.blobs]).toEqual([{}, 's3://b/p'])
    expect(readFileSync(join(data, 'stores.json'), 'utf8')).not.toContain('***')
    writeFileSync(join(data, 'stores.json'), '{')
    expect(() => readStores(data)).toThrow('is damaged')
  })
})
