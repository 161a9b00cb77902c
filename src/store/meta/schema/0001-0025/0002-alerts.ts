import type { Dialect } from '../../database/dialect.ts'

/** Notifications: targets (channel), queued alerts (alert_due, the outbox of a commit), and deliveries (delivery). */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table channel (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, project_id ${bigint} references project (id) on delete cascade, kind text not null, name text not null, sealed_target text not null, sealed_secret text not null, active integer not null, created_ms ${bigint} not null, failing_since_ms ${bigint}, last_error text not null)`,
    'create index channel_organization on channel (organization_id)',
    `create table alert_due (id ${autoId}, organization_id ${bigint} not null, project_id ${bigint} not null, issue_id ${bigint} not null references issue (id) on delete cascade, kind text not null, event_id text not null, at_ms ${bigint} not null)`,
    `create table delivery (id ${autoId}, channel_id ${bigint} not null references channel (id) on delete cascade, recipient text not null, kind text not null, items text not null, more ${bigint} not null, status text not null, attempts ${bigint} not null, next_ms ${bigint} not null, error text not null, created_ms ${bigint} not null, sent_ms ${bigint})`,
    'create index delivery_channel on delivery (channel_id, created_ms)',
    "create index delivery_queued on delivery (next_ms) where status = 'queued'",
  ]
}
