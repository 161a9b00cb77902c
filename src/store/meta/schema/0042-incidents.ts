import type { Dialect } from '../database/dialect.ts'

/**
 * Incidents with their members and history, mutes, on-call schedules, and the log of deliveries. A delivery goes to a
 * channel or to a person, so its channel may be null. SQLite cannot drop a `not null`, so the table is written again;
 * ids stay, because receivers recognize a repeated message by its id.
 *
 * `rule_id` and `issue_id` of a member are 0 instead of null, because they are part of its key. They are no foreign
 * keys: the history of an incident outlives the rule.
 */
export function statements({ name, autoId, bigint }: Dialect): string[] {
  const organization = `organization_id ${bigint} not null references organization (id) on delete cascade`
  return [
    `create table incident (id ${autoId}, ${organization}, title text not null, state text not null, level text not null, peak text not null, started_ms ${bigint} not null, changed_ms ${bigint} not null, ended_ms ${bigint}, acknowledged_by text, acknowledged_ms ${bigint}, snoozed_until_ms ${bigint}, impact ${bigint} not null, burst ${bigint} not null, release text not null, deploy_id ${bigint}, project_ids text not null, notified text not null, escalation text)`,
    'create index incident_organization on incident (organization_id, id)',
    'create index incident_open on incident (organization_id, changed_ms) where ended_ms is null',
    'create index incident_ended on incident (ended_ms)',
    `create table incident_member (incident_id ${bigint} not null references incident (id) on delete cascade, rule_id ${bigint} not null, issue_id ${bigint} not null, level text not null, opened_ms ${bigint} not null, ended_ms ${bigint}, measure text not null, primary key (incident_id, rule_id, issue_id))`,
    'create index incident_member_issue on incident_member (issue_id)',
    'create index incident_member_rule on incident_member (rule_id, opened_ms)',
    `create table incident_activity (id ${autoId}, incident_id ${bigint} not null references incident (id) on delete cascade, at_ms ${bigint} not null, kind text not null, user_id text, data text not null)`,
    'create index incident_activity_incident on incident_activity (incident_id, id)',
    `create table mute (id ${autoId}, ${organization}, kind text not null, target_id ${bigint} not null, name text not null, from_ms ${bigint} not null, to_ms ${bigint}, user_id text, created_ms ${bigint} not null)`,
    'create index mute_organization on mute (organization_id, to_ms)',
    `create table on_call_schedule (id ${autoId}, ${organization}, name text not null, time_zone text not null, hand_over_day ${bigint} not null, hand_over_time text not null, start_date text not null, members text not null, created_ms ${bigint} not null, rev ${bigint} not null default 0, changed_ms ${bigint}, changed_by text)`,
    'create index on_call_schedule_organization on on_call_schedule (organization_id)',
    `create table on_call_override (id ${autoId}, schedule_id ${bigint} not null references on_call_schedule (id) on delete cascade, user_id text not null, from_ms ${bigint} not null, to_ms ${bigint} not null, created_by text, created_ms ${bigint} not null)`,
    'create index on_call_override_schedule on on_call_override (schedule_id, to_ms)',
    `create table delivery_next (id ${autoId}, ${organization}, channel_id ${bigint} references channel (id) on delete cascade, user_id text, incident_id ${bigint} references incident (id) on delete set null, rule_id ${bigint}, firing_ids text not null, recipient text not null, kind text not null, change text not null, level text not null, items text not null, issue_ids text not null, more ${bigint} not null, status text not null, attempts ${bigint} not null, next_ms ${bigint} not null, error text not null, created_ms ${bigint} not null, sent_ms ${bigint}, steps text not null)`,
    `insert into delivery_next (id, organization_id, channel_id, firing_ids, recipient, kind, change, level, items, issue_ids, more, status, attempts, next_ms, error, created_ms, sent_ms, steps)
      select d.id, c.organization_id, d.channel_id, '[]', d.recipient, d.kind, 'start', '', d.items, '[]', d.more, d.status, d.attempts, d.next_ms, d.error, d.created_ms, d.sent_ms, '[]'
      from delivery d join channel c on c.id = d.channel_id`,
    ...keepCounter(name),
    'drop table delivery',
    'alter table delivery_next rename to delivery',
    'create index delivery_channel on delivery (channel_id, created_ms)',
    "create index delivery_queued on delivery (next_ms) where status = 'queued'",
    // The log is read by id, newest first. Times are nearly in the order of ids, and ids are unique.
    'create index delivery_log on delivery (organization_id, id)',
    'create index delivery_log_status on delivery (organization_id, status, id)',
    'create index delivery_log_channel on delivery (channel_id, id)',
    'create index delivery_user on delivery (user_id, created_ms)',
    'create index delivery_incident on delivery (incident_id, id)',
    'create index delivery_created on delivery (created_ms)',
  ]
}

/** Ids are never used twice, so the new table goes on counting where the old one stopped, even if that row is gone. */
const keepCounter = (dialect: Dialect['name']): string[] =>
  dialect === 'sqlite'
    ? [
        "delete from sqlite_sequence where name = 'delivery_next'",
        "insert into sqlite_sequence (name, seq) select 'delivery_next', seq from sqlite_sequence where name = 'delivery'",
      ]
    : ["select setval(pg_get_serial_sequence('delivery_next', 'id'), last_value, is_called) from delivery_id_seq"]
