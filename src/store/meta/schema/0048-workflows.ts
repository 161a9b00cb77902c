import type { Dialect } from '../database/dialect.ts'

/**
 * Workflows of metric rules, as the API got them. The receivers that they mean are in the definitions of their rules, so
 * that a rule is read as a whole. A rule has at most one workflow, and a workflow goes with its last rule.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table workflow (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, name text not null, definition text not null, created_ms ${bigint} not null, created_by text not null, rev ${bigint} not null default 0, changed_ms ${bigint}, changed_by text)`,
    'create index workflow_organization on workflow (organization_id)',
    `alter table alert_rule add column workflow_id ${bigint} references workflow (id) on delete set null`,
    'create index alert_rule_workflow on alert_rule (workflow_id) where workflow_id is not null',
  ]
}
