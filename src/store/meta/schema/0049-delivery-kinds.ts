import type { Dialect } from '../database/dialect.ts'

/** The kind by which a message reaches its person. Null for channels, and for messages from before. */
export function statements(_dialect: Dialect): string[] {
  return ['alter table delivery add column personal_kind text']
}
