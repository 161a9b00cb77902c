import type { Dialect } from '../database/dialect.ts'

/**
 * What a person wants to hear of an organization, as one document, and the times of their mails that collect. A row of
 * personal_mail is removed with the wish for the mail; `covered_ms` is how far the last one went.
 */
export function statements({ bigint }: Dialect): string[] {
  const organization = `organization_id ${bigint} not null references organization (id) on delete cascade`
  return [
    `create table personal_settings (${organization}, user_id text not null, content text not null, rev ${bigint} not null, changed_ms ${bigint} not null, primary key (organization_id, user_id))`,
    `create table personal_mail (${organization}, user_id text not null, kind text not null, next_ms ${bigint} not null, covered_ms ${bigint} not null, attempts ${bigint} not null default 0, retry_ms ${bigint} not null, primary key (organization_id, user_id, kind))`,
    'create index personal_mail_retry on personal_mail (retry_ms)',
  ]
}
