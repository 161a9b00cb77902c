import type { Dialect } from '../database/dialect.ts'

/**
 * The disk budget: each time that it took events out (thin_run), the cuts of those that are under way or not yet proven
 * (thin_step), and how many events of an issue went.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  return [
    `create table thin_run (id ${autoId}, started_ms ${bigint} not null, ended_ms ${bigint}, budget_bytes ${bigint} not null, bytes_before ${bigint} not null, bytes_after ${bigint}, events ${bigint} not null default 0, attachments ${bigint} not null default 0, reached integer not null default 0)`,
    `create table thin_step (id ${autoId}, run_id ${bigint} not null, cut text not null, row_bytes ${bigint} not null, stage text not null, made_ms ${bigint} not null)`,
    `create table thinned_issue (issue_id ${bigint} not null primary key references issue (id) on delete cascade, quantity ${bigint} not null)`,
  ]
}
