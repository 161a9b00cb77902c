import type { Compilable } from 'kysely'
import type { Clock } from '../../../base/clock.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** Dependencies of each part of meta. `read` serves screens and the API; `write` serves everything inside a change. */
export type Store = {
  write: Connection
  read: Connection
  dialect: Dialect
  clock: Clock
}

/** Values of a query for what is due by `nowMs`, at most `max` rows. */
export type DueBy = { nowMs: number; max: number }

/** Runs an insert of one row with `returning id` and returns the id that the database assigned. */
export async function insertedId(
  write: Pick<Connection, 'get'>,
  insert: { returning(column: 'id'): Compilable<{ id: number }> },
): Promise<number> {
  return idOfRow(await write.get(insert.returning('id')))
}

/** The id of a row that an insert returned. */
export function idOfRow(row: { id: number } | undefined): number {
  if (!row) throw new Error('an insert returned no row')
  return row.id
}

/** Parses JSON that this store wrote itself. */
export function fromJson<T>(text: string): T {
  return JSON.parse(text) as T
}
