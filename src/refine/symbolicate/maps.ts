import { LRUCache } from 'lru-cache'
import type { MapFound, MapQuery, MapSource, Places } from './frames.ts'
import type { MapAnswer } from './map-cache.ts'
import { mayFind, type Presence, presenceLookup } from './presence.ts'
import { type MapView, openView } from './view.ts'

/** Queries the map cache in the other thread. Answers come in the order of the queries. */
type RequestMaps = (projectId: number, queries: MapQuery[], waitMs: number) => Promise<MapAnswer[]>

/** The source maps of a refine worker. */
export type WorkerMaps = {
  /**
   * The maps of one project for one range. `state` identifies the project's artifacts: if it changes, everything is
   * queried again. All projects of the range share `budget`. `names`: all files of the project. Others are not queried.
   */
  of(projectId: number, state: string, budget: WaitBudget, names?: Presence): RangeMaps
}

/** ms that a range can still wait for unread maps. Frames whose maps are late stay unmapped. */
export type WaitBudget = { leftMs: number }

export type RangeMaps = MapSource & {
  /** Whether a needed answer is not loaded yet. */
  missing(): boolean
  /** Loads all missing answers. */
  load(): Promise<void>
}

const absent: MapFound = { reason: 'file_missing' }
const answersMax = 20_000
/** An answer that comes this much later than asked for has waited for the blob store, ms. */
const outageMs = 1000
const viewsMax = 500
const viewBytesMax = 160 * 1024 * 1024

/** Caches answers and the recently used maps. `now`, in ms, only measures the wait. */
export function createWorkerMaps(request: RequestMaps, now: () => number): WorkerMaps {
  const answers = new LRUCache<string, Omit<MapAnswer, 'flat'>>({ max: answersMax })
  const views = new LRUCache<string, MapView & { bytes: number }>({
    max: viewsMax,
    maxSize: viewBytesMax,
    sizeCalculation: (view) => Math.max(1, view.bytes),
  })
  const places: Places = new WeakMap()

  function of(projectId: number, state: string, budget: WaitBudget, names?: Presence): RangeMaps {
    const has = names && presenceLookup(names)
    const missing = new Map<string, MapQuery>()
    /** Only for this range: pending answers, and maps that later ones can evict. */
    const shared = new Map<string, MapFound>()
    const keyOf = ({ debugId = '', url, release = '', dist }: MapQuery) =>
      `${projectId}\n${state}\n${debugId}\n${release}\n${dist}\n${url}`

    function cached(key: string): MapFound | undefined {
      const answer = answers.get(key)
      if (!answer || answer.id === undefined) return answer ?? shared.get(key)
      const view = views.get(answer.id)
      return view ? { ...answer, view } : shared.get(key)
    }

    function learn(key: string, { flat, ...answer }: MapAnswer): void {
      if (!answer.later) answers.set(key, answer)
      if (answer.id === undefined || !flat) {
        if (answer.later) shared.set(key, answer)
        return
      }
      const view = views.get(answer.id) ?? { ...openView(flat), bytes: flat.bytes }
      views.set(answer.id, view)
      shared.set(key, { ...answer, view })
    }

    return {
      places,
      find: (query) => {
        const key = keyOf(query)
        const found = cached(key)
        if (found) return found
        // Otherwise a flood of ids without an upload would refine each of their records twice.
        if (has && !mayFind(has, query)) return absent
        missing.set(key, query)
        return undefined
      },
      missing: () => missing.size > 0,
      load: async () => {
        const pending = [...missing]
        missing.clear()
        const before = now()
        const queries = pending.map(([, query]) => query)
        const list = await request(projectId, queries, Math.max(0, budget.leftMs))
        const tookMs = Math.max(0, now() - before)
        // Only an outage of the blob store takes longer than asked for. The maps that follow it get their time.
        if (tookMs <= budget.leftMs + outageMs) budget.leftMs -= tookMs
        for (const [at, [key]] of pending.entries()) learn(key, list[at] ?? { reason: 'map_pending', later: true })
      },
    }
  }
  return { of }
}
