'use client'
import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect } from 'react'
import { systemClock } from '../../base/clock.ts'
import { navigationEnds } from '../client/nav.ts'
import { markStarted } from '../client/report.ts'
import { replayEarlyInput } from './forms/kept-form.ts'

/** Reports to the boot script that the page's scripts run, and to the navigation guard that the page is on screen. */
export function Hydrated() {
  const path = usePathname()
  const search = useSearchParams()
  useEffect(() => {
    window.mishap = { ...window.mishap, hydrated: true }
    sessionStorage.removeItem('boot-reloaded')
    document.getElementById('boot-error')?.remove()
    // After the page's effects, so that its forms listen.
    const cancel = systemClock.after(0, () => replayEarlyInput())
    return () => cancel()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each navigation
  useEffect(() => {
    navigationEnds()
    const cancel = systemClock.after(2000, markStarted)
    return () => cancel()
  }, [path, search])
  return null
}
