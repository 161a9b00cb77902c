import type { Dialect } from '../../database/dialect.ts'

/** Discarded issues stay recognizable: the title and culprit of the issue; `title` is its short id. */
export function statements(_dialect: Dialect): string[] {
  return [
    "alter table discarded add column issue_title text not null default ''",
    "alter table discarded add column issue_culprit text not null default ''",
  ]
}
