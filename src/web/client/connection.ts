import type { Clock } from '../../base/clock.ts'
import { backoffMs } from './backoff.ts'

/** `slow`: a request has waited seconds for its first byte. `silent`: the network is up, but Mishap does not answer. */
export type ConnectionStatus = 'well' | 'slow' | 'silent' | 'offline'

/** The browser functions that the connection uses. Tests pass their own. */
type ConnectionEnvironment = {
  after: Clock['after']
  /** Whether the browser reports a network. */
  isOnline(): boolean
  /** Whether Mishap answers a health check. */
  probe(): Promise<boolean>
}

export type Connection = {
  status(): ConnectionStatus
  /** Calls `run` at each change of status. Returns a function that stops it. */
  listen(run: () => void): () => void
  /** Reports the start of a request. Call the returned function once at its end: `failed` means no answer. */
  asked(): (outcome: 'answered' | 'failed' | 'dropped') => void
  /** Checks whether Mishap still answers, after a failure outside of requests. Resolves when the status is known. */
  check(): Promise<void>
}

/** A request counts as slow after this time without an answer, ms. */
const slowMs = 5000

export const isThere = (status: ConnectionStatus): boolean => status === 'well' || status === 'slow'

/** Counts slow requests: calls `late` with 1 when a request becomes slow and with -1 when it ends. */
function createSlowTimer(after: Clock['after'], late: (change: 1 | -1) => void): () => () => void {
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
 * Tracks whether Mishap answers. A single failed request proves nothing (a proxy can cut a connection), so it probes
 * the server and retries with backoff until it succeeds. What the browser says of the network only starts a probe and
 * chooses the words: a machine without a network still reaches a Mishap that runs on itself.
 */
export function createConnection(environment: ConnectionEnvironment): Connection & { networkChanged(): void } {
  const listeners = new Set<() => void>()
  const state = {
    silent: false,
    late: 0,
    tries: 0,
    probing: undefined as Promise<void> | undefined,
    reported: 'well' as ConnectionStatus,
  }
  let cancel = () => {}
  const status = (): ConnectionStatus =>
    state.silent ? (environment.isOnline() ? 'silent' : 'offline') : state.late > 0 ? 'slow' : 'well'
  function update(change: Partial<typeof state>): void {
    Object.assign(state, change)
    if (state.reported === status()) return
    state.reported = status()
    for (const listener of [...listeners]) listener()
  }
  function markAnswered(): void {
    cancel()
    update({ silent: false, tries: 0 })
  }
  async function probe(): Promise<void> {
    cancel()
    const answers = await environment.probe()
    state.probing = undefined
    if (answers) return markAnswered()
    cancel = environment.after(backoffMs(state.tries), () => void check())
    update({ silent: true, tries: state.tries + 1 })
  }
  function check(): Promise<void> {
    state.probing ??= probe()
    return state.probing
  }
  const begin = createSlowTimer(environment.after, (change) => update({ late: state.late + change }))
  if (!environment.isOnline()) void check()
  return {
    status,
    listen: (run) => {
      listeners.add(run)
      return () => void listeners.delete(run)
    },
    asked: () => {
      const ended = begin()
      return (outcome) => {
        ended()
        if (outcome === 'failed') void check()
        else if (outcome === 'answered' && state.silent) markAnswered()
      }
    },
    check,
    networkChanged: () => {
      update({ tries: 0 })
      void check()
    },
  }
}

/** Resolves as soon as Mishap answers; at once if it does now. */
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

/** Asks whether Mishap answers, and resolves when it does. */
export async function whenAnswers(connection: Pick<Connection, 'check' | 'status' | 'listen'>): Promise<void> {
  await connection.check()
  await whenBack(connection)
}

/** A script of the page that failed to load. Turbopack has tried it twice. */
export const isChunkError = (error: unknown): boolean => error instanceof Error && error.name === 'ChunkLoadError'

/**
 * Wraps the `import` of a part of the page, so that it waits while Mishap is away, and is tried once more. If it failed,
 * the error screen would take the place of the page although the rest of it still works.
 */
export function patientImport<T>(
  load: () => Promise<T>,
  connection: () => Pick<Connection, 'check' | 'status' | 'listen'> | undefined = () => window.mishap?.connection,
): () => Promise<T> {
  return async () => {
    for (let isLast = false; ; ) {
      try {
        return await load()
      } catch (error) {
        const watched = connection()
        if (isLast || !watched || !isChunkError(error)) throw error
        await watched.check()
        // An absence explains the failure, whichever try it was.
        isLast = isThere(watched.status())
        await whenBack(watched)
      }
    }
  }
}

type Fetch = typeof fetch

/** Envelopes of SDKs. An ad blocker can block them alone, and no person waits for them. */
const isReport = (url: string): boolean => /\/api\/\d+\/envelope\//.test(url)

/** Wraps `fetch` and reports the result of each request to `connection`. */
export function watchedFetch(fetch: Fetch, connection: Pick<Connection, 'asked'>): Fetch {
  return async (input, init) => {
    if (isReport(input instanceof Request ? input.url : String(input))) return fetch(input, init)
    const finish = connection.asked()
    try {
      const answer = await fetch(input, init)
      // A proxy answers 502 or 504 when Mishap does not answer.
      finish(answer.status === 502 || answer.status === 504 ? 'failed' : 'answered')
      return answer
    } catch (error) {
      finish(init?.signal?.aborted ? 'dropped' : 'failed')
      throw error
    }
  }
}
