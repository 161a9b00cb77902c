import type { Clock } from '../../base/clock.ts'
import type { LiveChange } from '../../contract/live.ts'
import { backoffMs } from './backoff.ts'

/** What the tabs of one browser tell each other. All but `hello` and `now` come from the tab that holds the connection. */
export type LiveMessage =
  | { kind: 'change'; id: number; change: LiveChange }
  | { kind: 'up'; up: boolean }
  /** A tab came. */
  | { kind: 'hello' }
  /** The answer to it: every open tab has got the changes up to this id. */
  | { kind: 'at'; at: number; up: boolean }
  /** A tab in which somebody waits for the first change: the connection is opened at once. */
  | { kind: 'now' }

/** Reads one `change` message of the stream, or returns undefined for anything else. */
export function liveMessage(id: string, data: string): (LiveMessage & { kind: 'change' }) | undefined {
  try {
    const change = JSON.parse(data) as LiveChange
    if (typeof change !== 'object' || change === null || !['events', 'issue', 'engine', 'missed'].includes(change.kind))
      return undefined
    return { kind: 'change', id: Number(id) || 0, change }
  } catch {
    return undefined
  }
}

/** First pause before a broken stream is opened again, ms; the browser's own EventSource gives up on some answers. */
const reopenMs = 2000

/** What a live line needs of the browser; tests give their own. */
export type LiveEnvironment = {
  /** Runs `run` after `ms`, or as soon as Mishap answers again. */
  again: Clock['after']
  /** Opens the server's stream after `lastId`. Returns a function that closes it. */
  open(lastId: number, on: { up(): void; message(id: string, data: string): void; down(): void }): () => void
  /** Runs `hold` while no other tab runs its own `hold`. `waited`: another tab did at first. */
  lock(hold: (waited: boolean) => Promise<void>): void
  /** To the other tabs, which `take` it. */
  post(message: LiveMessage): void
  /** Runs `run` when the page is idle. Returns a function that cancels it. */
  whenIdle(run: () => void): () => void
}

export type LiveLine = {
  take(message: LiveMessage): void
  /** Opens the stream at once, without waiting for an idle page: somebody waits for the first change. */
  openNow(): void
  lastId(): number
  stop(): void
}

/** Opens the stream when the page is idle, or `now`, and again whenever it breaks. */
function openLater(
  environment: LiveEnvironment,
  lastId: () => number,
  tell: (message: LiveMessage) => void,
): { now(): void; leave(): void } {
  let isOpened = false
  let broken = 0
  let leave = environment.whenIdle(now)
  function open(): void {
    const close = environment.open(lastId(), {
      up: () => {
        broken = 0
        tell({ kind: 'up', up: true })
      },
      message: (id, data) => {
        const message = liveMessage(id, data)
        if (message) tell(message)
      },
      down: () => {
        tell({ kind: 'up', up: false })
        close()
        leave = environment.again(backoffMs(broken, reopenMs), open)
        broken += 1
      },
    })
    leave = close
  }
  function now(): void {
    if (isOpened) return
    isOpened = true
    leave()
    open()
  }
  return {
    now,
    leave: () => {
      isOpened = true
      leave()
    },
  }
}

/**
 * One tab's part in the live stream of an organization. The tab with the lock opens the stream behind the last id it
 * knows (at first `since`, the one of its document) once its page is idle, and tells the others, so that nothing is
 * missed when a tab opens or closes.
 */
export function startLiveLine(
  environment: LiveEnvironment,
  since: number,
  heard: { change(change: LiveChange, id: number): void; up(up: boolean): void },
): LiveLine {
  const state = { lastId: since, up: true, wanted: false, stopped: false }
  let held: { openNow(): void; end(): void } | undefined

  function take(message: LiveMessage): void {
    if (message.kind === 'up') setUp(message.up)
    else if (message.kind === 'change') hear(message.change, message.id)
    else if (message.kind === 'hello' && held) environment.post({ kind: 'at', at: state.lastId, up: state.up })
    else if (message.kind === 'now') held?.openNow()
    else if (message.kind === 'at') {
      setUp(message.up)
      // reported before we listened, after our document was made
      if (message.at > state.lastId) hear({ kind: 'missed' }, message.at)
    }
  }
  function setUp(up: boolean): void {
    state.up = up
    heard.up(up)
  }
  function hear(change: LiveChange, id: number): void {
    // A tab that came later than the holder knows more than the holder's first ids. After `missed` ids may begin anew.
    if (id > 0 && id <= state.lastId && change.kind !== 'missed') return
    if (id > 0) state.lastId = id
    heard.change(change, id)
  }
  function tell(message: LiveMessage): void {
    take(message)
    environment.post(message)
  }
  const hold = (waited: boolean) =>
    new Promise<void>((done) => {
      if (state.stopped) return done()
      const opening = openLater(environment, () => state.lastId, tell)
      const end = () => {
        opening.leave()
        done()
      }
      held = { openNow: opening.now, end }
      // Other tabs have been listening to the one before us, or somebody waits here.
      if (waited || state.wanted) opening.now()
    })
  environment.lock(hold)
  environment.post({ kind: 'hello' })
  return {
    take,
    openNow: () => {
      state.wanted = true
      if (held) held.openNow()
      else environment.post({ kind: 'now' })
    },
    lastId: () => state.lastId,
    stop: () => {
      state.stopped = true
      held?.end()
    },
  }
}
