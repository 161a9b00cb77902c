import type { Dialect } from '../../database/dialect.ts'

/**
 * Suggested owners of an issue by the ownership rules (issue_suggestion): all owners of the rule that applies, in its
 * order. `sweep_id`: the project's rules changed, and its issues up to this id are checked against them again.
 */
export function statements({ bigint }: Dialect): string[] {
  return [
    `create table issue_suggestion (issue_id ${bigint} not null references issue (id) on delete cascade, user_id text not null, place integer not null, rule text not null, primary key (issue_id, user_id))`,
    'create index issue_suggestion_user on issue_suggestion (user_id)',
    `alter table ownership add column sweep_id ${bigint}`,
    "update ownership set sweep_id = (select max(id) from issue) where text != ''",
  ]
}
