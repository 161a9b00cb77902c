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
    if (!/^(events|issue|engine|database|missed)$/.test(change?.kind)) return undefined
    // The server sends it ahead of changes that wait for the database, without an id. The browser then repeats the last id.
    return { kind: 'change', id: change.kind === 'database' ? 0 : Number(id) || 0, change }
  } catch {
    return undefined
  }
}

/** First pause before reopening a broken stream, ms. The browser's own EventSource gives up on some responses. */
const reopenMs = 2000

/** The browser functions that a live line uses. Tests pass their own. */
export type LiveEnvironment = {
  /** Calls `run` after `ms`, or as soon as Mishap answers again. */
  scheduleRetry: Clock['after']
  /** Opens the server's stream after `lastId`. Returns a function that closes it. */
  open(lastId: number, on: { up(): void; message(id: string, data: string): void; down(): void }): () => void
  /** Runs `hold` while it has the lock that all tabs share. `waited`: another tab had the lock before. */
  lock(hold: (waited: boolean) => Promise<void>): void
  /** Sends to the other tabs, which call `receive`. */
  post(message: LiveMessage): void
  /** Calls `run` when the page is idle. Returns a function that cancels it. */
  whenIdle(run: () => void): () => void
}

export type LiveLine = {
  receive(message: LiveMessage): void
  /** Opens the stream now instead of when the page is idle, because a person waits for the first change. */
  openNow(): void
  lastId(): number
  stop(): void
}

/** Opens the stream when the page is idle or on `now`, and reopens it whenever it breaks. */
function openLater(
  environment: LiveEnvironment,
  lastId: () => number,
  broadcast: (message: LiveMessage) => void,
): { now(): void; leave(): void } {
  let isOpened = false
  let broken = 0
  let leave = environment.whenIdle(now)
  function open(): void {
    const close = environment.open(lastId(), {
      up: () => {
        broken = 0
        broadcast({ kind: 'up', up: true })
      },
      message: (id, data) => {
        const message = liveMessage(id, data)
        if (message) broadcast(message)
      },
      down: () => {
        broadcast({ kind: 'up', up: false })
        close()
        leave = environment.scheduleRetry(backoffMs(broken, reopenMs), open)
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
  listener: { change(change: LiveChange, id: number): void; up(up: boolean): void },
): LiveLine {
  const state = { lastId: since, up: true, openRequested: false, stopped: false }
  let leader: { openNow(): void; release(): void } | undefined

  function receive(message: LiveMessage): void {
    if (message.kind === 'up') setUp(message.up)
    else if (message.kind === 'change') apply(message.change, message.id)
    else if (message.kind === 'hello' && leader) environment.post({ kind: 'at', at: state.lastId, up: state.up })
    else if (message.kind === 'now') leader?.openNow()
    else if (message.kind === 'at') {
      setUp(message.up)
      // Sent after our document was rendered and before this tab listened.
      if (message.at > state.lastId) apply({ kind: 'missed' }, message.at)
    }
  }
  function setUp(up: boolean): void {
    state.up = up
    listener.up(up)
  }
  function apply(change: LiveChange, id: number): void {
    // A newer tab can know more than the first ids of the stream. Ids can restart after `missed`.
    if (id > 0 && id <= state.lastId && change.kind !== 'missed') return
    if (id > 0) state.lastId = id
    listener.change(change, id)
  }
  function broadcast(message: LiveMessage): void {
    receive(message)
    environment.post(message)
  }
  const lead = (waited: boolean) =>
    new Promise<void>((done) => {
      if (state.stopped) return done()
      const opening = openLater(environment, () => state.lastId, broadcast)
      const release = () => {
        opening.leave()
        done()
      }
      leader = { openNow: opening.now, release }
      // Other tabs listened to the previous holder, or a person waits in this tab.
      if (waited || state.openRequested) opening.now()
    })
  environment.lock(lead)
  environment.post({ kind: 'hello' })
  return {
    receive,
    openNow: () => {
      state.openRequested = true
      if (leader) leader.openNow()
      else environment.post({ kind: 'now' })
    },
    lastId: () => state.lastId,
    stop: () => {
      state.stopped = true
      leader?.release()
    },
  }
}
