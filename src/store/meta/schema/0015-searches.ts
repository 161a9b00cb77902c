import type { Dialect } from '../database/dialect.ts'

/**
 * Saved views of the issue stream. The indexes of the stream hold an issue's state beside its place: a list by state, and
 * its count, then read only issues that are shown (50,000 in five projects, none archived: 13 ms for both instead of 160).
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table saved_search (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, user_id text not null, name text not null, shared integer not null, query text not null, sort text not null, projects text not null, environments text not null, span text not null, created_ms ${bigint} not null, rev ${bigint} not null default 0)`,
    'create index saved_search_organization on saved_search (organization_id, user_id)',
    'drop index issue_last',
    'drop index issue_first',
    'create index issue_last on issue (project_id, last_seen_ms, id, first_seen_ms, status, substatus, assignee_user_id, unhandled, level)',
    'create index issue_first on issue (project_id, first_seen_ms, id, last_seen_ms, status, substatus, assignee_user_id, unhandled, level)',
  ]
}
