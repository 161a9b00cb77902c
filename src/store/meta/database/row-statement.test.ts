import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSqlite } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { rowInsert, rowStatement } from './row-statement.ts'

const write = openSqlite(':memory:')
const dialect = sqliteDialect()
const { builder } = dialect

beforeAll(async () => {
  await write.script(
    `create table attachment (id integer primary key autoincrement, project_id integer not null, event_id text not null, name text not null,
      type text not null default '', content_type text not null default '', bytes integer not null default 0, blob_key text not null default '',
      received_ms integer, unique (project_id, event_id))`,
  )
})
afterAll(() => write.close())

const narrow = { project_id: 'integer', event_id: 'text', name: 'text' } as const
/** More columns than `preparedRows.columnsMax`: SQLite runs the statement once for each row. */
const wide = {
  ...narrow,
  type: 'text',
  content_type: 'text',
  bytes: 'integer',
  blob_key: 'text',
  received_ms: 'integer?',
} as const
const row = (id: number, name: string) => ({
  project_id: 1,
  event_id: `e${id}`,
  name,
  type: 't',
  content_type: 'c',
  bytes: 2 ** 40 + id,
  blob_key: 'k',
  received_ms: null as unknown as number,
})

test.each<[string, typeof narrow]>([
  ['one statement for all rows', narrow],
  ['a statement for each row', wide],
])('insert and update: %s', async (_name, columns) => {
  await write.script('delete from attachment; delete from sqlite_sequence')
  const database = { write, dialect }
  const insert = rowInsert(database, 'attachment', columns, (rows) =>
    rows
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'event_id']).doUpdateSet((build) => ({ name: build.ref('excluded.name') })),
      )
      .returning(['id', 'name']),
  )
  expect(await insert.all([row(1, 'a'), row(2, 'b\ud800')])).toEqual([
    { id: 1, name: 'a' },
    { id: 2, name: 'b\ufffd' },
  ])
  await insert.run([row(2, 'c'), row(3, 'd')])
  const rename = rowStatement(database, columns, (input) =>
    builder
      .updateTable('attachment')
      .from(input)
      .set((build) => ({ name: build.ref('input.name') }))
      .whereRef('attachment.event_id', '=', 'input.event_id')
      .returning('attachment.event_id'),
  )
  expect(await rename.all([row(3, 'e'), row(9, 'x'), row(1, 'f')])).toEqual(
    expect.arrayContaining([{ event_id: 'e3' }, { event_id: 'e1' }]),
  )
  const stored = await write.all(
    builder.selectFrom('attachment').select(['event_id', 'name', 'bytes']).orderBy('event_id'),
  )
  const isWide = columns !== narrow
  expect(stored).toEqual([
    { event_id: 'e1', name: 'f', bytes: isWide ? 2 ** 40 + 1 : 0 },
    { event_id: 'e2', name: 'c', bytes: isWide ? 2 ** 40 + 2 : 0 },
    { event_id: 'e3', name: 'e', bytes: isWide ? 2 ** 40 + 3 : 0 },
  ])
})

test('an empty list runs nothing, and does not even compile the statement', async () => {
  let compiled = 0
  const statement = rowStatement({ write, dialect }, narrow, (input) => {
    compiled++
    return builder.selectFrom(input).selectAll()
  })
  expect([await statement.all([]), compiled]).toEqual([[], 0])
  for (const _ of [1, 2]) expect(await statement.all([{ project_id: 1, event_id: 'e', name: 'n' }])).toHaveLength(1)
  expect(compiled).toBe(1)
})
