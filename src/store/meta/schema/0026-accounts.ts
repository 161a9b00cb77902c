import type { Dialect } from '../dialect.ts'

/**
 * Session tokens are kept as hashes from here on. SQLite cannot hash the old ones, so everybody signs in again once.
 * `password_reset` are the links of forgotten passwords.
 */
export function statements({ bigint }: Dialect): string[] {
  return [
    'delete from auth_session',
    `create table password_reset (token_hash text primary key, user_id text not null references auth_user (id) on delete cascade, created_ms ${bigint} not null, expires_ms ${bigint} not null)`,
    'create index password_reset_user on password_reset (user_id)',
  ]
}
