import type { Clock } from '../../base/clock.ts'
import { backoffMs } from './backoff.ts'

/** `slow`: a request waits for its first byte for seconds. `silent`: there is a network, but Mishap does not answer. */
export type ConnectionStatus = 'well' | 'slow' | 'silent' | 'offline'

/** What the connection needs of the browser; tests give their own. */
export type ConnectionEnvironment = {
  after: Clock['after']
  /** What the browser says of its network. */
  isOnline(): boolean
  /** Whether Mishap answers at all. */
  probe(): Promise<boolean>
}

export type Connection = {
  status(): ConnectionStatus
  /** Runs `run` at each change. Returns a function that stops it. */
  listen(run: () => void): () => void
  /** A request begins. The returned function is called once at its end: `failed` where nothing answered. */
  asked(): (end: 'answered' | 'failed' | 'dropped') => void
  /** Something other than a request broke: checks whether Mishap still answers. */
  doubt(): void
}

/** A request without an answer for longer is slow, ms. */
const slowMs = 5000

export const isThere = (status: ConnectionStatus): boolean => status === 'well' || status === 'slow'

/** Counts requests that wait for long: `late` tells of each that begins to (1) and ends to (-1). */
function createPatience(after: Clock['after'], late: (change: 1 | -1) => void): () => () => void {
  return () => {
    let isLate = false
    const cancel = after(slowMs, () => {
      isLate = true
      late(1)
    })
    return () => {
      cancel()
      if (isLate) late(-1)
    }
  }
}

/**
 * Knows whether Mishap answers. One failure proves nothing (a proxy may cut a connection), so it probes by itself, and again
 * with a backoff until there is an answer. When the browser reports that the network is back, it only probes again.
 */
export function createConnection(environment: ConnectionEnvironment): Connection & { turned(): void } {
  const listeners = new Set<() => void>()
  const state = {
    offline: !environment.isOnline(),
    silent: false,
    late: 0,
    tries: 0,
    looking: false,
    reported: 'well' as ConnectionStatus,
  }
  let cancel = () => {}
  const status = (): ConnectionStatus =>
    state.offline ? 'offline' : state.silent ? 'silent' : state.late > 0 ? 'slow' : 'well'
  function tell(change: Partial<typeof state>): void {
    Object.assign(state, change)
    if (state.reported === status()) return
    state.reported = status()
    for (const listener of [...listeners]) listener()
  }
  function answered(): void {
    cancel()
    tell({ offline: false, silent: false, tries: 0 })
  }
  async function look(): Promise<void> {
    if (state.looking) return
    cancel()
    state.looking = true
    const answers = environment.isOnline() && (await environment.probe())
    state.looking = false
    if (answers) return answered()
    cancel = environment.after(backoffMs(state.tries), () => void look())
    tell({ offline: !environment.isOnline(), silent: environment.isOnline(), tries: state.tries + 1 })
  }
  const begin = createPatience(environment.after, (change) => tell({ late: state.late + change }))
  state.reported = status()
  if (state.offline) void look()
  return {
    status,
    listen: (run) => {
      listeners.add(run)
      return () => void listeners.delete(run)
    },
    asked: () => {
      const ended = begin()
      return (end) => {
        ended()
        if (end === 'failed') void look()
        else if (end === 'answered' && state.silent) answered()
      }
    },
    doubt: () => void look(),
    turned: () => {
      tell({ offline: state.offline || !environment.isOnline(), tries: 0 })
      void look()
    },
  }
}

/** Resolves at once while Mishap answers, else when it does again. */
export function whenBack({ status, listen }: Pick<Connection, 'status' | 'listen'>): Promise<void> {
  if (isThere(status())) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = listen(() => {
      if (!isThere(status())) return
      stop()
      resolve()
    })
  })
}

type Fetch = typeof fetch

/** What SDKs send: a blocker of the browser may stop that alone, and nobody waits for it. */
const isReport = (url: string): boolean => /\/api\/\d+\/envelope\//.test(url)

/** The same fetch; what became of each request is reported to `connection`. */
export function watchedFetch(fetch: Fetch, connection: Pick<Connection, 'asked'>): Fetch {
  return async (input, init) => {
    if (isReport(input instanceof Request ? input.url : String(input))) return fetch(input, init)
    const end = connection.asked()
    try {
      const answer = await fetch(input, init)
      // A proxy answers so when Mishap behind it does not.
      end(answer.status === 502 || answer.status === 504 ? 'failed' : 'answered')
      return answer
    } catch (error) {
      end(init?.signal?.aborted ? 'dropped' : 'failed')
      throw error
    }
  }
}
