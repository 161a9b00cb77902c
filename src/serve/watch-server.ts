import type { Clock } from '../base/clock.ts'
import type { EventsServer } from '../base/events-server.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import type { ServerAway } from '../store/events/server-check.ts'
import type { Child } from './supervise.ts'

type WatchOptions = {
  server: EventsServer
  clock: Clock
  observe: Observe
  /** The checks of a start. They passed if `isChecked`; otherwise they run until they pass. */
  check(): Promise<'ready' | ServerAway>
  isChecked: boolean
  /** Asks the server once. Returns why it is away, or undefined. Never throws. */
  away(): Promise<ServerAway | undefined>
  /** Called when the server becomes usable or stops being so. */
  changed(up: boolean, away: ServerAway | undefined): void
}

/** As often as an embedded engine that does not answer is asked (supervise.ts). */
const probeMs = 2000
/** A restart of the server within this many probes is no outage on the screens. */
const missesAway = 3

/**
 * Watches a ClickHouse server in place of process engine. It has no process: `pid` is undefined and `send` returns
 * false. The server counts as away after three probes without an answer, about 6 s.
 */
export function watchServer({ server, clock, observe, check, isChecked, away, changed }: WatchOptions): Child {
  const state = { up: false, misses: 0, isChecked, isProbing: false, reason: undefined as string | undefined }
  const { host } = server

  /** The checks find what a plain question does not: a missing grant, an old version. */
  async function firstAway(): Promise<ServerAway | undefined> {
    try {
      const found = await check()
      if (found === 'ready') state.isChecked = true
      return found === 'ready' ? undefined : found
    } catch (error) {
      const reason = faultOf(error)
      if (reason !== state.reason) observe.error({ host, error: reason }, 'the ClickHouse server cannot be used')
      state.reason = reason
      return 'refused'
    }
  }

  async function probe(): Promise<void> {
    // A probe can take longer than the interval.
    if (state.isProbing) return
    state.isProbing = true
    const found = await (state.isChecked ? away() : firstAway())
    state.isProbing = false
    state.misses = found ? state.misses + 1 : 0
    const isUp = found === undefined
    if (isUp === state.up || (!isUp && state.misses < missesAway)) return
    state.up = isUp
    if (found) observe.warn({ host, away: found }, 'the ClickHouse server does not answer')
    changed(isUp, found)
  }

  const cancel = clock.every(probeMs, () => void probe())
  void probe()
  return {
    send: () => false,
    up: () => state.up,
    pid: () => undefined,
    stop: async () => cancel(),
  }
}
