import type { Dialect } from '../database/dialect.ts'

/** What was discarded is known later, too: the title and culprit that the issue had; `title` is its short id. */
export function statements(_dialect: Dialect): string[] {
  return [
    "alter table discarded add column issue_title text not null default ''",
    "alter table discarded add column issue_culprit text not null default ''",
  ]
}
