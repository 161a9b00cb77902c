import type { LiveChange } from '../contract/live.ts'
import type { Live } from '../processes/app.ts'

/** Changes that a stream which was away can still be told of: some seconds at 100 events/s, since commits are batched. */
const keptMax = 500
/** Streams of one person: each browser has one, or one for each tab where it is not on a secure origin. */
const streamsMax = 10

type Kept = { id: number; change: LiveChange }
type Room = { lastId: number; kept: Kept[]; listeners: Set<(id: number, change: LiveChange) => void> }

/** Listeners by organization, in this process. `startId` differs after each start, so that an old id is never taken for a new one. */
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
      // Ids have no gaps: another count is an id of before the kept ones, or of another start.
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
