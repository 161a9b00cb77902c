import type { Dialect } from '../database/dialect.ts'

/** Switches of a project as JSON (domain/project-switches.ts); one that is not named is off. */
export function statements(_dialect: Dialect): string[] {
  return ["alter table project add column switches text not null default '{}'"]
}
