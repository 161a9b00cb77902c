'use client'
import { useCallback, useEffect, useRef } from 'react'
import { systemClock } from '../../base/clock.ts'

/** Returns a function that calls `run` at once, then at most every `pauseMs`. A call during a pause runs at its end. */
export function useThrottle(pauseMs: number, run: () => void): () => void {
  const latest = useRef(run)
  latest.current = run
  const pause = useRef<{ cancel: () => void; rerun: boolean }>(undefined)
  useEffect(() => () => pause.current?.cancel(), [])
  return useCallback(() => {
    if (pause.current) {
      pause.current.rerun = true
      return
    }
    const go = () => {
      latest.current()
      const cancel = systemClock.after(pauseMs, () => {
        const { rerun } = pause.current ?? {}
        pause.current = undefined
        if (rerun) go()
      })
      pause.current = { cancel, rerun: false }
    }
    go()
  }, [pauseMs])
}
