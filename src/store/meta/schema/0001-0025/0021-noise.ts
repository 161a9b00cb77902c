import type { Dialect } from '../../database/dialect.ts'

/**
 * Diagnostics of events, counted per issue (`sign_counts`, JSON, '' for none) and per hash, so that hashes can be split
 * off again; and the noise verdict of the issue (`noise`, '' for none). The two indexes of the list include it, like
 * all columns of the usual searches. Alerts of skew wait (`until_ms`, 0: no wait).
 */
export function statements({ bigint }: Dialect): string[] {
  const columns = 'status, substatus, assignee_user_id, unhandled, level, noise'
  return [
    "alter table issue add column sign_counts text not null default ''",
    "alter table issue add column noise text not null default ''",
    `create table hash_sign (project_id ${bigint} not null references project (id) on delete cascade, hash text not null, sign text not null, events ${bigint} not null, primary key (project_id, hash, sign))`,
    `alter table alert_due add column until_ms ${bigint} not null default 0`,
    'drop index issue_last',
    'drop index issue_first',
    `create index issue_last on issue (project_id, last_seen_ms, id, first_seen_ms, ${columns})`,
    `create index issue_first on issue (project_id, first_seen_ms, id, last_seen_ms, ${columns})`,
  ]
}
