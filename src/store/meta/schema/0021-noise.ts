import type { Dialect } from '../database/dialect.ts'

/**
 * What the events of an issue are said to be: counted on the issue (`sign_counts`, JSON, '' for none) and for each of its
 * hashes, so that those can be taken out again; the verdict on the issue as a whole (`noise`, '' for none). The list's two
 * indexes have it, as they have all that its usual searches ask for. Notifications of skew wait (`until_ms`, 0: not).
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
