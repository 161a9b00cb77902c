import type { Dialect } from '../../database/dialect.ts'

/** Hashes that an issue got when people merged another issue into it (from_id: its id, as in moved_issue). */
export function statements({ bigint }: Dialect): string[] {
  return [
    `create table merged_hash (project_id ${bigint} not null references project (id) on delete cascade, hash text not null, from_id ${bigint} not null, merged_ms ${bigint} not null, primary key (project_id, hash))`,
    'create index merged_hash_from on merged_hash (from_id)',
  ]
}
