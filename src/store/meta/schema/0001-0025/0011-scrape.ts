import type { Dialect } from '../../database/dialect.ts'

/** Public scripts of frames that nobody uploaded: whether a project fetches them, and the scripts to fetch (scrape). */
export function statements({ bigint }: Dialect): string[] {
  return [
    'alter table project add column scrape integer not null default 0',
    'alter table project add column scrape_tls integer not null default 1',
    "alter table project add column sealed_scrape_token text not null default ''",
    `create table scrape (project_id ${bigint} not null references project (id) on delete cascade, release text not null, dist text not null, url text not null, next_ms ${bigint} not null, last_ms ${bigint} not null, fetched_ms ${bigint}, failure text not null default '', primary key (project_id, release, dist, url))`,
    'create index scrape_next on scrape (next_ms)',
  ]
}
