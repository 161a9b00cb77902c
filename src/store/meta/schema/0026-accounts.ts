import type { Dialect } from '../dialect.ts'

/** Session tokens are kept as hashes from here on. SQLite cannot hash the old ones, so everybody signs in again once. */
export function statements(_dialect: Dialect): string[] {
  return ['delete from auth_session']
}
