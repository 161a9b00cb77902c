import type { Dialect } from '../database/dialect.ts'

/**
 * Alert rules, their states and what they found. A rule's definition is one document, because it is read, checked and
 * written as a whole; only what lists and evaluators select by has a column. The state has a row of its own: it changes
 * each minute, and a change of the rule must not wait for it. `alert_firing` is the outbox between evaluation and decision.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table alert_rule (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, kind text not null, name text not null, active integer not null, muted_until_ms ${bigint}, definition text not null, created_ms ${bigint} not null, created_by text not null, rev ${bigint} not null default 0, changed_ms ${bigint}, changed_by text)`,
    'create index alert_rule_organization on alert_rule (organization_id)',
    `create table alert_rule_state (rule_id ${bigint} primary key references alert_rule (id) on delete cascade, status text not null, reason text not null, since_ms ${bigint}, evaluated_ms ${bigint}, value text, memory text not null)`,
    `create table alert_firing (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, rule_id ${bigint} references alert_rule (id) on delete cascade, firing_key text not null, at_ms ${bigint} not null, content text not null, decided_ms ${bigint})`,
    'create unique index alert_firing_key on alert_firing (firing_key)',
    'create index alert_firing_rule on alert_firing (rule_id, at_ms)',
    'create index alert_firing_organization on alert_firing (organization_id, at_ms)',
    'create index alert_firing_undecided on alert_firing (id) where decided_ms is null',
  ]
}
