import type { EventEffect } from '../meta.ts'
import type { ProjectRow } from './batch-statements.ts'

/** An issue that a batch creates, with the event that begins it. */
export type NewIssue = { effect: EventEffect; project: ProjectRow }

/** An event of a project that exists, with the id of its issue or the issue that it creates. */
export type Assigned = { effect: EventEffect; project: ProjectRow; target: number | NewIssue }

/** A hash that becomes known with this batch. */
type NewHash = { projectId: number; hash: string; target: number | NewIssue }

export const fingerprintKey = (projectId: number, hash: string): string => `${projectId} ${hash}`

/**
 * Finds the issue of each event: the one of its first known hash, from earlier events or from `stored`, issue ids by
 * `fingerprintKey`. Otherwise the event creates an issue. Its unknown hashes are attached; a hash of another issue stays
 * there. Skips events of projects that were deleted while they waited in the journal. Throws for an event without hash.
 */
export function assignIssues(
  effects: readonly EventEffect[],
  projects: ReadonlyMap<number, ProjectRow>,
  stored: ReadonlyMap<string, number>,
): { assigned: Assigned[]; created: NewIssue[]; hashes: NewHash[] } {
  const known = new Map<string, number | NewIssue>(stored)
  const assigned: Assigned[] = []
  const created: NewIssue[] = []
  const hashes: NewHash[] = []
  for (const effect of effects) {
    const { projectId } = effect
    const project = projects.get(projectId)
    if (!project) continue
    if (effect.hashes.length === 0) throw new Error(`event ${effect.eventId} at ${effect.jpos} has no hash`)
    const knownHash = effect.hashes.find((hash) => known.has(fingerprintKey(projectId, hash)))
    let target = knownHash === undefined ? undefined : known.get(fingerprintKey(projectId, knownHash))
    if (target === undefined) {
      target = { effect, project }
      created.push(target)
    }
    for (const hash of effect.hashes) {
      const key = fingerprintKey(projectId, hash)
      if (known.has(key)) continue
      known.set(key, target)
      hashes.push({ projectId, hash, target })
    }
    assigned.push({ effect, project, target })
  }
  return { assigned, created, hashes }
}
