import { useEffect, useState } from 'react'
import { systemClock } from '../../../base/clock.ts'

/** A pause in typing before the server is asked, ms. */
const pauseMs = 400

/** The value once it has not changed for a while. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => systemClock.after(pauseMs, () => setSettled(value)), [value])
  return settled
}
