import type { Dialect } from '../database/dialect.ts'

/** Exports of answers as files. The file is a blob; the row outlives it by a day, so that a person sees why it is gone. */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table export (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, user_id text not null, request text not null, format text not null, state text not null, rows_done ${bigint} not null default 0, rows_total ${bigint}, bytes ${bigint} not null default 0, blob_key text not null default '', error text not null default '', created_ms ${bigint} not null, ended_ms ${bigint})`,
    'create index export_organization on export (organization_id, id)',
  ]
}
