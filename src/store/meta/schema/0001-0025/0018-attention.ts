import type { Dialect } from '../../database/dialect.ts'

/**
 * Who follows an issue: bookmarks and subscriptions (inactive: events do not subscribe a person again who
 * unsubscribed). Mails to people about an issue that mentions them or that they follow (notice). Edited comments.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  const issue = `issue_id ${bigint} not null references issue (id) on delete cascade`
  return [
    `create table issue_bookmark (${issue}, user_id text not null, at_ms ${bigint} not null, primary key (issue_id, user_id))`,
    'create index issue_bookmark_user on issue_bookmark (user_id)',
    `create table issue_subscription (${issue}, user_id text not null, active integer not null, reason text not null, at_ms ${bigint} not null, primary key (issue_id, user_id))`,
    'create index issue_subscription_user on issue_subscription (user_id)',
    `create table notice (id ${autoId}, ${issue}, user_id text not null, activity_id ${bigint} not null references activity (id) on delete cascade, kind text not null, attempts ${bigint} not null default 0, next_ms ${bigint} not null)`,
    'create index notice_next on notice (next_ms)',
  ]
}
