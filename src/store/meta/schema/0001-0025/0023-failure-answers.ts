import type { Dialect } from '../../database/dialect.ts'

/**
 * A link stores the time of its server event, so that both expire together. And an index for each of the four lookups
 * by digest: with a single index, a sure digest's ends came only after all others that name the digest.
 */
export function statements({ bigint }: Dialect): string[] {
  return [
    `alter table failure_link add column server_ms ${bigint} not null default 0`,
    // If the end of a server event was deleted, only the link itself is known.
    'update failure_link set server_ms = coalesce((select received_ms from failure_side where project_id = server_project_id and event_id = server_event_id), browser_ms)',
    'drop index failure_side_digest',
    "create index failure_side_server on failure_side (organization_id, digest, project_id, hash, received_ms, event_id) where side = 'server' and sure = 1",
    "create index failure_side_page on failure_side (organization_id, digest, route, project_id, hash, received_ms, event_id) where side = 'server' and digest <> ''",
    "create index failure_side_browser on failure_side (organization_id, digest, alone, received_ms) where side = 'browser' and sure = 1",
    "create index failure_side_moment on failure_side (organization_id, digest, route, sure, alone, received_ms) where side = 'browser' and digest <> ''",
  ]
}
