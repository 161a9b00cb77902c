import type { Dialect } from '../../database/dialect.ts'

/**
 * Ends of server errors that the browser shows as a number (failure_side), and links from browser events to server
 * events (failure_link). Both refer to events by project, id and group, like issues do, so links survive merge, unmerge
 * and reprocessing. `open`: still to be checked. A link is independent of its ends, which can be deleted first.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  const project = (name: string) => `${name} ${bigint} not null references project (id) on delete cascade`
  return [
    `create table failure_side (id ${autoId}, organization_id ${bigint} not null, ${project('project_id')}, event_id text not null, hash text not null, side text not null, digest text not null, sure integer not null, hints integer not null, trace_id text not null, route text not null, user_hash text not null, received_ms ${bigint} not null, open integer not null, alone text not null, unique (project_id, event_id))`,
    'create index failure_side_open on failure_side (id) where open = 1',
    'create index failure_side_digest on failure_side (organization_id, digest, side, alone, received_ms)',
    'create index failure_side_trace on failure_side (organization_id, trace_id, side, received_ms)',
    'create index failure_side_person on failure_side (organization_id, user_hash, route, received_ms)',
    'create index failure_side_hash on failure_side (project_id, hash)',
    'create index failure_side_age on failure_side (project_id, received_ms)',
    `create table failure_link (organization_id ${bigint} not null, ${project('browser_project_id')}, browser_event_id text not null, browser_hash text not null, user_hash text not null, browser_ms ${bigint} not null, ${project('server_project_id')}, server_event_id text not null, server_hash text not null, reason text not null, made_ms ${bigint} not null, primary key (browser_project_id, browser_event_id))`,
    'create index failure_link_server on failure_link (server_project_id, server_hash, browser_ms)',
    'create index failure_link_event on failure_link (server_project_id, server_event_id)',
    'create index failure_link_browser on failure_link (browser_project_id, browser_hash)',
    'create index failure_link_age on failure_link (browser_project_id, browser_ms)',
  ]
}
