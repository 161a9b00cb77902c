import type { Dialect } from '../../database/dialect.ts'

/**
 * The last author and number of changes of a project or a key: a write with an outdated revision is refused. Also old
 * slugs of projects, and the issues that a person has opened.
 */
export function statements({ bigint }: Dialect): string[] {
  return [
    ...['project', 'project_key'].flatMap((table) => [
      `alter table ${table} add column rev ${bigint} not null default 0`,
      `alter table ${table} add column changed_ms ${bigint}`,
      `alter table ${table} add column changed_by text`,
    ]),
    // Off: the default rules and the project's own names do not apply.
    'alter table project add column scrub integer not null default 1',
    `create table old_slug (organization_id ${bigint} not null references organization (id) on delete cascade, slug text not null, project_id ${bigint} not null references project (id) on delete cascade, primary key (organization_id, slug))`,
    'create index old_slug_project on old_slug (project_id)',
    // The issue comes first, so that its removal finds the rows.
    `create table issue_seen (issue_id ${bigint} not null references issue (id) on delete cascade, user_id text not null, at_ms ${bigint} not null, primary key (issue_id, user_id))`,
  ]
}
