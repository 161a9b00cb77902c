import { systemClock } from '../../base/clock.ts'
import { withBase, withoutBase } from '../base-path.ts'
import { createConnection, watchedFetch, whenBack } from './connection.ts'

/** Prefetches in flight at once: with one live stream, HTTP/1.1's six connections still leave one free. */
const prefetchSlots = 4
/** A navigation of which nothing has arrived after this is treated as failed. */
const routeLoadMs = 3800
const forcedKey = 'navigation-forced'

/**
 * The address of a page as Next asks for it: path and query without its own parameter, without the path of MISHAP_URL
 * (which Next names here and leaves out there) and without the hash.
 */
export function pageAddress(url: URL): string {
  const copy = new URL(url)
  copy.searchParams.delete('_rsc')
  return withoutBase(copy.pathname) + copy.search
}

/** Lets `max` runs through at once; the others wait in order. Returns a function that frees the slot, once. */
export function createGate(max: number): () => Promise<() => void> {
  const waiting: (() => void)[] = []
  let running = 0
  return async () => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    let left = false
    return () => {
      if (left) return
      left = true
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** Whether links may prefetch their pages: not when the person saves data. */
export function wantsPrefetch(browser: { connection?: { saveData?: boolean } }): boolean {
  return browser.connection?.saveData !== true
}

type Fetch = typeof fetch

/** The same answer; `ended` runs when its body has been read to the end or dropped. */
function withEnd(response: Response, ended: () => void): Response {
  if (!response.body) {
    ended()
    return response
  }
  const watch = new TransformStream<Uint8Array, Uint8Array>({ flush: ended, cancel: ended } as Transformer<
    Uint8Array,
    Uint8Array
  >)
  const copy = new Response(response.body.pipeThrough(watch), response)
  // A new Response has no address; Next reads it to follow redirects.
  Object.defineProperty(copy, 'url', { value: response.url })
  Object.defineProperty(copy, 'redirected', { value: response.redirected })
  return copy
}

async function prefetch(run: () => Promise<Response>, enter: () => Promise<() => void>): Promise<Response> {
  const leave = await enter()
  try {
    return withEnd(await run(), leave)
  } catch (error) {
    leave()
    throw error
  }
}

/** What the guard needs of the browser; tests give their own. */
export type NavigationRoom = {
  fetch: Fetch
  here: () => string
  memory: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  target: () => string | undefined
  after: (ms: number, run: () => void) => () => void
  /** Resolves at once while Mishap answers, else when it does again. */
  whenBack: () => Promise<void>
}

/**
 * A fetch with two rules for Next's requests: at most four prefetches in flight, and the data of the started navigation
 * fails when no header has come after 3.8 s, upon which Next itself loads the whole page. Never twice in a row for one address.
 * While it is known that nothing answers, a navigation waits: to load the whole page would take away what is on screen.
 */
export function guardedFetch(environment: NavigationRoom): Fetch {
  const enter = createGate(prefetchSlots)
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? undefined)
    if (!headers.has('rsc') || (init?.method ?? 'GET') !== 'GET') return environment.fetch(input, init)
    if (headers.has('next-router-prefetch')) return prefetch(() => environment.fetch(input, init), enter)
    const address = pageAddress(new URL(input instanceof Request ? input.url : String(input), environment.here()))
    if (address !== environment.target()) return environment.fetch(input, init)
    await environment.whenBack()
    init?.signal?.throwIfAborted()
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

/** The same fetch; `state.running` counts the requests that have no answer yet. */
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

/** How long Mishap may take to say that it is there, ms. */
const probeMs = 5000

/** The connection of this page, over the browser's own fetch. */
function connectionOf(fetch: Fetch) {
  const connection = createConnection({
    after: systemClock.after,
    isOnline: () => navigator.onLine,
    probe: () =>
      fetch(withBase('/api/health/live'), { cache: 'no-store', signal: AbortSignal.timeout(probeMs) })
        .then((answer) => answer.ok)
        .catch(() => false),
  })
  window.addEventListener('online', connection.turned)
  window.addEventListener('offline', connection.turned)
  return connection
}

/** Puts the guard in front of the window's fetch, once. */
export function installNavigation(): void {
  if (window.mishap?.navigation) return
  const navigation = { target: undefined as string | undefined, running: 0 }
  const own = window.fetch.bind(window)
  const connection = connectionOf(own)
  window.mishap = { ...window.mishap, navigation, connection }
  const guarded = guardedFetch({
    fetch: watchedFetch(own, connection),
    here: () => location.href,
    memory: sessionStorage,
    target: () => navigation.target,
    after: systemClock.after,
    whenBack: () => whenBack(connection),
  })
  window.fetch = countedFetch(guarded, navigation)
}

/** Next starts a navigation to `url`. */
export function navigationStarts(url: string): void {
  if (window.mishap?.navigation) window.mishap.navigation.target = pageAddress(new URL(url, location.href))
}

/** The navigation is on screen. A refresh of the same page is not a route load. */
export function navigationEnds(): void {
  if (window.mishap?.navigation) window.mishap.navigation.target = undefined
}
