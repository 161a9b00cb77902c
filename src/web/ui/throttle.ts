'use client'
import { useCallback, useEffect, useRef } from 'react'
import { systemClock } from '../../base/clock.ts'

/** Returns a function that calls `run` at once, then at most every `pauseMs`. A call during a pause runs at its end. */
export function useThrottle(pauseMs: number, run: () => void): () => void {
  const latest = useRef(run)
  latest.current = run
  const pause = useRef<{ end: () => void; again: boolean }>(undefined)
  useEffect(() => () => pause.current?.end(), [])
  return useCallback(() => {
    if (pause.current) {
      pause.current.again = true
      return
    }
    const go = () => {
      latest.current()
      const end = systemClock.after(pauseMs, () => {
        const { again } = pause.current ?? {}
        pause.current = undefined
        if (again) go()
      })
      pause.current = { end, again: false }
    }
    go()
  }, [pauseMs])
}
