import type { Dialect } from '../database/dialect.ts'

/**
 * Dashboards. A dashboard is one document: its tiles are read, written and restored together, so they are JSON in one
 * column and no rows of their own. Each change keeps the state before it as a revision.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table dashboard (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, user_id text not null, title text not null, shared integer not null, content text not null, created_ms ${bigint} not null, rev ${bigint} not null default 0, changed_ms ${bigint}, changed_by text)`,
    'create index dashboard_organization on dashboard (organization_id, user_id)',
    `create table dashboard_revision (dashboard_id ${bigint} not null references dashboard (id) on delete cascade, rev ${bigint} not null, title text not null, content text not null, user_id text, at_ms ${bigint} not null, primary key (dashboard_id, rev))`,
    `create table dashboard_favourite (organization_id ${bigint} not null references organization (id) on delete cascade, user_id text not null, dashboard text not null, primary key (organization_id, user_id, dashboard))`,
  ]
}
