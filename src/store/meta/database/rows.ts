import { type AliasableExpression, sql } from 'kysely'

/** Type of a column in a list of rows. `?` also allows null. */
export type RowColumnType = 'integer' | 'text' | 'integer?' | 'text?'

/** The row type of a list of columns. */
type RowOf<C extends Record<string, RowColumnType>> = {
  [K in keyof C]: C[K] extends 'integer'
    ? number
    : C[K] extends 'text'
      ? string
      : C[K] extends 'integer?'
        ? number | null
        : string | null
}

/**
 * Returns `values` as a table, for one statement that writes all of them instead of one statement for each. Use it in
 * `insert into t (...) select ... from rows` and `update t set ... from rows`, with an alias:
 *
 *     builder.insertInto('fingerprint').columns(['project_id', 'hash']).expression(
 *       builder.selectFrom(rows({ project_id: 'integer', hash: 'text' }, values).as('input')).select(['project_id', 'hash']))
 *
 * - Parameters do not depend on the number of rows, so the text of the statement stays the same.
 * - The table has the columns in the order of `columns`, and the rows in their order. An empty list is an empty table.
 * - An `insert ... select` with `on conflict` needs `where(sql.lit(true))`: otherwise SQLite reads `on` as a join.
 * - PostgreSQL refuses to update a row twice in one `on conflict do update`: combine rows of equal keys first.
 */
export type Rows = <const C extends Record<string, RowColumnType>>(
  columns: C,
  values: readonly RowOf<C>[],
) => AliasableExpression<RowOf<C>>

/**
 * Rows on SQLite: one JSON text of arrays. Arrays are read twice as fast as objects. `json_extract` is a little faster
 * than `->>`.
 */
export const sqliteRows: Rows = <const C extends Record<string, RowColumnType>>(
  columns: C,
  values: readonly RowOf<C>[],
) => {
  const names = Object.keys(columns)
  // A bound text gets U+FFFD for a lone surrogate. SQLite's JSON keeps it, and equal texts would then differ.
  const text = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)
  const json = JSON.stringify(values.map((row) => names.map((name) => text(row[name]))))
  const fields = names.map((name, index) => sql`json_extract(value, ${sql.lit(`$[${index}]`)}) as ${sql.ref(name)}`)
  return sql<RowOf<C>>`(select ${sql.join(fields)} from json_each(${json}))`
}

/** Rows on PostgreSQL: one array per column. */
export const postgresRows: Rows = <const C extends Record<string, RowColumnType>>(
  columns: C,
  values: readonly RowOf<C>[],
) => {
  const names = Object.keys(columns)
  const arrays = names.map((name) => {
    const column = values.map((row) => row[name])
    return columns[name]?.startsWith('integer') ? sql`${sql.val(column)}::bigint[]` : sql`${sql.val(column)}::text[]`
  })
  return sql<
    RowOf<C>
  >`(select * from unnest(${sql.join(arrays)}) as list (${sql.join(names.map((name) => sql.ref(name)))}))`
}
