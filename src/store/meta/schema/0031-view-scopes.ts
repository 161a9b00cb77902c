import type { Dialect } from '../database/dialect.ts'

/** Saved views also of traces, and the view that a list opens with, for each person. */
export function statements({ bigint }: Dialect): string[] {
  return [
    "alter table saved_search add column scope text not null default 'issues'",
    `create table search_default (organization_id ${bigint} not null references organization (id) on delete cascade, user_id text not null, scope text not null, search_id ${bigint} not null references saved_search (id) on delete cascade, primary key (organization_id, user_id, scope))`,
  ]
}
