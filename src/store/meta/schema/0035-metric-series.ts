import type { Dialect } from '../database/dialect.ts'

/** The most series of metrics that a project stores in an hour. Attributes of further ones are folded. */
export function statements(_dialect: Dialect): string[] {
  return ['alter table project add column metric_series integer not null default 10000']
}
