import { systemClock } from '../../base/clock.ts'
import { withBase, withoutBase } from '../base-path.ts'
import { createConnection, watchedFetch, whenBack } from './connection.ts'
import { createPending } from './pending.ts'

/** Concurrent prefetches. With one live stream, this leaves one of HTTP/1.1's six connections free. */
const prefetchSlots = 4
/** A navigation fails after this time without a first byte, ms. */
const routeLoadMs = 3800
const forcedKey = 'navigation-forced'

/**
 * The path and query of a page, for comparison with Next's requests. Removes `_rsc`, the hash and the base path of
 * MISHAP_URL, because Next includes the base path in some addresses only.
 */
export function pageAddress(url: URL): string {
  const copy = new URL(url)
  copy.searchParams.delete('_rsc')
  return withoutBase(copy.pathname) + copy.search
}

/** Lets `max` runs through at once; others wait in order. `leave` frees the slot, once. */
export function createGate(max: number): () => Promise<() => void> {
  const waiting: (() => void)[] = []
  let running = 0
  return async () => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** Whether links may prefetch their pages. False in data saver mode. */
export function mayPrefetch(browser: { connection?: { saveData?: boolean } }): boolean {
  return browser.connection?.saveData !== true
}

type Fetch = typeof fetch

/** The same response. Calls `ended` when its body was read to the end or cancelled. */
function withEndListener(response: Response, ended: () => void): Response {
  if (!response.body) {
    ended()
    return response
  }
  const watch = new TransformStream<Uint8Array, Uint8Array>({ flush: ended, cancel: ended } as Transformer<
    Uint8Array,
    Uint8Array
  >)
  const copy = new Response(response.body.pipeThrough(watch), response)
  // A new Response has no URL, but Next reads it to follow redirects.
  Object.defineProperty(copy, 'url', { value: response.url })
  Object.defineProperty(copy, 'redirected', { value: response.redirected })
  return copy
}

async function prefetch(run: () => Promise<Response>, enter: () => Promise<() => void>): Promise<Response> {
  const leave = await enter()
  try {
    return withEndListener(await run(), leave)
  } catch (error) {
    leave()
    throw error
  }
}

/** The browser functions that the guard uses. Tests pass their own. */
export type NavigationEnvironment = {
  fetch: Fetch
  here: () => string
  memory: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  target: () => string | undefined
  after: (ms: number, run: () => void) => () => void
  /** Resolves as soon as Mishap answers; at once if it does now. */
  whenBack: () => Promise<void>
}

/**
 * A fetch with two rules for Next's requests. At most four prefetches run at once. The request of the current
 * navigation fails after 3.8 s without headers; Next then loads the whole page. This never happens twice in a row for
 * one address. While Mishap is known to be down, navigations and refreshes wait, because Next would load the whole page,
 * which clears the screen.
 */
export function guardedFetch(environment: NavigationEnvironment): Fetch {
  const enter = createGate(prefetchSlots)
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? undefined)
    if (!headers.has('rsc') || (init?.method ?? 'GET') !== 'GET') return environment.fetch(input, init)
    if (headers.has('next-router-prefetch')) return prefetch(() => environment.fetch(input, init), enter)
    const address = pageAddress(new URL(input instanceof Request ? input.url : String(input), environment.here()))
    await environment.whenBack()
    init?.signal?.throwIfAborted()
    if (address !== environment.target()) return environment.fetch(input, init)
    if (environment.memory.getItem(forcedKey) === address) {
      const answer = await environment.fetch(input, init)
      environment.memory.removeItem(forcedKey)
      return answer
    }
    const stop = new AbortController()
    const cancel = environment.after(routeLoadMs, () => {
      environment.memory.setItem(forcedKey, address)
      stop.abort(new TypeError('route-load time-out'))
    })
    init?.signal?.addEventListener('abort', () => stop.abort(init.signal?.reason))
    try {
      const answer = await environment.fetch(input, { ...init, signal: stop.signal })
      environment.memory.removeItem(forcedKey)
      return answer
    } finally {
      cancel()
    }
  }
}

/** Wraps `fetch`; `state.running` counts requests without a response. */
export function countedFetch(fetch: Fetch, state: { running: number }): Fetch {
  return async (input, init) => {
    state.running += 1
    try {
      return await fetch(input, init)
    } finally {
      state.running -= 1
    }
  }
}

/** Time limit for the health check, ms. */
const probeMs = 5000

/** The connection of this page, which probes with the browser's own fetch. */
function connectionOf(fetch: Fetch) {
  const connection = createConnection({
    after: systemClock.after,
    isOnline: () => navigator.onLine,
    probe: () =>
      fetch(withBase('/api/health/live'), { cache: 'no-store', signal: AbortSignal.timeout(probeMs) })
        .then((answer) => answer.ok)
        .catch(() => false),
  })
  window.addEventListener('online', connection.networkChanged)
  window.addEventListener('offline', connection.networkChanged)
  return connection
}

/** Installs the guard as window.fetch, once. */
export function installNavigation(): void {
  if (window.mishap?.navigation) return
  const pending = createPending(systemClock.after)
  const navigation = { target: undefined as string | undefined, running: 0, pending }
  const nativeFetch = window.fetch.bind(window)
  const connection = connectionOf(nativeFetch)
  window.mishap = { ...window.mishap, navigation, connection }
  const guarded = guardedFetch({
    fetch: watchedFetch(nativeFetch, connection),
    here: () => location.href,
    memory: sessionStorage,
    target: () => navigation.target,
    after: systemClock.after,
    whenBack: () => whenBack(connection),
  })
  window.fetch = countedFetch(guarded, navigation)
}

/** Called when Next starts a navigation to `url`. */
export function navigationStarts(url: string): void {
  const navigation = window.mishap?.navigation
  if (!navigation) return
  navigation.target = pageAddress(new URL(url, location.href))
  navigation.pending.starts(navigation.target)
}

/** Called when the navigation is on screen. A refresh of the same page is not a route load. */
export function navigationEnds(): void {
  const navigation = window.mishap?.navigation
  if (!navigation) return
  navigation.target = undefined
  navigation.pending.ends(pageAddress(new URL(location.href)))
}
