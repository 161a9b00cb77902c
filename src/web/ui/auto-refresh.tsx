'use client'
import { useRouter } from 'next/navigation'
import { useEffect, useTransition } from 'react'

/** Pause between two refreshes, ms. */
const pauseMs = 2000

/** Refreshes the page while mounted, so that people see when work in progress ends. */
export function AutoRefresh() {
  const router = useRouter()
  const [pending, start] = useTransition()
  useEffect(() => {
    if (pending) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') start(() => router.refresh())
    }, pauseMs)
    return () => clearInterval(timer)
  }, [pending, router])
  return null
}
