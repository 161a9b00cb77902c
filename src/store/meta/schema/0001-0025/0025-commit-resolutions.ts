import type { Dialect } from '../../database/dialect.ts'

/** Issues that wait for the release that has a commit (`awaits_release` is 2), by project. */
export function statements(_dialect: Dialect): string[] {
  return ['create index issue_awaits_commit on issue (project_id) where awaits_release = 2']
}
