import { type AliasedExpression, type Compilable, type InsertQueryBuilder, type InsertResult, sql } from 'kysely'
import type { Connection, PreparedQuery } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { type RowColumnType, type RowOf, rowOfSlots } from './rows.ts'
import type { Tables } from './tables.ts'

/** A statement for a list of rows. An empty list runs nothing. */
type RowStatement<V, R> = {
  all(values: readonly V[]): Promise<R[]>
  run(values: readonly V[]): Promise<void>
}

/** Connection and dialect that statements are created for. */
export type Database = { write: Connection; dialect: Dialect }

/** A list of ids. */
export const idColumn = { id: 'integer' } as const

/**
 * Creates a statement for a list of rows. `build` receives the list as the table `input`, or only some of its rows where
 * this is faster. It is compiled once, at the first use: a caller needs few of the statements of a commit.
 */
export function rowStatement<const C extends Record<string, RowColumnType>, R>(
  { write, dialect }: Database,
  columns: C,
  build: (input: AliasedExpression<RowOf<C>, 'input'>) => Compilable<R>,
): RowStatement<RowOf<C>, R> {
  const { table, parameters, columnsMax } = dialect.preparedRows
  const isWide = Object.keys(columns).length > columnsMax
  let prepared: PreparedQuery<Record<string, unknown>, R> | undefined
  const query = () => {
    prepared ??= write.prepared<Record<string, unknown>, R>((slot) =>
      build((isWide ? rowOfSlots : table)(columns, slot).as('input')),
    )
    return prepared
  }
  const all = async (values: readonly RowOf<C>[]): Promise<R[]> => {
    if (values.length === 0) return []
    return isWide ? query().each(values) : query().all(parameters(columns, values))
  }
  return {
    all,
    run: async (values) => {
      await all(values)
    },
  }
}

/** Creates the insert of a list of rows into a table. `finish` adds conflict and returned columns. */
export function rowInsert<
  T extends keyof Tables,
  const C extends { [K in keyof Tables[T] & string]?: RowColumnType } & Record<string, RowColumnType>,
  R = InsertResult,
>(
  database: Database,
  name: T,
  columns: C,
  finish: (insert: InsertQueryBuilder<Tables, T, InsertResult>) => Compilable<R> = (insert) =>
    insert as unknown as Compilable<R>,
): RowStatement<RowOf<C>, R> {
  const { builder } = database.dialect
  return rowStatement(database, columns, (input) =>
    finish(
      builder
        .insertInto(name)
        .columns(Object.keys(columns) as never)
        // SQLite reads `on conflict` after a select without `where` as the condition of a join.
        .expression(builder.selectFrom(input).selectAll().where(sql.lit(true)) as never),
    ),
  )
}
