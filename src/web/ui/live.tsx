'use client'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { systemClock } from '../../base/clock.ts'
import type { LiveChange } from '../../contract/live.ts'
import { withBase } from '../base-path.ts'
import { isThere } from '../client/connection.ts'
import { type LiveEnvironment, type LiveLine, type LiveMessage, startLiveLine } from '../client/live-rules.ts'
import { whenIdle } from '../client/when-idle.ts'

type Listener = (change: LiveChange, id: number) => void
type Stream = {
  /** Adds a listener. Returns a function that removes it. */
  listen(listener: Listener): () => void
  openNow(): void
  /** Every change up to this id has been reported or was part of the document. */
  lastId(): number
}

const LiveStream = createContext<Stream>({ listen: () => () => {}, openNow: () => {}, lastId: () => 0 })

/**
 * The stream opens after the page was idle for this time, ms. It then reports the changes since the document. For half a
 * second only the frame may ask for something. With 1,000 the first new row of a list came 0.8 s after its event.
 */
const idle = { idleMs: 700, atMostMs: 3000 }

/** Calls `run` after `ms`, or when Mishap answers again, whichever comes first. */
function scheduleRetry(ms: number, run: () => void): () => void {
  const connection = window.mishap?.connection
  const leave = () => {
    cancel()
    stop?.()
  }
  const now = () => {
    leave()
    run()
  }
  const cancel = systemClock.after(ms, now)
  let wasAway = false
  const stop = connection?.listen(() => {
    if (!isThere(connection.status())) wasAway = true
    else if (wasAway) now()
  })
  return leave
}

/** The browser functions of a live line. They end when `signal` aborts. */
function environmentOf(organization: string, channel: BroadcastChannel, signal: AbortSignal): LiveEnvironment {
  const name = `mishap-live:${organization}`
  return {
    scheduleRetry,
    whenIdle: (run) => whenIdle(idle, run),
    post: (message) => {
      if (!signal.aborted) channel.postMessage(message)
    },
    open: (lastId, on) => {
      const source = new EventSource(
        withBase(`/api/0/organizations/${encodeURIComponent(organization)}/live/?lastEventId=${lastId || ''}`),
      )
      source.addEventListener('open', on.up)
      source.addEventListener('change', (event) => on.message(event.lastEventId, String(event.data)))
      source.addEventListener('error', () => {
        void window.mishap?.connection?.check()
        on.down()
      })
      return () => source.close()
    },
    lock: (lead) => {
      // Web Locks exist on secure origins only (https and localhost). Elsewhere each tab opens its own stream.
      if (!navigator.locks) return void lead(false)
      const run = async () => {
        const had = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
          if (lock) await lead(false)
          return lock !== null
        })
        if (!had) await navigator.locks.request(name, { signal }, () => lead(true))
      }
      run().catch(() => {
        // Aborted: the page was closed.
      })
    },
  }
}

/**
 * One EventSource per browser and organization, because HTTP/1.1 allows six connections. The tab with the Web Lock
 * opens it and forwards changes to the other tabs. `since` is the id of the newest change in the document.
 */
export function LiveProvider({
  organization,
  since,
  children,
}: {
  organization: string
  since: number
  children: ReactNode
}) {
  const listeners = useRef(new Set<Listener>())
  const line = useRef<LiveLine>(undefined)
  const first = useRef({ since, openRequested: false })
  const client = useQueryClient()
  useEffect(() => {
    const stop = new AbortController()
    const channel = new BroadcastChannel(`mishap-live:${organization}`)
    const tell: Listener = (change, id) => {
      for (const listener of listeners.current) listener(change, id)
      // While Mishap starts or a store is away, it answers with errors, and no other retry would follow.
      if ('up' in change && change.up)
        void client.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' })
    }
    let wasUp = true
    const mine = startLiveLine(environmentOf(organization, channel, stop.signal), first.current.since, {
      change: tell,
      up: (up) => {
        // Mishap opens a stream only while its database answers.
        if (up && !wasUp) tell({ kind: 'database', up: true }, 0)
        wasUp = up
      },
    })
    line.current = mine
    channel.addEventListener('message', (event) => mine.receive(event.data as LiveMessage))
    if (first.current.openRequested) mine.openNow()
    return () => {
      stop.abort()
      mine.stop()
      channel.close()
    }
  }, [organization, client])
  const stream = useMemo<Stream>(
    () => ({
      listen: (listener) => {
        listeners.current.add(listener)
        return () => listeners.current.delete(listener)
      },
      // Effects of the screens run before the provider's own.
      openNow: () => {
        first.current.openRequested = true
        line.current?.openNow()
      },
      lastId: () => line.current?.lastId() ?? first.current.since,
    }),
    [],
  )
  return <LiveStream value={stream}>{children}</LiveStream>
}

/**
 * Calls `listener` with each change of this organization and its id while mounted. `atOnce` opens the stream without
 * waiting for an idle page, because the person watches from the first second.
 */
export function useLive(listener: Listener, atOnce = false): void {
  const { listen, openNow } = useContext(LiveStream)
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => listen((change, id) => latest.current(change, id)), [listen])
  useEffect(() => {
    if (atOnce) openNow()
  }, [atOnce, openNow])
}

/** Returns a function for the id of the last reported change. A document that is at least as new needs no refetch. */
export const useLiveId = (): (() => number) => useContext(LiveStream).lastId
