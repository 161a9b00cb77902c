import type { Dialect } from '../../database/dialect.ts'

/**
 * People and their actions: invitations, feedback, removals (with discarded fingerprints, and deleted events that the
 * ledger still counts), an organization's own retention and its old slugs.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  const organization = `organization_id ${bigint} not null references organization (id) on delete cascade`
  const project = `project_id ${bigint} not null references project (id) on delete cascade`
  return [
    `create table invitation (id ${autoId}, ${organization}, email text not null, role text not null, token_hash text not null unique, invited_by text not null, created_ms ${bigint} not null, expires_ms ${bigint} not null, unique (organization_id, email))`,
    // The issue is found after the commit: the event can arrive later, and only the events store knows the stored ones.
    `create table feedback (id ${autoId}, ${project}, feedback_id text not null, event_id text not null, issue_id ${bigint} references issue (id) on delete cascade, kind text not null, name text not null, email text not null, message text not null, url text not null, replay_id text not null, environment text not null, release text not null, state text not null default 'new', received_ms ${bigint} not null, next_ms ${bigint}, changed_ms ${bigint}, changed_by text, unique (project_id, feedback_id))`,
    'create index feedback_list on feedback (project_id, state, id)',
    'create index feedback_event on feedback (project_id, event_id)',
    'create index feedback_issue on feedback (issue_id)',
    'create index feedback_next on feedback (next_ms) where next_ms is not null',
    `alter table organization add column rev ${bigint} not null default 0`,
    `alter table organization add column changed_ms ${bigint}`,
    'alter table organization add column changed_by text',
    `alter table organization add column retention_errors_days ${bigint}`,
    // Events received before this time were deleted by the organization's own retention.
    `alter table organization add column kept_since_ms ${bigint}`,
    `create table old_organization_slug (slug text primary key, ${organization})`,
    // No references: a removal outlives its target.
    `create table removal (id ${autoId}, organization_id ${bigint} not null, project_id ${bigint} not null, issue_id ${bigint}, kind text not null, title text not null, user_id text, created_ms ${bigint} not null, ended_ms ${bigint}, stage text not null, events ${bigint} not null default 0, blobs ${bigint} not null default 0, error text not null default '')`,
    'create index removal_open on removal (id) where ended_ms is null',
    'create index removal_project on removal (project_id)',
    'create index removal_organization on removal (organization_id, id)',
    `create table doomed_blob (blob_key text primary key, removal_id ${bigint} not null)`,
    `create table removed_events (project_id ${bigint} primary key, quantity ${bigint} not null)`,
    `create table discarded (${project}, hash text not null, title text not null, user_id text, created_ms ${bigint} not null, primary key (project_id, hash))`,
  ]
}
