import type { Dialect } from '../database/dialect.ts'

/** Saved questions of Explore: a plan as JSON, with the scope that it opens with. */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table saved_query (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, user_id text not null, name text not null, shared integer not null, plan text not null, projects text not null, environments text not null, span text not null, created_ms ${bigint} not null, updated_ms ${bigint} not null, rev integer not null default 0)`,
    'create index saved_query_organization on saved_query (organization_id)',
  ]
}
