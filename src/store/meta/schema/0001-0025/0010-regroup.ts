import type { Dialect } from '../../database/dialect.ts'

/**
 * Reprocessing: groups with missing source maps (missed, and their number: missed_sum), bundles that arrived since the
 * last check (arrival), runs (regrouping), and rows that are being rewritten (regroup_step). For issues: the new hash
 * that took one over (taken_issue), and the target of a merged one (moved_issue).
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  const project = `project_id ${bigint} not null references project (id) on delete cascade`
  return [
    `create table missed (${project}, name text not null, hash text not null, from_jpos ${bigint} not null, last_ms ${bigint} not null, primary key (project_id, name, hash))`,
    'create index missed_last on missed (last_ms)',
    `create table missed_sum (project_id ${bigint} primary key references project (id) on delete cascade, quantity ${bigint} not null, refused ${bigint} not null default 0, refused_ms ${bigint})`,
    `create table arrival (${project}, bundle_id ${bigint} not null references artifact_bundle (id) on delete cascade, created_ms ${bigint} not null, primary key (project_id, bundle_id))`,
    `create table regrouping (id ${autoId}, ${project}, cause text not null, created_ms ${bigint} not null, ended_ms ${bigint}, looked ${bigint} not null default 0, total ${bigint} not null default 0, mapped ${bigint} not null default 0, moved ${bigint} not null default 0, issues ${bigint} not null default 0, error text not null default '')`,
    'create index regrouping_project on regrouping (project_id, ended_ms)',
    `create table regroup_step (id ${autoId}, regrouping_id ${bigint} not null, ${project}, rewrite text not null, stale text not null default '[]', stage text not null, made_ms ${bigint} not null)`,
    `create table taken_issue (issue_id ${bigint} primary key references issue (id) on delete cascade, hash text not null)`,
    `create table moved_issue (id ${bigint} primary key, organization_id ${bigint} not null, short_id text not null, issue_id ${bigint} not null references issue (id) on delete cascade, moved_ms ${bigint} not null)`,
    'create index moved_issue_short on moved_issue (organization_id, short_id)',
    'create index moved_issue_issue on moved_issue (issue_id)',
  ]
}
