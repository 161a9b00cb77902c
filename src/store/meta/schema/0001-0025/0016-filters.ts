import type { Dialect } from '../../database/dialect.ts'

/** The inbound filters of a project, and samples of the events they dropped. */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    "alter table project add column filters text not null default '{}'",
    `create table filtered_event (id ${autoId}, project_id ${bigint} not null references project (id) on delete cascade, reason text not null, event_id text not null, received_ms ${bigint} not null, title text not null, why text not null, payload text not null)`,
    'create index filtered_event_reason on filtered_event (project_id, reason, id)',
    'create index filtered_event_received on filtered_event (received_ms)',
  ]
}
