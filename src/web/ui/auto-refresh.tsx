'use client'
import { useRouter } from 'next/navigation'
import { useEffect, useTransition } from 'react'

/** Pause between two looks, ms. */
const pauseMs = 2000

/** While it is drawn the page is asked for again, so that what is under way on it comes to its end before people's eyes. */
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
