import type { LiveChange } from '../contract/live.ts'

/** Changes that a resuming stream can catch up on: some seconds at 100 events/s, since commits are batched. */
const keptMax = 500
/** Streams per person: each browser has a single stream, or one per tab on an insecure origin. */
const streamsMax = 10

type Kept = { id: number; change: LiveChange }
type Room = { lastId: number; kept: Kept[]; listeners: Set<(id: number, change: LiveChange) => void> }

/** Listeners by organization in this process. `startId` differs per start, so that old ids never match new ones. */
export function createLive(startId: number): Live {
  const rooms = new Map<number, Room>()
  const streams = new Map<string, Set<symbol>>()
  const roomOf = (organizationId: number): Room => {
    const room = rooms.get(organizationId) ?? { lastId: startId, kept: [], listeners: new Set() }
    rooms.set(organizationId, room)
    return room
  }
  return {
    lastId: (organizationId) => roomOf(organizationId).lastId,
    publish: (organizationId, change) => {
      const room = roomOf(organizationId)
      const id = ++room.lastId
      room.kept.push({ id, change })
      if (room.kept.length > keptMax) room.kept.shift()
      for (const listener of room.listeners) listener(id, change)
    },
    subscribe: (organizationId, lastId, listener) => {
      const room = roomOf(organizationId)
      const since = lastId > 0 ? room.kept.filter((entry) => entry.id > lastId) : []
      // Ids have no gaps. A different count means that `lastId` is too old, or from another start.
      if (lastId > 0 && since.length !== room.lastId - lastId) listener(room.lastId, { kind: 'missed' })
      else for (const entry of since) listener(entry.id, entry.change)
      room.listeners.add(listener)
      return () => void room.listeners.delete(listener)
    },
    admit: (personId) => {
      const own = streams.get(personId) ?? new Set()
      if (own.size >= streamsMax) return undefined
      const mine = Symbol(personId)
      streams.set(personId, own.add(mine))
      return () => {
        own.delete(mine)
        if (own.size === 0 && streams.get(personId) === own) streams.delete(personId)
      }
    },
  }
}

/** Listeners for changes by commits. Server-sent events use them. */
export type Live = {
  publish(organizationId: number, change: LiveChange): void
  /** Id of the newest change. Data read afterwards includes it. A stream that resumes after it misses nothing. */
  lastId(organizationId: number): number
  /**
   * Calls `listener` with changes after `lastId`, then with new ones; first `missed` if some are no longer stored. 0:
   * only new ones. Returns the function to unsubscribe.
   */
  subscribe(organizationId: number, lastId: number, listener: (id: number, change: LiveChange) => void): () => void
  /** Counts a stream of a person. Returns a repeatable release function, or undefined if the person has 10. */
  admit(personId: string): (() => void) | undefined
}
