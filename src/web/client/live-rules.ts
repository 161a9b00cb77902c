import type { Clock } from '../../base/clock.ts'
import type { LiveChange } from '../../contract/live.ts'
import { backoffMs } from './backoff.ts'

/** Messages between the tabs of one browser. Only `hello` and `now` come from tabs without the connection. */
export type LiveMessage =
  | { kind: 'change'; id: number; change: LiveChange }
  | { kind: 'up'; up: boolean }
  /** A tab opened. */
  | { kind: 'hello' }
  /** The reply to `hello`: all open tabs have received the changes up to this id. */
  | { kind: 'at'; at: number; up: boolean }
  /** A person waits in this tab for the first change: open the connection at once. */
  | { kind: 'now' }

/** Parses one `change` message of the stream; undefined for anything else. */
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

/** First pause before reopening a broken stream, ms. The browser's own EventSource gives up on some responses. */
const reopenMs = 2000

/** The browser functions that a live line uses. Tests pass their own. */
export type LiveEnvironment = {
  /** Calls `run` after `ms`, or as soon as Mishap answers again. */
  again: Clock['after']
  /** Opens the server's stream after `lastId`. Returns a function that closes it. */
  open(lastId: number, on: { up(): void; message(id: string, data: string): void; down(): void }): () => void
  /** Runs `hold` while it has the lock that all tabs share. `waited`: another tab had the lock before. */
  lock(hold: (waited: boolean) => Promise<void>): void
  /** Sends to the other tabs, which call `take`. */
  post(message: LiveMessage): void
  /** Calls `run` when the page is idle. Returns a function that cancels it. */
  whenIdle(run: () => void): () => void
}

export type LiveLine = {
  take(message: LiveMessage): void
  /** Opens the stream now instead of when the page is idle, because a person waits for the first change. */
  openNow(): void
  lastId(): number
  stop(): void
}

/** Opens the stream when the page is idle or on `now`, and reopens it whenever it breaks. */
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
 * One tab's part of the organization's live stream. The tab with the lock opens the stream once its page is idle, and
 * forwards the changes to the other tabs. It starts after the last id it knows (at first `since`, from its document),
 * so no change is lost when a tab opens or closes.
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
      // Sent after our document was rendered and before this tab listened.
      if (message.at > state.lastId) hear({ kind: 'missed' }, message.at)
    }
  }
  function setUp(up: boolean): void {
    state.up = up
    heard.up(up)
  }
  function hear(change: LiveChange, id: number): void {
    // A newer tab can know more than the first ids of the stream. Ids can restart after `missed`.
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
      // Other tabs listened to the previous holder, or a person waits in this tab.
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
