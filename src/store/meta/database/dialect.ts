import type { Expression, Dialect as KyselyDialect, RawBuilder } from 'kysely'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { type PreparedRows, type Rows, sqlitePreparedRows, sqliteRows } from './rows.ts'
import type { Tables } from './tables.ts'

/**
 * The query builder. It only compiles queries, and the connection runs the result of `.compile()` (connection.ts).
 */
export type Builder = Kysely<Tables>

/** The differences between databases. All other code in store/meta is the same for each of them. */
export type Dialect = {
  name: 'sqlite' | 'postgres'
  /** Kysely's own parts for this database, without a driver. */
  kysely: Omit<KyselyDialect, 'createDriver'>
  builder: Builder
  /** Column type of an id that the database assigns, from 1, never reused. */
  autoId: string
  /** Column type of whole numbers up to 2^53. */
  bigint: string
  /** Column type of a date in better-auth's own tables. */
  date: string
  /** The larger and the smaller of two values in a row. */
  greatest(a: Expression<unknown>, b: Expression<unknown>): RawBuilder<number>
  least(a: Expression<unknown>, b: Expression<unknown>): RawBuilder<number>
  /** A list of values as a table, for statements that write many rows at once. */
  rows: Rows
  /** The same for a statement that is compiled once (row-statement.ts). */
  preparedRows: PreparedRows
}

/** The SQLite dialect. PostgreSQL: `generated always as identity`, `bigint`, `timestamptz`, `greatest`, `least`. */
export function sqliteDialect(): Dialect {
  const kysely = {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
  return {
    name: 'sqlite',
    kysely,
    builder: new Kysely<Tables>({ dialect: { ...kysely, createDriver: () => new DummyDriver() } }),
    autoId: 'integer primary key autoincrement',
    bigint: 'integer',
    date: 'date',
    greatest: (a, b) => sql<number>`max(${a}, ${b})`,
    least: (a, b) => sql<number>`min(${a}, ${b})`,
    rows: sqliteRows,
    preparedRows: sqlitePreparedRows,
  }
}
