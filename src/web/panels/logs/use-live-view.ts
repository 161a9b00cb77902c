'use client'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { RestDroppedLines, RestLogLine } from '../../../contract/explore/logs.ts'
import type { Gap } from './items.ts'
import { useTail } from './use-tail.ts'

/** The page is scrolled away from the newest line. */
const scrolledPx = 60

/** Whether the reader has scrolled down, which pauses the live view. */
export function useScrolled(isOn: boolean): boolean {
  const [isScrolled, setScrolled] = useState(false)
  useEffect(() => {
    if (!isOn) return setScrolled(false)
    const update = () => setScrolled(window.scrollY > scrolledPx)
    update()
    window.addEventListener('scroll', update, { passive: true })
    return () => window.removeEventListener('scroll', update)
  }, [isOn])
  return isScrolled
}

const gapsOf = (dropped: readonly RestDroppedLines[]): Gap[] =>
  dropped.map(({ from, to, count, projectID }) => ({
    id: `dropped ${from} ${projectID}`,
    count,
    reason: 'dropped',
    at: to,
    hour: { fromMs: Date.parse(from), toMs: Date.parse(to) },
  }))

/**
 * The lines of the list with those of the live tail before them, and the gaps among them. The tail pauses while the
 * reader has scrolled or reads an open line.
 */
export function useLiveView({
  isOn,
  openId,
  dropped,
  close,
  ...asked
}: Omit<Parameters<typeof useTail>[0], 'isPaused'> & {
  openId: string
  dropped: readonly RestDroppedLines[]
  /** Closes the open line. */
  close: () => void
}) {
  const isPaused = useScrolled(isOn) || (isOn && openId !== '')
  const tail = useTail({ ...asked, isOn, isPaused })
  const { lines: older } = asked
  const lines = useMemo((): readonly RestLogLine[] => {
    if (tail.lines.length === 0) return older
    const ids = new Set(tail.lines.map(({ id }) => id))
    return [...tail.lines, ...older.filter(({ id }) => !ids.has(id))]
  }, [tail.lines, older])
  const gaps = useMemo(() => [...tail.gaps, ...gapsOf(dropped)], [tail.gaps, dropped])
  const resume = useCallback(() => {
    close()
    window.scrollTo({ top: 0 })
  }, [close])
  return { lines, gaps, waiting: tail.waitingCount, isPaused, isOpen: tail.isOpen, resume }
}
