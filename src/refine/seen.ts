/** Event ids of the last hour, by project: what arrives again counts as duplicate. Bounded; the oldest go first. */
export type Seen = {
  has(projectId: number, eventId: string): boolean
  add(projectId: number, eventId: string, atMs: number): void
  forget(projectId: number, eventId: string): void
  readonly size: number
}

/** Keeps ids for `keepMs` and at most `max` of them (some 100 bytes each). */
export function createSeen(keepMs: number, max: number): Seen {
  const ids = new Map<string, number>() // in order of insertion, so the first is the oldest
  const key = (projectId: number, eventId: string) => `${projectId}:${eventId}`
  return {
    has: (projectId, eventId) => ids.has(key(projectId, eventId)),
    forget: (projectId, eventId) => void ids.delete(key(projectId, eventId)),
    add: (projectId, eventId, atMs) => {
      ids.set(key(projectId, eventId), atMs)
      for (const [id, at] of ids) {
        if (ids.size <= max && at > atMs - keepMs) break
        ids.delete(id)
      }
    },
    get size() {
      return ids.size
    },
  }
}
