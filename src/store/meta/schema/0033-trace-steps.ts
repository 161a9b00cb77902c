import type { Dialect } from '../database/dialect.ts'

/**
 * Downsampling of traces for the disk budget. `trace_step` has its steps by day of arrival; those that are done stay as
 * long as spans do, because they say what was removed. Runs count the spans that they removed.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table trace_step (id ${autoId}, run_id ${bigint} not null, day text not null, level integer not null, before_jpos ${bigint} not null, stage text not null, rows_before ${bigint} not null default 0, rows_removed ${bigint} not null default 0, made_ms ${bigint} not null)`,
    `alter table thin_run add column spans ${bigint} not null default 0`,
  ]
}
