import type { Dialect } from '../../database/dialect.ts'

/**
 * Automatic state transitions: when an issue entered its state (state_ms), its next scheduled check (due_ms), whether
 * the next release resolves it, arrivals in the open windows of ten minutes and an hour, and the limits from its own
 * history (issue_forecast). Also a priority set by a person.
 */
export function statements({ bigint }: Dialect): string[] {
  return [
    `alter table issue add column state_ms ${bigint} not null default 0`,
    `alter table issue add column due_ms ${bigint}`,
    'alter table issue add column awaits_release integer not null default 0',
    `alter table issue add column ten_ms ${bigint} not null default 0`,
    // Arrivals of up to five slots of two minutes, the newest last.
    "alter table issue add column ten_counts text not null default ''",
    `alter table issue add column hour_ms ${bigint} not null default 0`,
    `alter table issue add column hour_count ${bigint} not null default 0`,
    'alter table issue add column priority text',
    "update issue set state_ms = coalesce((select max(created_ms) from activity where activity.issue_id = issue.id and activity.type not in ('note', 'first_seen', 'assigned', 'unassigned', 'mapped_again')), first_seen_ms)",
    // 7 days, like in domain/issue-states.ts.
    "update issue set due_ms = state_ms + 604800000 where status = 'unresolved' and substatus in ('new', 'escalating', 'regressed')",
    "update issue set substatus = 'archived_forever' where status = 'ignored'",
    'create index issue_due on issue (due_ms) where due_ms is not null',
    'create index issue_awaits on issue (project_id) where awaits_release = 1',
    `create table issue_forecast (issue_id ${bigint} not null primary key references issue (id) on delete cascade, made_ms ${bigint} not null, limits text not null)`,
  ]
}
