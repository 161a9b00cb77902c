import type { Dialect } from '../database/dialect.ts'

/** Deleted alert rules, as they were, so that a deletion can be taken back for a day. `content` is the row as JSON. */
export function statements({ bigint }: Dialect): string[] {
  return [
    `create table deleted_alert_rule (id ${bigint} primary key, organization_id ${bigint} not null references organization (id) on delete cascade, content text not null, deleted_ms ${bigint} not null)`,
  ]
}
