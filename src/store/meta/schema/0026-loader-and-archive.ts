import type { Dialect } from '../database/dialect.ts'

/** What clients set for a key's loader script; whether somebody archived a release. */
export function statements(_dialect: Dialect): string[] {
  return [
    "alter table project_key add column browser_sdk text not null default 'latest'",
    "alter table project_key add column loader_options text not null default '{}'",
    'alter table made_release add column archived integer not null default 0',
  ]
}
