'use client'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { systemClock } from '../../clock.ts'
import type { LiveChange } from '../../protocol/rest.ts'
import { type LiveMessage, liveMessage } from '../live-rules.ts'

type Listener = (change: LiveChange) => void
type Stream = { listen(listener: Listener): () => void; up: boolean }

const LiveStream = createContext<Stream>({ listen: () => () => {}, up: true })

/** Pause before a broken stream is opened again, ms; the browser's own EventSource gives up on some answers. */
const reopenMs = 2000

/**
 * Holds the one connection of this browser while the lock is ours; ends when `signal` aborts.
 * A new holder goes on after `lastId()`, so nothing is missed when a tab closes.
 */
function hold(
  organization: string,
  lastId: () => number,
  tell: (message: LiveMessage) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource | undefined
    let cancel = () => {}
    const open = () => {
      source = new EventSource(
        `/api/0/organizations/${encodeURIComponent(organization)}/live/?lastEventId=${lastId() || ''}`,
      )
      source.addEventListener('open', () => tell({ up: true }))
      source.addEventListener('change', (event) => {
        const message = liveMessage(event.lastEventId, String(event.data))
        if (message) tell(message)
      })
      source.addEventListener('error', () => {
        tell({ up: false })
        source?.close()
        cancel = systemClock.after(reopenMs, open)
      })
    }
    open()
    signal.addEventListener('abort', () => {
      cancel()
      source?.close()
      resolve()
    })
  })
}

/** One EventSource per browser and organization: HTTP/1.1 allows six connections, so one tab holds it (Web Lock) and tells the others. */
export function LiveProvider({ organization, children }: { organization: string; children: ReactNode }) {
  const listeners = useRef(new Set<Listener>())
  const lastId = useRef(0)
  const [up, setUp] = useState(true)
  useEffect(() => {
    const stop = new AbortController()
    const name = `mishap-live:${organization}`
    const channel = 'BroadcastChannel' in window ? new BroadcastChannel(name) : undefined
    const take = (message: LiveMessage) => {
      if ('up' in message) return setUp(message.up)
      if (message.id) lastId.current = message.id
      for (const listener of listeners.current) listener(message.change)
    }
    const tell = (message: LiveMessage) => {
      take(message)
      channel?.postMessage(message)
    }
    channel?.addEventListener('message', (event) => take(event.data as LiveMessage))
    const run = () => hold(organization, () => lastId.current, tell, stop.signal)
    // Web Locks exist on secure origins only (https and localhost): elsewhere each tab holds its own.
    if (navigator.locks) navigator.locks.request(name, { signal: stop.signal }, run).catch(() => {})
    else void run()
    return () => {
      stop.abort()
      channel?.close()
    }
  }, [organization])
  const stream = useMemo<Stream>(
    () => ({
      up,
      listen: (listener) => {
        listeners.current.add(listener)
        return () => listeners.current.delete(listener)
      },
    }),
    [up],
  )
  return <LiveStream value={stream}>{children}</LiveStream>
}

/** Calls `listener` with every change that a commit made in this organization, while mounted. */
export function useLive(listener: Listener): void {
  const { listen } = useContext(LiveStream)
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => listen((change) => latest.current(change)), [listen])
}

/** Whether the live stream is connected. */
export const useLiveUp = (): boolean => useContext(LiveStream).up
