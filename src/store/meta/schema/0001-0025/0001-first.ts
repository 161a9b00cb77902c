import type { Dialect } from '../../database/dialect.ts'

/**
 * The first schema, one statement per line. The auth_ tables are better-auth's own (its getMigrations returns the same
 * text for better-auth 1.7; src/auth/auth.test.ts compares them).
 */
export function statements(dialect: Dialect): string[] {
  const { autoId, bigint, boolean, date } = dialect
  return [
    'create table value (name text primary key, text text not null)',
    `create table organization (id ${autoId}, slug text not null unique, name text not null, created_ms ${bigint} not null)`,
    `create table member (organization_id ${bigint} not null references organization (id) on delete cascade, user_id text not null, role text not null, created_ms ${bigint} not null, primary key (organization_id, user_id))`,
    'create index member_user on member (user_id)',
    `create table project (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, slug text not null, name text not null, platform text, created_ms ${bigint} not null, first_event_ms ${bigint}, allowed_origins text not null, scrub_defaults integer not null default 1, scrub_ip_addresses integer not null default 0, sensitive_fields text not null default '[]', safe_fields text not null default '[]', unique (organization_id, slug))`,
    `create table project_key (id ${autoId}, project_id ${bigint} not null references project (id) on delete cascade, label text not null, public_key text not null unique, active integer not null, rate_count ${bigint}, rate_window_s ${bigint}, created_ms ${bigint} not null, last_used_ms ${bigint})`,
    'create index project_key_project on project_key (project_id)',
    `create table short_id (organization_id ${bigint} not null references organization (id) on delete cascade, prefix text not null, last ${bigint} not null, primary key (organization_id, prefix))`,
    `create table issue (id ${autoId}, organization_id ${bigint} not null, project_id ${bigint} not null references project (id) on delete cascade, short_id text not null, kind text not null, title text not null, culprit text not null, level text not null, platform text not null, logger text not null, metadata text not null, error_type text not null, error_value text not null, search_text text not null, status text not null, substatus text, status_details text not null, resolved_ms ${bigint}, assignee_user_id text, first_seen_ms ${bigint} not null, last_seen_ms ${bigint} not null, count ${bigint} not null, first_release text not null, last_release text not null, unhandled integer not null, comments ${bigint} not null default 0, rev ${bigint} not null default 0, unique (organization_id, short_id))`,
    'create index issue_last on issue (project_id, last_seen_ms, id)',
    'create index issue_first on issue (project_id, first_seen_ms, id)',
    `create table fingerprint (project_id ${bigint} not null, hash text not null, issue_id ${bigint} not null references issue (id) on delete cascade, primary key (project_id, hash))`,
    'create index fingerprint_issue on fingerprint (issue_id)',
    `create table activity (id ${autoId}, issue_id ${bigint} not null references issue (id) on delete cascade, type text not null, created_ms ${bigint} not null, user_id text, data text not null)`,
    'create index activity_issue on activity (issue_id, id)',
    `create table digest (project_id ${bigint} not null, digest text not null, issue_id ${bigint} not null references issue (id) on delete cascade, event_id text not null, last_ms ${bigint} not null, primary key (digest, project_id, issue_id))`,
    'create index digest_issue on digest (issue_id, last_ms)',
    `create table release (organization_id ${bigint} not null, version text not null, project_id ${bigint} not null references project (id) on delete cascade, first_event_ms ${bigint} not null, last_event_ms ${bigint} not null, primary key (organization_id, version, project_id))`,
    'create index release_project on release (project_id, last_event_ms)',
    `create table environment (project_id ${bigint} not null references project (id) on delete cascade, name text not null, first_seen_ms ${bigint} not null, last_seen_ms ${bigint} not null, primary key (project_id, name))`,
    // No foreign keys: a refused request is counted under the received ids, and counts outlive the rows they refer to.
    `create table outcome (hour_ms ${bigint} not null, project_id ${bigint} not null, key_id ${bigint} not null, category text not null, outcome text not null, reason text not null, item_type text not null, quantity ${bigint} not null, bytes ${bigint} not null, primary key (hour_ms, project_id, key_id, category, outcome, reason, item_type))`,
    `create table dead_item (id ${autoId}, jpos ${bigint} not null, project_id ${bigint} not null, key_id ${bigint} not null, received_ms ${bigint} not null, reason text not null, bytes ${bigint} not null, blob_key text not null)`,
    `create table attachment (id ${autoId}, project_id ${bigint} not null, event_id text not null, name text not null, type text not null, content_type text not null, bytes ${bigint} not null, blob_key text not null, received_ms ${bigint} not null)`,
    'create index attachment_event on attachment (project_id, event_id)',
    'create index attachment_received on attachment (received_ms)',
    'create index attachment_blob on attachment (blob_key)',
    'create index dead_item_blob on dead_item (blob_key)',
    `create table batch (seq ${autoId}, from_jpos ${bigint} not null, to_jpos ${bigint} not null)`,
    `create table cursor (id integer primary key, jpos ${bigint} not null)`,
    'insert into cursor (id, jpos) values (1, 0)',
    `create table api_token (id ${autoId}, name text not null, prefix text not null, hash text not null unique, user_id text not null, organization_id ${bigint} references organization (id) on delete cascade, scopes text not null, created_ms ${bigint} not null, last_used_ms ${bigint})`,
    'create index api_token_user on api_token (user_id)',
    `create table auth_user ("id" text not null primary key, "name" text not null, "email" text not null unique, "emailVerified" ${boolean} not null, "image" text, "createdAt" ${date} not null, "updatedAt" ${date} not null)`,
    `create table auth_session ("id" text not null primary key, "expiresAt" ${date} not null, "token" text not null unique, "createdAt" ${date} not null, "updatedAt" ${date} not null, "ipAddress" text, "userAgent" text, "userId" text not null references auth_user ("id") on delete cascade)`,
    `create table auth_account ("id" text not null primary key, "accountId" text not null, "providerId" text not null, "userId" text not null references auth_user ("id") on delete cascade, "accessToken" text, "refreshToken" text, "idToken" text, "accessTokenExpiresAt" ${date}, "refreshTokenExpiresAt" ${date}, "scope" text, "password" text, "createdAt" ${date} not null, "updatedAt" ${date} not null)`,
    `create table auth_verification ("id" text not null primary key, "identifier" text not null, "value" text not null, "expiresAt" ${date} not null, "createdAt" ${date} not null, "updatedAt" ${date} not null)`,
    'create index "auth_session_userId_idx" on auth_session ("userId")',
    'create index "auth_account_userId_idx" on auth_account ("userId")',
    'create index "auth_verification_identifier_idx" on auth_verification ("identifier")',
  ]
}
