import type { Dialect } from '../database/dialect.ts'

/**
 * Kinds of channels with several fields (sealed_config), channels that hear only of alert rules (subscription), the
 * last answer of the service, and pauses that it asked for. A browser that wants push messages belongs to a person.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    "alter table channel add column subscription text not null default 'issues'",
    "alter table channel add column sealed_config text not null default ''",
    "alter table channel add column last_answer text not null default ''",
    `alter table channel add column paused_until_ms ${bigint} not null default 0`,
    `create table push_subscription (id ${autoId}, user_id text not null, endpoint_hash text not null unique, sealed text not null, browser text not null, created_ms ${bigint} not null)`,
    'create index push_subscription_user on push_subscription (user_id)',
  ]
}
