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

/** Parses JSON that this store wrote itself. */
export function fromJson<T>(text: string): T {
  return JSON.parse(text) as T
}
