import type { Dialect } from '../../database/dialect.ts'

/** The environments of a release's events, written by each commit of a batch. */
export function statements({ bigint }: Dialect): string[] {
  return [
    `create table release_environment (project_id ${bigint} not null references project (id) on delete cascade, version text not null, environment text not null, first_event_ms ${bigint} not null, last_event_ms ${bigint} not null, primary key (project_id, version, environment))`,
    'create index release_environment_name on release_environment (project_id, environment, version)',
  ]
}
