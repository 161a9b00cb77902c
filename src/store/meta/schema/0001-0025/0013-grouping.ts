import type { Dialect } from '../../database/dialect.ts'

/** Grouping of a project: its rules, the version, and the previous version with the end of the changeover. */
export function statements({ bigint }: Dialect): string[] {
  return [
    "alter table project add column fingerprint_rules text not null default ''",
    "alter table project add column stack_rules text not null default ''",
    'alter table project add column grouping_version integer not null default 1',
    'alter table project add column grouping_secondary integer',
    `alter table project add column grouping_until_ms ${bigint}`,
  ]
}
