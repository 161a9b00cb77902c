import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEventsMove } from '../../backup/move-events.ts'
import { systemClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import { createEventStore } from './clickhouse.ts'
import { startTestEngine } from './engine.cases.ts'
import type { EventStore } from './event-store.ts'
import { row, tsv } from './events.cases.ts'
import { encodeSpanRow } from './traces/encode-span.ts'
import { spanRow } from './traces/span-rows.cases.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-moves-'))
const socketPath = join(folder, 'engine.sock')
const state = {} as { engine: ChildProcess; from: EventStore; to: EventStore }

/** Two databases of one engine stand for two stores. */
const open = (database: string) =>
  createEventStore({ url: 'http://localhost', socketPath, database, observe: silent, clock: systemClock })

beforeAll(async () => {
  state.engine = await startTestEngine(join(folder, 'data'), socketPath)
  Object.assign(state, { from: open('mishap'), to: open('other') })
  await state.from.migrate()
}, 30_000)

afterAll(async () => {
  for (const store of [state.from, state.to]) await store.close()
  state.engine.kill('SIGKILL')
  await once(state.engine, 'exit')
  rmSync(folder, { recursive: true, force: true })
})

const insert = (numbers: number[], token: string) => state.from.insert('events', tsv(numbers.map((n) => row(n))), token)
const insertSegment = (n: number) => {
  const { jpos } = row(n)
  const segment = spanRow(n, { isSegment: true, jpos, place: 0 })
  return state.from.insert('spans', Buffer.from(encodeSpanRow(segment)), `segment ${n}`)
}
const eventsOf = (sums: { table: string; rows: number }[], name = 'events') =>
  sums.filter(({ table }) => table === name).reduce((rows, part) => rows + part.rows, 0)

test('a move takes new, deleted and summed rows, and a second one replaces what the first one left', async () => {
  await insert([1, 2, 3, 4, 5, 6, 7, 8], 'first')
  await insertSegment(1)
  // An interrupted step of downsampling is finished by the store that gets the rows.
  const cut = { step: 3, day: new Date(spanRow(1).receivedMs).toISOString().slice(0, 10), before: 1e12, level: 1 }
  await state.from.chooseTraces(cut)
  for (const more of [9, 10]) {
    const move = createEventsMove(state.from, await state.to.takeRows(), state.to)
    await move.round(row(4).jpos)
    await insert([more], `more ${more}`)
    await insertSegment(more)
    await move.round(Number.MAX_SAFE_INTEGER)
    const rows = await move.finish()
    expect(rows.events).toBe(more)
    expect(await state.to.rowSums()).toEqual(await state.from.rowSums())
    expect(eventsOf(await state.to.rowSums(), 'hour_issue')).toBe(more)
    expect(eventsOf(await state.to.rowSums(), 'segments')).toBe(more - 7)
    expect(eventsOf(await state.to.rowSums(), 'kept_traces')).toBeGreaterThan(0)
  }
  const { rollups, twice } = await state.to.check(undefined, undefined)
  expect([twice, ...Object.values(rollups)].filter((wrong) => wrong > 0)).toEqual([])
}, 60_000)

test('versions grow with inserts and deletions, and deletions are told apart', async () => {
  const [before] = await state.from.rowPartitions()
  await insert([11], 'eleven')
  const [after] = await state.from.rowPartitions()
  expect(after?.version).toBeGreaterThan(before?.version ?? 0)
  expect(after?.deletion).toBe(before?.deletion)
})
