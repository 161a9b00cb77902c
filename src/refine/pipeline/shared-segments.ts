import { BroadcastChannel } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'

/** Routes of recent segments, by project and span id, for their late spans. */
export type SegmentRoutes = {
  get(key: string): string | undefined
  set(key: string, route: string): void
  /** Returns what was set since the last call. */
  takeNew(): [key: string, route: string][]
  /** Adds what another worker learned. */
  add(routes: readonly (readonly [key: string, route: string])[]): void
}

/** 20,000 segments are 3 MB; web vitals come up to minutes after their page load. */
const segmentsMax = 20_000

export function createSegmentRoutes(): SegmentRoutes {
  const routes = new LRUCache<string, string>({ max: segmentsMax })
  const fresh = new Map<string, string>()
  return {
    get: (key) => routes.get(key),
    set: (key, route) => {
      // A record that is refined again for its source maps sets the same.
      if (routes.get(key) === route) return
      routes.set(key, route)
      fresh.set(key, route)
      const [oldest] = fresh.size > segmentsMax ? fresh.keys() : []
      if (oldest !== undefined) fresh.delete(oldest)
    },
    takeNew: () => {
      const taken = [...fresh]
      fresh.clear()
      return taken
    },
    add: (others) => {
      for (const [key, route] of others) routes.set(key, route)
    },
  }
}

/**
 * Shares the routes of segments between the refine workers of one journal. A span can be refined by another worker than
 * its segment; it got no route before. One message for each range of records: 1,000 segments are 60 kB. Asking the main
 * thread for a route was rejected: refining is synchronous, and most spans have their segment in their own record.
 */
export function shareSegments(routes: SegmentRoutes, journalFolder: string): { send(): void; close(): void } {
  const channel = new BroadcastChannel(`segments ${journalFolder}`)
  channel.unref()
  channel.onmessage = (message) => {
    const { data } = message as { data: [string, string][] }
    routes.add(data)
  }
  return {
    send: () => {
      const taken = routes.takeNew()
      if (taken.length > 0) channel.postMessage(taken)
    },
    close: () => channel.close(),
  }
}
