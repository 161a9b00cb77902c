import type { Dialect } from '../database/dialect.ts'

/**
 * Who changed a project or a key last, and how often it was changed: a write that was made for an older revision is
 * refused. Slugs that projects had before. Which issue a person has opened.
 */
export function statements({ bigint }: Dialect): string[] {
  return [
    ...['project', 'project_key'].flatMap((table) => [
      `alter table ${table} add column rev ${bigint} not null default 0`,
      `alter table ${table} add column changed_ms ${bigint}`,
      `alter table ${table} add column changed_by text`,
    ]),
    // Off: neither the default rules nor the project's own names are applied.
    'alter table project add column scrub integer not null default 1',
    `create table old_slug (organization_id ${bigint} not null references organization (id) on delete cascade, slug text not null, project_id ${bigint} not null references project (id) on delete cascade, primary key (organization_id, slug))`,
    'create index old_slug_project on old_slug (project_id)',
    // The issue first, so that its removal finds the rows.
    `create table issue_seen (issue_id ${bigint} not null references issue (id) on delete cascade, user_id text not null, at_ms ${bigint} not null, primary key (issue_id, user_id))`,
  ]
}
