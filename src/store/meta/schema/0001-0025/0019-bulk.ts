import type { Dialect } from '../../database/dialect.ts'

/**
 * Bulk changes of issues: the request (bulk), and each issue with its previous values (bulk_item), so that a change
 * continues after a restart and can be undone. Ownership rules (ownership), and new issues whose owners must be looked
 * up (owner_due).
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  const project = `project_id ${bigint} not null references project (id) on delete cascade`
  return [
    `create table bulk (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, user_id text, change text not null, total ${bigint} not null, done ${bigint} not null default 0, changed ${bigint} not null default 0, undone integer not null default 0, created_ms ${bigint} not null, ended_ms ${bigint})`,
    'create index bulk_open on bulk (id) where ended_ms is null',
    `create table bulk_item (bulk_id ${bigint} not null references bulk (id) on delete cascade, issue_id ${bigint} not null references issue (id) on delete cascade, place ${bigint} not null, undo text, rev ${bigint}, primary key (bulk_id, place))`,
    'create index bulk_item_issue on bulk_item (issue_id)',
    `create table ownership (${project} primary key, text text not null, auto_assign integer not null, rev ${bigint} not null default 0, changed_ms ${bigint}, changed_by text)`,
    `create table owner_due (issue_id ${bigint} not null primary key references issue (id) on delete cascade, ${project}, event_id text not null, at_ms ${bigint} not null)`,
  ]
}
