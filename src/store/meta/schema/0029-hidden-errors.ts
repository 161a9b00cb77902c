import type { Dialect } from '../database/dialect.ts'

/** The index also holds the server error, so that a list of issues reads which errors they hide from it alone. */
export function statements(_dialect: Dialect): string[] {
  return [
    'drop index failure_link_browser',
    'create index failure_link_browser on failure_link (browser_project_id, browser_hash, server_project_id, server_hash)',
  ]
}
