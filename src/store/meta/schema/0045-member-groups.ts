import type { Dialect } from '../database/dialect.ts'

/**
 * Members of incidents by group: a metric rule by groups sees an incident once for each of its groups. The group is a part
 * of the key, so the table is made anew; SQLite cannot change a key.
 */
export function statements({ bigint }: Dialect): string[] {
  return [
    `create table incident_member_next (incident_id ${bigint} not null references incident (id) on delete cascade, rule_id ${bigint} not null, issue_id ${bigint} not null, group_key text not null, level text not null, opened_ms ${bigint} not null, ended_ms ${bigint}, measure text not null, primary key (incident_id, rule_id, issue_id, group_key))`,
    `insert into incident_member_next (incident_id, rule_id, issue_id, group_key, level, opened_ms, ended_ms, measure)
      select incident_id, rule_id, issue_id, '', level, opened_ms, ended_ms, measure from incident_member`,
    'drop table incident_member',
    'alter table incident_member_next rename to incident_member',
    'create index incident_member_issue on incident_member (issue_id)',
    'create index incident_member_rule on incident_member (rule_id, opened_ms)',
  ]
}
