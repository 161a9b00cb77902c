import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { JournalWriter } from '../journal/journal.ts'
import { readingMs } from './readers.ts'

/** A report to somebody who reads comes so long after the sync at the latest, ms: 700 syncs/s are 50 reports. */
const readMs = 20
/**
 * Time between two reports while nobody reads, ms: refine waits for seconds then. At 100 events/s, 5 reports/s instead of 50
 * save 0.015 of a core in both processes.
 */
const idleMs = 200
/** A report comes at once when the journal has grown by so many bytes: refine waits no longer for half of a batch. */
const bytesMax = 1024 * 1024
/** App must know that nothing came, too. */
const stillMs = 1000

/** When process main tells process app where the journal ends. */
export type DurableReports = {
  /** A request goes to process app, and what came before it is reported. It ends with its answer or its connection. */
  reading(req: Pick<IncomingMessage, 'socket'>, res: Pick<ServerResponse, 'once'>): void
  stop(): void
}

/** Creates the reports. `onDurable`: of the journal (journal.ts). `send` sends one. */
export function createDurableReports(
  clock: Clock,
  onDurable: JournalWriter['onDurable'],
  send: () => void,
): DurableReports {
  /** Open requests by connection. An answer behind another one on a connection that ends has no end of its own. */
  const open = new Map<Socket, number>()
  const watched = new WeakSet<Socket>()
  let readAtMs = Number.NEGATIVE_INFINITY
  let sentMs = Number.NEGATIVE_INFINITY
  let sentTo = 0
  let reached = 0
  let cancel: (() => void) | undefined

  // The absolute difference: a clock that was set back must not make reports rare for hours.
  const isWithin = (sinceMs: number, ms: number) => Math.abs(clock.now() - sinceMs) < ms
  const isRead = () => open.size > 0 || isWithin(readAtMs, readingMs)

  function report(): void {
    cancel?.()
    cancel = undefined
    sentMs = clock.now()
    sentTo = reached
    send()
  }

  const stopStill = clock.every(stillMs, report)
  const unsubscribe = onDurable((position) => {
    reached = position
    if (reached - sentTo >= bytesMax) report()
    // The first report after a pause is not late: refine begins with it.
    else cancel ??= clock.after(isRead() || !isWithin(sentMs, idleMs) ? readMs : idleMs, report)
  })
  return {
    reading: ({ socket }, res) => {
      readAtMs = clock.now()
      open.set(socket, (open.get(socket) ?? 0) + 1)
      const end = (left: number) => {
        if (left > 0) open.set(socket, left)
        else open.delete(socket)
        readAtMs = clock.now()
      }
      res.once('close', () => end((open.get(socket) ?? 0) - 1))
      if (!watched.has(socket)) socket.once('close', () => end(0))
      watched.add(socket)
      if (cancel) report()
    },
    stop: () => {
      unsubscribe()
      stopStill()
      cancel?.()
    },
  }
}
