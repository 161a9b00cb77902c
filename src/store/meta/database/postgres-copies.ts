import { existsSync } from 'node:fs'
import { type RawBuilder, sql } from 'kysely'
import { tablesOf } from './catalog.ts'
import { openSqlite } from './connection.ts'
import { copyTables } from './copy-tables.ts'
import { postgresDialect, sqliteDialect } from './dialect.ts'
import { migrate, versionOf } from './migrate.ts'
import type { PostgresConnection } from './postgres.ts'
import type { SnapshotSource } from './snapshot.ts'

type Fault = { fault: string }

/** Damage that the server itself has noticed. */
const noticed = sql<Fault>`
  select format('the index %s is not valid', indexrelid::regclass) as fault from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = current_schema()::regnamespace and not (indisvalid and indisready)
  union all select format('the rule %s of %s is not checked', conname, conrelid::regclass) from pg_constraint c
    where c.connamespace = current_schema()::regnamespace and not convalidated
  union all select format('%s blocks have a wrong checksum', checksum_failures) from pg_stat_database
    where datname = current_database() and checksum_failures > 0`

/** Reads every row of every table, and looks for rows that refer to one that is not there. */
async function faultsOf(connection: PostgresConnection): Promise<string[]> {
  const dialect = postgresDialect()
  const ask = <R>(query: RawBuilder<R>) =>
    connection.reads.all<R>({ compile: () => query.compile(dialect.builder) as never })
  const faults = (await ask(noticed)).map((row) => row.fault)
  for (const table of await tablesOf({ connection: connection.reads, dialect })) {
    try {
      await ask(sql`select count(t.*) from ${sql.table(table.name)} t`)
      for (const { column, table: other, target } of table.references) {
        const [here, there] = [sql.ref(`t.${column}`), sql.ref(`o.${target}`)]
        const lost = await ask(
          sql`select 1 as one from ${sql.table(table.name)} t where ${here} is not null and not exists (select from ${sql.table(other)} o where ${there} = ${here}) limit 1`,
        )
        if (lost.length > 0) faults.push(`a row of ${table.name} names one that is not there`)
      }
    } catch (error) {
      faults.push(`${table.name} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return faults
}

/** Copies and checks of a PostgreSQL database. A copy is a SQLite file, so backups can be restored into both. */
export function postgresCopies(connection: PostgresConnection): SnapshotSource {
  return {
    copyTo: async (file) => {
      if (existsSync(file)) throw new Error(`the file ${file} exists`)
      const copy = openSqlite(file)
      const to = { connection: copy, dialect: sqliteDialect() }
      try {
        const dialect = postgresDialect()
        await connection.snapshot(async (reads) => {
          await migrate(copy, to.dialect, 0, await versionOf(reads, dialect))
          await copyTables({ connection: reads, dialect }, to)
        })
      } finally {
        await copy.close()
      }
    },
    bytes: async () => {
      const size = sql<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`
      return (
        (
          await connection.reads.get<{ bytes: number }>({
            compile: () => size.compile(postgresDialect().builder) as never,
          })
        )?.bytes ?? 0
      )
    },
    faults: () => faultsOf(connection),
  }
}

/**
 * Replaces everything in a PostgreSQL database by the contents of a SQLite file, which an older version can have
 * written: it is migrated first. `values` are added to the table `value`. Both databases must be unused meanwhile.
 */
export async function loadSqlite(
  file: string,
  connection: PostgresConnection,
  values: Record<string, string> = {},
): Promise<void> {
  const source = openSqlite(file)
  const from = { connection: source, dialect: sqliteDialect() }
  try {
    await migrate(source, from.dialect, 0)
    for (const [name, text] of Object.entries(values))
      await source.run(
        from.dialect.builder
          .insertInto('value')
          .values({ name, text })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ text })),
      )
    await copyTables(from, { connection, dialect: postgresDialect() })
  } finally {
    await source.close()
  }
}
