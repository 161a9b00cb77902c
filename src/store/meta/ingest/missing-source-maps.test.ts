import { afterEach, expect, test } from 'vitest'
import { testClock } from '../../../base/clock.ts'
import { type Connection, openSqlite } from '../database/connection.ts'
import { sqliteDialect } from '../database/dialect.ts'
import { migrate } from '../database/migrate.ts'
import type { Store } from '../database/store.ts'
import { effect, hash, nowMs, withProject } from '../fixture.cases.ts'
import { metaParts } from '../parts.ts'
import { missingMapReadPart, missingMapsMax, missingMapWriter } from './missing-source-maps.ts'

const opened: Connection[] = []
afterEach(async () => {
  for (const connection of opened.splice(0)) await connection.close()
})

async function openNotes() {
  const write = openSqlite(':memory:')
  opened.push(write)
  const dialect = sqliteDialect()
  await migrate(write, dialect, nowMs)
  const store: Store = { write, read: write, dialect, clock: testClock(nowMs) }
  await withProject({ ...metaParts(store, write), close: write.close })
  const writer = missingMapWriter(store)
  const { builder } = dialect
  const times = async () =>
    (await write.all(builder.selectFrom('missed').select(['name', 'last_ms']).orderBy('name').limit(3))).map(
      (row) => `${row.name} ${row.last_ms - nowMs}`,
    )
  return { writer, times, counts: () => missingMapReadPart(store, writer).missingMapCounts(1) }
}

const missing = (misses: string[], group = 1) => [effect({ hashes: [hash(group)], misses })]

test('a written note is cached after the commit only, and for a day', async () => {
  const { writer, times } = await openNotes()
  await writer.record(missing(['d:a']), nowMs)
  // The first transaction was rolled back, or runs again: the note is written again.
  const commit = await writer.record(missing(['d:a']), nowMs + 1)
  expect(await times()).toEqual(['d:a 1'])
  commit()
  ;(await writer.record(missing(['d:a', 'd:b']), nowMs + 2))()
  expect(await times()).toEqual(['d:a 1', 'd:b 2'])
  await writer.record(missing(['d:a']), nowMs + 86_400_000)
  expect(await times()).toEqual(['d:a 86400000', 'd:b 2'])
})

test('a note that is read before its commit ends is written again', async () => {
  const { writer, times } = await openNotes()
  const commit = await writer.record(missing(['d:a']), nowMs)
  writer.clearCache()
  commit()
  await writer.record(missing(['d:a']), nowMs + 5)
  expect(await times()).toEqual(['d:a 5'])
})

test('a full project refuses notes, and evicts those unused for a day', async () => {
  const { writer, counts } = await openNotes()
  const names = (count: number, first = 0) => Array.from({ length: count }, (_, at) => `d:${first + at}`)
  const record = async (misses: string[], group: number, atMs: number) =>
    (await writer.record(missing(misses, group), atMs))()
  await record(names(missingMapsMax - 1), 1, nowMs)
  await record(names(3), 2, nowMs + 1)
  expect(await counts()).toEqual({ quantity: missingMapsMax, refused: 2, refusedMs: nowMs + 1 })
  // The project is not checked again for a minute. A refused note counts once a day.
  await record([...names(2), ...names(1, 90)], 2, nowMs + 2)
  expect(await counts()).toEqual({ quantity: missingMapsMax, refused: 3, refusedMs: nowMs + 2 })
  const laterMs = nowMs + 2 * 86_400_000
  await record(names(1500), 3, laterMs)
  // Two evictions of 1,000 notes make space.
  expect(await counts()).toEqual({ quantity: missingMapsMax - 500, refused: 2003, refusedMs: laterMs })
})
