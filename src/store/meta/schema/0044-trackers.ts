import type { Dialect } from '../database/dialect.ts'

/**
 * Issue trackers: connections, issues that are linked with issues there, received webhooks, and code mappings.
 * `external_issue.issue_state` is the state of our issue that was last handled, `state` the last known one there. A link
 * whose issue has another state than `issue_state` is due, so the table is its own outbox: no commit writes into it.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  const organization = `organization_id ${bigint} not null references organization (id) on delete cascade`
  const integration = `integration_id ${bigint} not null references integration (id) on delete cascade`
  return [
    `create table integration (id ${autoId}, ${organization}, kind text not null, name text not null, url text not null, target text not null, email text not null, account text not null, account_id text not null, sealed_token text not null, sealed_secret text not null, sync_state integer not null, sync_comments integer not null, connected_by text, created_ms ${bigint} not null, connected_ms ${bigint} not null, refused_ms ${bigint}, last_error text not null default '')`,
    'create index integration_organization on integration (organization_id)',
    `create table external_issue (id ${autoId}, ${integration}, issue_id ${bigint} not null references issue (id) on delete cascade, origin text not null, external_key text not null, external_id text not null, title text not null, url text not null, state text not null, issue_state text not null, created_by text, created_ms ${bigint} not null, comment_after ${bigint} not null, pushed text not null default '[]', attempts integer not null default 0, next_ms ${bigint} not null default 0, error text not null default '', unique (integration_id, issue_id, origin))`,
    'create index external_issue_issue on external_issue (issue_id)',
    'create index external_issue_external on external_issue (integration_id, external_id)',
    `create table tracker_delivery (${integration}, delivery text not null, at_ms ${bigint} not null, primary key (integration_id, delivery))`,
    'create index tracker_delivery_at on tracker_delivery (at_ms)',
    `create table tracker_outcome (${integration}, day text not null, outcome text not null, quantity ${bigint} not null, primary key (integration_id, day, outcome))`,
    `create table code_mapping (id ${autoId}, ${organization}, project_id ${bigint} not null references project (id) on delete cascade, repository_id ${bigint} not null references repository (id) on delete cascade, stack_root text not null, source_root text not null, default_branch text not null, created_ms ${bigint} not null, unique (project_id, stack_root))`,
    'create index code_mapping_organization on code_mapping (organization_id)',
    'create index code_mapping_repository on code_mapping (repository_id)',
    // The connection whose webhooks store commits of this repository.
    `alter table repository add column integration_id ${bigint} references integration (id) on delete set null`,
    'create index repository_integration on repository (integration_id) where integration_id is not null',
    // When a webhook stored this commit. Such commits stay for 90 days although no release has them.
    `alter table code_commit add column pushed_ms ${bigint}`,
    'create index code_commit_pushed on code_commit (pushed_ms) where pushed_ms is not null',
  ]
}
