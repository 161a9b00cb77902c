import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePostgresUrl } from '../../../base/postgres-url.ts'
import { type CatalogTable, tablesOf } from './catalog.ts'
import { openSqlite } from './connection.ts'
import { copyTables, type Database } from './copy-tables.ts'
import { postgresDialect, sqliteDialect } from './dialect.ts'
import { migrate } from './migrate.ts'
import { noPostgres, startPostgres, type TestServer } from './postgres/server.cases.ts'
import { openPostgres, type PostgresConnection } from './postgres.ts'
import { loadSqlite, postgresCopies } from './postgres-copies.ts'

const why = noPostgres()
if (why) console.warn(`skipped: ${why}`)

const folder = mkdtempSync(join(tmpdir(), 'mishap-copy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const compilable = <R>(query: ReturnType<typeof sql<R>>, { dialect }: Database) => ({
  compile: () => query.compile(dialect.builder) as never,
})
/** A value for a column. Each is different, so that swapped columns and pages are noticed. */
const valueFor = (table: CatalogTable, column: CatalogTable['columns'][number], row: number): unknown => {
  const refers = table.references.some((reference) => reference.column === column.name)
  if (column.type === 'boolean' || column.name === 'emailVerified') return row % 2
  if (column.type === 'date') return new Date(1_700_000_000_000 + row).toISOString()
  if (refers) return column.type === 'integer' ? row : `id${row}`
  if (column.type === 'integer') return column.name === 'id' || table.key.includes(column.name) ? row : row % 2
  if (column.name === 'id') return `id${row}`
  return `${column.name} ${row} "é", \\ ü`
}

async function fill(database: Database, rows: number): Promise<void> {
  // The version says which steps of the schema there are.
  for (const table of (await tablesOf(database)).filter(({ name }) => name !== 'version')) {
    await database.connection.run(compilable(sql`delete from ${sql.table(table.name)}`, database))
    for (let row = 1; row <= rows; row++) {
      const names = sql.join(table.columns.map((column) => sql.ref(column.name)))
      const values = sql.join(table.columns.map((column) => sql.val(valueFor(table, column, row))))
      await database.connection.run(
        compilable(sql`insert into ${sql.table(table.name)} (${names}) values (${values})`, database),
      )
    }
  }
}

/** Everything in a SQLite database, and the counters of its ids. */
async function contents(database: Database): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const { name, key } of await tablesOf(database))
    found[name] = await database.connection.all(
      compilable(
        sql`select * from ${sql.table(name)} order by ${sql.join(key.map((column) => sql.ref(column)))}`,
        database,
      ),
    )
  found.sqlite_sequence = await database.connection.all(
    compilable(sql`select name, seq from sqlite_sequence order by name`, database),
  )
  return found
}

describe.skipIf(why)('copies between SQLite and PostgreSQL', () => {
  let server: TestServer
  let postgres: PostgresConnection
  const opened: { close(): Promise<void> }[] = []
  const sqliteAt = async (file: string): Promise<Database> => {
    const connection = openSqlite(file)
    opened.push(connection)
    const dialect = sqliteDialect()
    await migrate(connection, dialect, 0)
    return { connection, dialect }
  }

  beforeAll(async () => {
    server = await startPostgres()
    await server.sql('postgres', 'create database copy')
    const address = parsePostgresUrl(server.url('copy'))
    if (!address) throw new Error('malformed')
    postgres = await openPostgres(address, { name: 'copy' })
    await migrate(postgres, postgresDialect(), 0)
  }, 120_000)
  afterAll(async () => {
    for (const connection of [...opened, postgres]) await connection.close()
    await server.remove()
  })

  test('both databases have the same tables, columns, keys and references, and each table has a key', async () => {
    const lists = await Promise.all(
      [await sqliteAt(join(folder, 'shape.sqlite')), { connection: postgres, dialect: postgresDialect() }].map(
        tablesOf,
      ),
    )
    const [here, there] = lists.map((tables) =>
      tables
        .map(({ name, columns, key, references }) => ({
          name,
          columns: columns.map((column) => column.name).sort(),
          key,
          references: references
            .map((reference) => `${reference.column} ${reference.table}.${reference.target}`)
            .sort(),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    )
    expect(there).toEqual(here)
    expect(here?.filter((table) => table.key.length === 0)).toEqual([])
    expect(here?.length).toBeGreaterThan(60)
  })

  test('a SQLite file goes to PostgreSQL and back, every row of every table, with its counters', async () => {
    const file = join(folder, 'from.sqlite')
    const from = await sqliteAt(file)
    // More rows than a page has, in one table; and an id that is gone, but never reused.
    await fill(from, 3)
    await from.connection.run(
      compilable(
        sql`insert into outcome select value, 1, 1, 'error', 'stored', 'ok', 'event', value, 1 from json_each(${JSON.stringify(Array.from({ length: 1203 }, (_, index) => index + 10))})`,
        from,
      ),
    )
    await from.connection.script("update sqlite_sequence set seq = 77 where name = 'dead_item'; delete from batch")
    await loadSqlite(file, postgres)
    const [row] = await server.sql<{ id: string }>(
      'copy',
      "insert into dead_item select nextval(pg_get_serial_sequence('dead_item', 'id')), 1, 1, 1, 1, '', 1, '' returning id",
    )
    expect(Number(row?.id)).toBe(78)
    await server.sql(
      'copy',
      "delete from dead_item where id = 78; select setval(pg_get_serial_sequence('dead_item', 'id'), 77)",
    )
    expect(await postgresCopies(postgres).faults()).toEqual([])
    const copy = join(folder, 'back.sqlite')
    await postgresCopies(postgres).copyTo(copy)
    const back = await sqliteAt(copy)
    expect(await contents(back)).toEqual(await contents(from))
    expect(await openSqliteFaults(copy)).toEqual([])
    await expect(postgresCopies(postgres).copyTo(copy)).rejects.toThrow('exists')
  }, 60_000)

  test('a copy that fails leaves the target as it was', async () => {
    const from = await sqliteAt(join(folder, 'broken.sqlite'))
    await from.connection.script("pragma foreign_keys = off; insert into member values (99, 'nobody', 'owner', 1)")
    const to = { connection: postgres, dialect: postgresDialect() }
    const before = await server.sql('copy', 'select count(*) from outcome')
    await expect(copyTables(from, to)).rejects.toThrow('foreign key')
    expect(await server.sql('copy', 'select count(*) from outcome')).toEqual(before)
    await from.connection.script('alter table outcome add column extra integer')
    await expect(copyTables(from, to)).rejects.toThrow('the schemas of the two databases differ: outcome (')
  })

  test('rows that refer to nothing, and a constraint that is not checked, are faults', async () => {
    await server.sql(
      'copy',
      "set session_replication_role = replica; insert into member values (99, 'nobody', 'owner', 1)",
    )
    await server.sql('copy', 'alter table value add constraint shorter check (length(name) < 1) not valid')
    expect(await postgresCopies(postgres).faults()).toEqual([
      'the rule shorter of value is not checked',
      'a row of member names one that is not there',
    ])
  })
})

async function openSqliteFaults(file: string): Promise<string[]> {
  const connection = openSqlite(file, { readOnly: true })
  const faults = await connection.faults()
  await connection.close()
  return faults
}
