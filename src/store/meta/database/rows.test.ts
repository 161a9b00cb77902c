import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openSqlite } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { postgresRows } from './rows.ts'

const connection = openSqlite(':memory:')
const { builder, rows } = sqliteDialect()
const columns = { project_id: 'integer', name: 'text', hidden: 'integer?' } as const

afterAll(() => connection.close())
beforeEach(() =>
  connection.script(
    'drop table if exists environment; create table environment (project_id integer, name text, first_seen_ms integer default 1, last_seen_ms integer default 1, hidden integer default 0, primary key (project_id, name))',
  ),
)

const stored = () =>
  connection.all(builder.selectFrom('environment').select(['project_id', 'name', 'hidden']).orderBy('name'))

const insert = (values: { project_id: number; name: string; hidden: number | null }[]) =>
  builder
    .insertInto('environment')
    .columns(['project_id', 'name', 'first_seen_ms', 'last_seen_ms', 'hidden'])
    .expression(
      builder
        .selectFrom(rows(columns, values).as('input'))
        .select(['project_id', 'name', sql.lit(1).as('first'), sql.lit(1).as('last'), sql<number>`hidden`.as('hidden')])
        .where(sql.lit(true)),
    )
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'name']).doUpdateSet((build) => ({ hidden: build.ref('excluded.hidden') })),
    )

test('values arrive as they are: quotes, NUL, the largest number, null; a lone surrogate as in a bound value', async () => {
  const values = [
    { project_id: 2 ** 53 - 1, name: 'a "quoted", {braced}\\ é 日本', hidden: null },
    { project_id: 1, name: 'b\u0000c', hidden: 1 },
    { project_id: 1, name: '', hidden: 0 },
    { project_id: 1, name: 'c\ud800', hidden: 0 },
  ]
  await connection.run(insert(values))
  await connection.run(
    builder.insertInto('environment').values({ project_id: 9, name: 'c\ud800', first_seen_ms: 1, last_seen_ms: 1 }),
  )
  expect(await stored()).toEqual([
    { project_id: 1, name: '', hidden: 0 },
    { ...values[0] },
    { ...values[1] },
    { project_id: 1, name: 'c\ufffd', hidden: 0 },
    { project_id: 9, name: 'c\ufffd', hidden: 0 },
  ])
})

test('rows that exist are updated, by insert and by update; an empty list changes nothing', async () => {
  await connection.run(insert([1, 2, 3].map((n) => ({ project_id: n, name: `n${n}`, hidden: 0 }))))
  expect(await connection.run(insert([]))).toEqual({ changes: 0 })
  await connection.run(insert([{ project_id: 2, name: 'n2', hidden: 5 }]))
  const { changes } = await connection.run(
    builder
      .updateTable('environment')
      .from(
        rows({ id: 'integer', state: 'integer' }, [
          { id: 3, state: 7 },
          { id: 4, state: 8 },
        ]).as('input'),
      )
      .set((build) => ({ hidden: build.ref('input.state') }))
      .whereRef('environment.project_id', '=', 'input.id'),
  )
  expect(changes).toBe(1)
  expect((await stored()).map((row) => row.hidden)).toEqual([0, 5, 7])
})

test('the text does not depend on the number of rows, on both databases', () => {
  const texts = (list: typeof rows) =>
    [0, 1, 50].map((count) => {
      const values = Array.from({ length: count }, (_, index) => ({ project_id: index, name: 'x', hidden: null }))
      return builder.selectFrom(list(columns, values).as('input')).selectAll().compile().sql
    })
  expect(new Set(texts(rows)).size).toBe(1)
  expect(new Set(texts(postgresRows)).size).toBe(1)
  expect(texts(postgresRows)[0]).toContain(
    'unnest(?::bigint[], ?::text[], ?::bigint[]) as list ("project_id", "name", "hidden")',
  )
})
