import type { Dialect } from '../database/dialect.ts'

/** How addresses of a project become routes: patterns from people, and what was learned (`domain/routes.ts`). */
export function statements(_dialect: Dialect): string[] {
  return ["alter table project add column routes text not null default '{}'"]
}
