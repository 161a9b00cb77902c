import type { Dialect } from '../database/dialect.ts'

/**
 * The outbox of a commit for issue rules. It is apart from `alert_due`, the outbox of the built-in notifications: these
 * must not wait while the events store, which rules ask, is down. `issue_id` is null for feedback without an issue; its
 * `event_id` is then that of the feedback itself.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table issue_trigger (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, project_id ${bigint} not null, issue_id ${bigint} references issue (id) on delete cascade, kind text not null, event_id text not null, release_version text not null, at_ms ${bigint} not null, until_ms ${bigint} not null)`,
    'create index issue_trigger_until on issue_trigger (until_ms, id)',
    'create index issue_trigger_issue on issue_trigger (issue_id)',
  ]
}
