import { type Compilable, type RawBuilder, sql } from 'kysely'
import { type CatalogColumn, type CatalogTable, tablesOf } from './catalog.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { RowColumnType } from './rows.ts'

/** Rows that are read and written at once. Some rows hold texts of many kilobytes. */
const pageRows = 500

/** A database of the meta store. */
export type Database = { connection: Connection; dialect: Dialect }

type Row = Record<string, number | string | null>

const isPostgres = ({ dialect }: Database) => dialect.name === 'postgres'
const compilable = <R>({ dialect }: Database, query: RawBuilder<R>): Compilable<R> => ({
  compile: () => query.compile(dialect.builder),
})

/** Reads a column as SQLite stores it. `is` is its type on PostgreSQL, whose catalog knows more. */
function readable(from: Database, { name }: CatalogColumn, is: CatalogColumn['type']): RawBuilder<unknown> {
  const column = sql.ref(name)
  if (!isPostgres(from)) return column
  if (is === 'boolean') return sql`${column}::int as ${column}`
  // The text that better-auth writes into SQLite.
  if (is === 'date') return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`
  return column
}

/** Converts a value of SQLite's form to the column of the target. */
function writable(to: Database, { name }: CatalogColumn, is: CatalogColumn['type']): RawBuilder<unknown> {
  const column = sql.ref(`page.${name}`)
  if (!isPostgres(to)) return column
  if (is === 'boolean') return sql`${column}::int::boolean`
  return is === 'date' ? sql`${column}::timestamptz` : column
}

/** One page of a table by its primary key, after the last row of the page before. */
function pageOf(from: Database, table: CatalogTable, types: Types, after: Row | undefined): Promise<Row[]> {
  const key = sql.join(table.key.map((name) => sql.ref(name)))
  const columns = sql.join(table.columns.map((column) => readable(from, column, types(table, column))))
  const next = after
    ? sql`where (${key}) > (${sql.join(table.key.map((name) => sql.val(after[name])))})`
    : sql`where true`
  const query = sql<Row>`select ${columns} from ${sql.table(table.name)} ${next} order by ${key} limit ${sql.lit(pageRows)}`
  return from.connection.all(compilable(from, query))
}

/** The type of a column on PostgreSQL. */
type Types = (table: CatalogTable, column: CatalogColumn) => CatalogColumn['type']

async function writePage(to: Database, table: CatalogTable, types: Types, rows: Row[]): Promise<void> {
  const forms = Object.fromEntries(
    table.columns.map((column): [string, RowColumnType] => [
      column.name,
      column.type === 'integer' || types(table, column) === 'boolean' ? 'integer?' : 'text?',
    ]),
  )
  const names = sql.join(table.columns.map((column) => sql.ref(column.name)))
  const values = sql.join(table.columns.map((column) => writable(to, column, types(table, column))))
  const page = to.dialect.rows(forms, rows as never[]).as('page')
  await to.connection.run(
    compilable(to, sql`insert into ${sql.table(table.name)} (${names}) select ${values} from ${page}`),
  )
}

async function copyTable(from: Database, to: Database, table: CatalogTable, types: Types): Promise<number> {
  let copied = 0
  for (let rows = await pageOf(from, table, types, undefined); rows.length > 0; ) {
    await writePage(to, table, types, rows)
    copied += rows.length
    rows = rows.length < pageRows ? [] : await pageOf(from, table, types, rows.at(-1))
  }
  return copied
}

type Counter = { table: string; last: number }

/** The highest id of each table that the database ever assigned: ids are never reused, also not after a copy. */
async function countersOf(from: Database, tables: readonly CatalogTable[]): Promise<Counter[]> {
  const { connection } = from
  if (!isPostgres(from))
    return connection.all(compilable(from, sql<Counter>`select name as "table", seq as last from sqlite_sequence`))
  const found = await connection.all(
    compilable(
      from,
      sql<{
        table: string
        sequence: string
      }>`select table_name as "table", pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
        from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'`,
    ),
  )
  const names = new Set(tables.map((table) => table.name))
  const counters: Counter[] = []
  for (const { table, sequence } of found.filter((row) => names.has(row.table))) {
    const last = sql<{
      last: number | null
    }>`select case when is_called then last_value end as last from ${sql.raw(sequence)}`
    const row = await connection.get(compilable(from, last))
    counters.push({ table, last: row?.last ?? 0 })
  }
  return counters
}

/** Sets the counters of the target, which has the rows already. */
async function setCounters(to: Database, counters: readonly Counter[]): Promise<void> {
  const { connection } = to
  for (const { table, last } of counters.filter((counter) => counter.last > 0)) {
    if (isPostgres(to)) {
      const sequence = sql`pg_get_serial_sequence(${sql.lit(table)}, column_name)`
      await connection.all(
        compilable(
          to,
          sql`select setval(${sequence}, ${sql.lit(last)}) from information_schema.columns where table_schema = current_schema() and is_identity = 'YES' and table_name = ${sql.lit(table)}`,
        ),
      )
      continue
    }
    // An inserted row made SQLite's counter; a table that is empty now has none.
    await connection.run(compilable(to, sql`delete from sqlite_sequence where name = ${table}`))
    await connection.run(compilable(to, sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`))
  }
}

const shapeOf = (tables: readonly CatalogTable[]) =>
  tables
    .map(
      (table) =>
        `${table.name} (${table.columns
          .map((column) => column.name)
          .sort()
          .join(', ')})`,
    )
    .sort()

/**
 * Replaces all rows of `to` by those of `from`, in one transaction of `to`. Both must have the schema of this version.
 * `from` must not change meanwhile: give a connection that reads one snapshot. All tables of the catalog are copied, in
 * pages by their primary keys, so memory does not depend on their size. Ids continue above the highest that `from` ever
 * assigned. Returns the number of rows. Throws if the schemas differ.
 */
export async function copyTables(from: Database, to: Database): Promise<number> {
  const [source, target] = [await tablesOf(from), await tablesOf(to)]
  const difference = shapeOf(source).find((shape, index) => shape !== shapeOf(target)[index])
  if (difference || source.length !== target.length)
    throw new Error(`the schemas of the two databases differ: ${difference ?? 'number of tables'}`)
  const typed = isPostgres(from) ? source : target
  const byName = new Map(
    typed.flatMap((table) => table.columns.map((column) => [`${table.name}.${column.name}`, column.type] as const)),
  )
  const types: Types = (table, column) => byName.get(`${table.name}.${column.name}`) ?? column.type
  return to.connection.transaction(async () => {
    for (const table of target.toReversed())
      await to.connection.run(compilable(to, sql`delete from ${sql.table(table.name)}`))
    let copied = 0
    for (const table of target) copied += await copyTable(from, to, table, types)
    await setCounters(to, await countersOf(from, target))
    return copied
  })
}
