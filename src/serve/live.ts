import type { LiveChange } from '../contract/live.ts'

/** Changes that a resuming stream can catch up on: some seconds at 100 events/s, since commits are batched. */
const recentMax = 500
/** Streams per person: each browser has a single stream, or one per tab on an insecure origin. */
const streamsMax = 10

type RecentChange = { id: number; change: LiveChange }
type Channel = { lastId: number; recent: RecentChange[]; listeners: Set<(id: number, change: LiveChange) => void> }

/** Listeners by organization in this process. `startId` differs per start, so that old ids never match new ones. */
export function createLive(startId: number): Live {
  const channels = new Map<number, Channel>()
  const commits = new Set<() => void>()
  const streams = new Map<string, Set<symbol>>()
  const channelOf = (organizationId: number): Channel => {
    const channel = channels.get(organizationId) ?? { lastId: startId, recent: [], listeners: new Set() }
    channels.set(organizationId, channel)
    return channel
  }
  const live: Live = {
    lastId: (organizationId) => channelOf(organizationId).lastId,
    publish: (organizationId, change) => {
      const channel = channelOf(organizationId)
      const id = ++channel.lastId
      channel.recent.push({ id, change })
      if (channel.recent.length > recentMax) channel.recent.shift()
      for (const listener of channel.listeners) listener(id, change)
    },
    publishToAll: (change) => {
      for (const organizationId of channels.keys()) live.publish(organizationId, change)
    },
    subscribe: (organizationId, lastId, listener) => {
      const channel = channelOf(organizationId)
      const since = lastId > 0 ? channel.recent.filter((recentChange) => recentChange.id > lastId) : []
      // Ids have no gaps. A different count means that `lastId` is too old, or from another start.
      if (lastId > 0 && since.length !== channel.lastId - lastId) listener(channel.lastId, { kind: 'missed' })
      else for (const recentChange of since) listener(recentChange.id, recentChange.change)
      channel.listeners.add(listener)
      return () => void channel.listeners.delete(listener)
    },
    committed: () => {
      for (const listener of commits) listener()
    },
    onCommit: (listener) => {
      commits.add(listener)
      return () => void commits.delete(listener)
    },
    isHeard: () => commits.size > 0 || [...channels.values()].some(({ listeners }) => listeners.size > 0),
    admit: (personId) => {
      const personStreams = streams.get(personId) ?? new Set()
      if (personStreams.size >= streamsMax) return undefined
      const mine = Symbol(personId)
      streams.set(personId, personStreams.add(mine))
      return () => {
        personStreams.delete(mine)
        if (personStreams.size === 0 && streams.get(personId) === personStreams) streams.delete(personId)
      }
    },
  }
  return live
}

/** Listeners for changes by commits. Server-sent events use them. */
export type Live = {
  publish(organizationId: number, change: LiveChange): void
  /** Publishes to each organization that ever had a change or a stream. It needs no database. */
  publishToAll(change: LiveChange): void
  /** Id of the newest change. Data read afterwards includes it. A stream that resumes after it misses nothing. */
  lastId(organizationId: number): number
  /**
   * Calls `listener` with changes after `lastId`, then with new ones; first `missed` if some are no longer stored. 0:
   * only new ones. Returns the function to unsubscribe.
   */
  subscribe(organizationId: number, lastId: number, listener: (id: number, change: LiveChange) => void): () => void
  /** Says that a batch was committed, whatever is in it. */
  committed(): void
  /** Calls `listener` after each commit. Returns the function to stop. Live tails of log lines use it. */
  onCommit(listener: () => void): () => void
  /** True while a stream of any organization is open, or a live tail. */
  isHeard(): boolean
  /** Counts a stream of a person. Returns a repeatable release function, or undefined if the person has 10. */
  admit(personId: string): (() => void) | undefined
}
