import { type RawBuilder, sql } from 'kysely'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** A column as the catalog of its database describes it. */
export type CatalogColumn = {
  name: string
  /** `date` and `boolean` are better-auth's; SQLite stores them as ISO text and as 0 or 1. */
  type: 'integer' | 'text' | 'date' | 'boolean'
}

/** A table as the catalog of its database describes it. */
export type CatalogTable = {
  name: string
  columns: CatalogColumn[]
  /** Columns of the primary key, in order. */
  key: string[]
  /** Its foreign keys: the column here, and the table and column there. */
  references: { column: string; table: string; target: string }[]
}

/** Tables that belong to a connection and not to the data. */
const ownTables = ['writer']

type Source = { connection: Pick<Connection, 'all'>; dialect: Dialect }

type ColumnRow = { table_name: string; name: string; type: string; place: number | null }
type ReferenceRow = { table_name: string; name: string; target_table: string; target: string }

const sqliteColumns = sql<ColumnRow>`select m.name as table_name, c.name as name, lower(c.type) as type, nullif(c.pk, 0) as place
  from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite%' order by m.name, c.cid`
const sqliteReferences = sql<ReferenceRow>`select m.name as table_name, f."from" as name, f."table" as target_table, f."to" as target
  from sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table' order by m.name, f.id`

const postgresColumns = sql<ColumnRow>`select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    array_position(i.indkey::int2[], a.attnum) as place
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by c.relname collate "C", a.attnum`
const postgresReferences = sql<ReferenceRow>`select c.relname as table_name, a.attname as name, t.relname as target_table, b.attname as target
  from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class t on t.oid = f.confrelid
  join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
  join pg_attribute b on b.attrelid = f.confrelid and b.attnum = f.confkey[1]
  where f.contype = 'f' and c.relnamespace = current_schema()::regnamespace order by c.relname collate "C", a.attnum`

const types: Record<string, CatalogColumn['type']> = {
  integer: 'integer',
  bigint: 'integer',
  text: 'text',
  date: 'date',
  'timestamp with time zone': 'date',
  boolean: 'boolean',
}

function columnOf(row: ColumnRow): CatalogColumn {
  const type = types[row.type]
  if (!type) throw new Error(`the column ${row.table_name}.${row.name} has the unknown type ${row.type}`)
  return { name: row.name, type }
}

/** Sorts tables so that each comes after the tables that it refers to. */
function inOrder(tables: CatalogTable[]): CatalogTable[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const sorted = new Set<CatalogTable>()
  const add = (table: CatalogTable, path: readonly CatalogTable[]) => {
    if (path.includes(table))
      throw new Error(`the tables refer to each other: ${path.map(({ name }) => name).join(', ')}`)
    for (const { table: name } of table.references) {
      const target = byName.get(name)
      if (target && target !== table && !sorted.has(target)) add(target, [...path, table])
    }
    sorted.add(table)
  }
  for (const table of tables) add(table, [])
  return [...sorted]
}

/**
 * Returns all tables of a database from its catalog. Each comes after the tables that it refers to. Throws if a column
 * has an unknown type.
 */
export async function tablesOf({ connection, dialect }: Source): Promise<CatalogTable[]> {
  const isSqlite = dialect.name === 'sqlite'
  const ask = <R>(query: RawBuilder<R>) => connection.all<R>({ compile: () => query.compile(dialect.builder) as never })
  const columns = await ask(isSqlite ? sqliteColumns : postgresColumns)
  const references = await ask(isSqlite ? sqliteReferences : postgresReferences)
  const groups = Map.groupBy(columns, (row) => row.table_name)
  const tables = [...groups].map(([name, rows]) => ({
    name,
    columns: rows.map(columnOf),
    key: rows
      .filter((row) => row.place !== null)
      .sort((a, b) => Number(a.place) - Number(b.place))
      .map((row) => row.name),
    references: references
      .filter((row) => row.table_name === name)
      .map((row) => ({ column: row.name, table: row.target_table, target: row.target })),
  }))
  return inOrder(tables.filter((table) => !ownTables.includes(table.name)))
}
