import type { Dialect } from '../database/dialect.ts'

/**
 * Session tokens are stored as hashes from here on. SQLite cannot hash the old ones, so everybody has to sign in again.
 * `password_reset`: links for forgotten passwords. `channel_address`: who confirmed that they want a channel's mails.
 * Existing channels continue unchanged, marked by the address *.
 */
export function statements({ bigint }: Dialect): string[] {
  return [
    'delete from auth_session',
    `create table password_reset (token_hash text primary key, user_id text not null references auth_user (id) on delete cascade, created_ms ${bigint} not null, expires_ms ${bigint} not null)`,
    'create index password_reset_user on password_reset (user_id)',
    `create table channel_address (channel_id ${bigint} not null references channel (id) on delete cascade, address text not null, token_hash text unique, asked_ms ${bigint}, expires_ms ${bigint}, confirmed_ms ${bigint}, error text not null, primary key (channel_id, address))`,
    "insert into channel_address (channel_id, address, confirmed_ms, error) select id, '*', created_ms, '' from channel where kind = 'email'",
  ]
}
