'use client'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import type { RestLogLine, TailMessage } from '../../../contract/explore/logs.ts'
import { apiUrl } from '../../client/api.ts'
import { backoffMs } from '../../client/backoff.ts'
import { emptyTail, received, type Tail } from './tail-buffer.ts'
import type { LogQuery } from './use-logs.ts'

/** Messages are shown together: a render for each of them would take the frames of a busy tail. */
const showEachMs = 200
const reopenMs = 1000

function messageOf(data: string): TailMessage | undefined {
  try {
    const message = JSON.parse(data) as TailMessage
    return message?.kind === 'lines' || message?.kind === 'gap' ? message : undefined
  } catch {
    return undefined
  }
}

/** Opens the stream and opens it again after a break. Returns the function to close it. */
function openTail(
  urlOf: (position: string) => string,
  start: string,
  on: { message(message: TailMessage): void; state(isOpen: boolean): void },
): () => void {
  let position = start
  let broken = 0
  let close = () => {}
  const open = () => {
    const source = new EventSource(urlOf(position))
    close = () => source.close()
    source.addEventListener('open', () => {
      broken = 0
      on.state(true)
    })
    source.addEventListener('tail', (event) => {
      position = event.lastEventId || position
      const message = messageOf(String(event.data))
      if (message) on.message(message)
    })
    source.addEventListener('error', () => {
      // The browser's own EventSource gives up on some answers.
      source.close()
      on.state(false)
      close = systemClock.after(backoffMs(broken, reopenMs), open)
      broken += 1
    })
  }
  open()
  return () => close()
}

/** Collects messages and passes them on together, in a frame. */
function createBatch(show: (messages: TailMessage[]) => void): { add(message: TailMessage): void; cancel(): void } {
  let pending: TailMessage[] = []
  let cancel = () => {}
  return {
    add: (message) => {
      pending.push(message)
      if (pending.length > 1) return
      cancel = systemClock.after(showEachMs, () =>
        requestAnimationFrame(() => {
          const messages = pending
          pending = []
          show(messages)
        }),
      )
    },
    cancel: () => cancel(),
  }
}

/**
 * The new lines of a search while `isOn`. `position`: where the list ends. `isPaused`: new lines wait, because the reader
 * has scrolled away from them or reads a line.
 */
export function useTail({
  organization,
  query,
  columns,
  position,
  lines,
  isOn,
  isPaused,
}: {
  organization: string
  query: LogQuery
  columns: readonly string[]
  /** '' while the list is not loaded. */
  position: string
  lines: readonly RestLogLine[]
  isOn: boolean
  isPaused: boolean
}) {
  const key = JSON.stringify([query, columns, position])
  const [state, setState] = useState<{ key: string; tail: Tail }>({ key, tail: emptyTail })
  const [isOpen, setOpen] = useState(false)
  const tail = state.key === key ? state.tail : emptyTail
  const latest = useRef({ isPaused, known: new Set<string>() })
  latest.current.isPaused = isPaused
  useEffect(() => {
    latest.current.known = new Set(lines.slice(0, 1000).map(({ id }) => id))
  }, [lines])
  useEffect(() => {
    const [asked, askedColumns, start] = JSON.parse(key) as [LogQuery, string[], string]
    if (!isOn || start === '') return
    const batch = createBatch((messages) =>
      setState((before) => ({
        key,
        tail: received(before.key === key ? before.tail : emptyTail, messages, latest.current),
      })),
    )
    const close = openTail(
      (from) => apiUrl(`organizations/${organization}/logs/tail/`, { ...asked, column: askedColumns, position: from }),
      start,
      { state: setOpen, message: batch.add },
    )
    return () => {
      batch.cancel()
      close()
      setOpen(false)
    }
  }, [organization, key, isOn])
  const resume = useCallback(
    () =>
      setState((before) =>
        before.key === key ? { key, tail: received(before.tail, [], { isPaused: false, known: new Set() }) } : before,
      ),
    [key],
  )
  useEffect(() => {
    if (!isPaused) resume()
  }, [isPaused, resume])
  return useMemo(() => ({ ...tail, isOpen }), [tail, isOpen])
}
