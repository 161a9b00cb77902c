import type { Clock } from '../../../base/clock.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** What each part of meta works with: reads of screens and API go to `read`, everything inside a change to `write`. */
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
