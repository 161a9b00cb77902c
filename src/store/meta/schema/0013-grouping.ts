import type { Dialect } from '../database/dialect.ts'

/** How a project groups: its rules, the version, and the one before with the end of the change-over. */
export function statements({ bigint }: Dialect): string[] {
  return [
    "alter table project add column fingerprint_rules text not null default ''",
    "alter table project add column stack_rules text not null default ''",
    'alter table project add column grouping_version integer not null default 1',
    'alter table project add column grouping_secondary integer',
    `alter table project add column grouping_until_ms ${bigint}`,
  ]
}
