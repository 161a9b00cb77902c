import type { Dialect } from '../../database/dialect.ts'

/**
 * Downsampling for the disk budget: its runs (thin_run), steps that are running or not yet verified (thin_step), and
 * the number of downsampled events per issue.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table thin_run (id ${autoId}, started_ms ${bigint} not null, ended_ms ${bigint}, budget_bytes ${bigint} not null, bytes_before ${bigint} not null, bytes_after ${bigint}, events ${bigint} not null default 0, attachments ${bigint} not null default 0, reached integer not null default 0)`,
    `create table thin_step (id ${autoId}, run_id ${bigint} not null, cut text not null, row_bytes ${bigint} not null, stage text not null, made_ms ${bigint} not null)`,
    `create table thinned_issue (issue_id ${bigint} not null primary key references issue (id) on delete cascade, quantity ${bigint} not null)`,
  ]
}
