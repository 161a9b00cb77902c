import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Connection, openSqlite } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { migrate, versionOf } from './migrate.ts'

const dialect = sqliteDialect()

/** A connection on which step 33, which makes this table, fails. */
const failing = (connection: Connection): Connection => ({
  ...connection,
  script: async (text) => {
    if (/create table trace_step\b/.test(text)) throw new Error('the disk is full')
    return connection.script(text)
  },
})
const tablesOf = async (connection: Connection) =>
  (
    await connection.all(
      dialect.builder
        .selectFrom(sql<{ name: string }>`sqlite_master`.as('found'))
        .select('name')
        .where(sql<boolean>`type = 'table' and name not like 'sqlite_%'`),
    )
  ).map(({ name }) => name)

test.each([
  { title: 'a new file gets all steps or none', before: 0, after: 0 },
  { title: 'an older file keeps the steps before the one that failed', before: 20, after: 32 },
])('$title', async ({ before, after }) => {
  const connection = openSqlite(':memory:')
  if (before > 0) await migrate(connection, dialect, 1, before)
  await expect(migrate(failing(connection), dialect, 2)).rejects.toThrow('the disk is full')
  expect(await versionOf(connection, dialect)).toBe(after)
  if (after === 0) expect(await tablesOf(connection)).toEqual(['version'])
  // The next start goes on from there.
  await migrate(connection, dialect, 3)
  expect(await tablesOf(connection)).toContain('trace_step')
  const numbers = await connection.all(dialect.builder.selectFrom('version').select('number').orderBy('number'))
  expect(numbers.map(({ number }) => number)).toEqual(numbers.map((_, index) => index + 1))
  await connection.close()
})
