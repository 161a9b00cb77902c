import { LRUCache } from 'lru-cache'
import type { MapFound, MapQuery, MapSource, Places } from './frames.ts'
import type { MapAnswer } from './map-cache.ts'
import { lookIn, mayFind, type Presence } from './presence.ts'
import { type MapView, openView } from './view.ts'

/** Asks the desk in the other thread; answers come in the order of the queries. */
type AskMaps = (projectId: number, queries: MapQuery[], waitMs: number) => Promise<MapAnswer[]>

/** Source maps as a refine worker knows them. */
export type WorkerMaps = {
  /**
   * The maps of one project for one range. `state` says which artifacts the project has: with another, all is asked again.
   * `budget` is shared by all projects of the range. `names`: all that it has; what is not there is not asked for.
   */
  of(projectId: number, state: string, budget: WaitBudget, names?: Presence): RangeMaps
}

/** ms that a range may still wait for maps that are read for the first time; what is not there by then goes unmapped. */
export type WaitBudget = { leftMs: number }

export type RangeMaps = MapSource & {
  /** Whether something was asked that is not known yet. */
  missing(): boolean
  /** Asks for all of it; afterwards it is known. */
  load(): Promise<void>
}

const absent: MapFound = { reason: 'file_missing' }
const answersMax = 20_000
const viewsMax = 500
const viewBytesMax = 160 * 1024 * 1024

/**
 * Keeps what was answered and the maps that were used last. `now` in ms: only to measure how long was waited.
 */
export function createWorkerMaps(ask: AskMaps, now: () => number): WorkerMaps {
  const answers = new LRUCache<string, Omit<MapAnswer, 'flat'>>({ max: answersMax })
  const views = new LRUCache<string, MapView & { bytes: number }>({
    max: viewsMax,
    maxSize: viewBytesMax,
    sizeCalculation: (view) => Math.max(1, view.bytes),
  })
  const places: Places = new WeakMap()

  function of(projectId: number, state: string, budget: WaitBudget, names?: Presence): RangeMaps {
    const has = names && lookIn(names)
    const wanted = new Map<string, MapQuery>()
    /** Of this range alone: what is still on its way, and maps that the next ones may push out again. */
    const passing = new Map<string, MapFound>()
    const keyOf = ({ debugId = '', url, release = '', dist }: MapQuery) =>
      `${projectId}\n${state}\n${debugId}\n${release}\n${dist}\n${url}`

    function known(key: string): MapFound | undefined {
      const answer = answers.get(key)
      if (!answer || answer.id === undefined) return answer ?? passing.get(key)
      const view = views.get(answer.id)
      return view ? { ...answer, view } : passing.get(key)
    }

    function learn(key: string, { flat, ...answer }: MapAnswer): void {
      if (!answer.later) answers.set(key, answer)
      if (answer.id === undefined || !flat) {
        if (answer.later) passing.set(key, answer)
        return
      }
      const view = views.get(answer.id) ?? { ...openView(flat), bytes: flat.bytes }
      views.set(answer.id, view)
      passing.set(key, { ...answer, view })
    }

    return {
      places,
      find: (query) => {
        const key = keyOf(query)
        const found = known(key)
        if (found) return found
        // a flood of ids that nobody uploaded would refine each of its records twice
        if (has && !mayFind(has, query)) return absent
        wanted.set(key, query)
        return undefined
      },
      missing: () => wanted.size > 0,
      load: async () => {
        const asked = [...wanted]
        wanted.clear()
        const before = now()
        const queries = asked.map(([, query]) => query)
        const list = await ask(projectId, queries, Math.max(0, budget.leftMs))
        budget.leftMs -= Math.max(0, now() - before)
        for (const [at, [key]] of asked.entries()) learn(key, list[at] ?? { reason: 'map_pending', later: true })
      },
    }
  }
  return { of }
}
