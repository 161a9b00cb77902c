import { useEffect, useState } from 'react'
import { systemClock } from '../../base/clock.ts'

/** The value once it has not changed for `pauseMs`, so that the server is not asked for each key. */
export function useSettled(value: string, pauseMs: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => systemClock.after(pauseMs, () => setSettled(value)), [value, pauseMs])
  return settled
}
