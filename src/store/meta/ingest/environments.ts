import { MishapError } from '../../../base/errors.ts'
import type { Store } from '../database/store.ts'

/** An environment from the events of a project. Times in ms. */
export type Environment = { name: string; firstSeenMs: number; lastSeenMs: number; hidden: boolean }

export type EnvironmentStore = {
  /**
   * Environments of a project in alphabetical order, only hidden or visible ones if `hidden` is given. Without it,
   * hidden ones come first within `max`, because otherwise nobody could show them again.
   */
  projectEnvironments(projectId: number, options: { max: number; hidden?: boolean }): Promise<Environment[]>
  environmentOf(projectId: number, name: string): Promise<Environment | undefined>
  /** Hides or shows an environment in the selection lists. Its events do not change. Throws NOT_FOUND. */
  hideEnvironment(projectId: number, name: string, hidden: boolean): Promise<Environment>
  /** Names that are hidden in each of these projects that have them. */
  hiddenEnvironments(projectIds: number[]): Promise<Set<string>>
}

/** Maximum projects per statement. */
const chunk = 500

/** Implements the stored data of environments. */
export function environmentPart({ write, read, dialect: { builder } }: Store): EnvironmentStore {
  const all = (projectId: number) =>
    builder.selectFrom('environment').selectAll().where('project_id', '=', projectId).where('name', '!=', '')
  const toEnvironment = (row: { name: string; first_seen_ms: number; last_seen_ms: number; hidden: number }) => ({
    name: row.name,
    firstSeenMs: row.first_seen_ms,
    lastSeenMs: row.last_seen_ms,
    hidden: row.hidden === 1,
  })

  return {
    projectEnvironments: async (projectId, { max, hidden }) => {
      const list = async (flag: 0 | 1, most: number) =>
        (await read.all(all(projectId).where('hidden', '=', flag).orderBy('name').limit(most))).map(toEnvironment)
      if (hidden !== undefined) return list(hidden ? 1 : 0, max)
      const first = await list(1, max)
      const both = first.length < max ? [...first, ...(await list(0, max - first.length))] : first
      return first.length === 0 ? both : both.sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    environmentOf: async (projectId, name) => {
      const row = await read.get(all(projectId).where('name', '=', name))
      return row && toEnvironment(row)
    },
    hideEnvironment: (projectId, name, hidden) =>
      write.transaction(async () => {
        const row = await write.get(all(projectId).where('name', '=', name))
        if (!row) throw new MishapError('NOT_FOUND')
        const change = { hidden: hidden ? (1 as const) : (0 as const) }
        await write.run(
          builder.updateTable('environment').set(change).where('project_id', '=', projectId).where('name', '=', name),
        )
        return toEnvironment({ ...row, ...change })
      }),
    hiddenEnvironments: async (projectIds) => {
      const hidden = new Set<string>()
      const shown = new Set<string>()
      for (let start = 0; start < projectIds.length; start += chunk) {
        const ids = projectIds.slice(start, start + chunk)
        const rows = builder.selectFrom('environment').select(['name', 'hidden']).distinct()
        // In nearly every installation nothing is hidden, so one lookup is enough.
        const names = builder.selectFrom('environment').select('name').where('hidden', '=', 1)
        for (const row of await read.all(rows.where('project_id', 'in', ids).where('name', 'in', names)))
          (row.hidden === 1 ? hidden : shown).add(row.name)
      }
      for (const name of shown) hidden.delete(name)
      return hidden
    },
  }
}
