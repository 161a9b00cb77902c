import type { Dialect } from '../database/dialect.ts'

/** Loader script settings of a key, and whether somebody archived a release. */
export function statements(_dialect: Dialect): string[] {
  return [
    "alter table project_key add column browser_sdk text not null default 'latest'",
    "alter table project_key add column loader_options text not null default '{}'",
    'alter table made_release add column archived integer not null default 0',
  ]
}
