'use client'
import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef } from 'react'
import { withBase } from '../../base-path.ts'
import { jumpOf } from './terms.ts'

/**
 * Whether a short link leads to a page. Requests the link itself, because it searches all organizations of the person.
 * Does not follow the redirect: that would render a whole page for a yes or no.
 */
export async function leads(path: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(withBase(path), { redirect: 'manual', credentials: 'same-origin', signal })
    // An unfollowed redirect has status 0.
    return answer.status < 400
  } catch {
    return false
  }
}

/**
 * Opens the page that a lone identifier names if it exists, else calls `search`: `UTF-8` and order numbers look like
 * identifiers too. A later text cancels a pending check.
 */
export function useJump(jumps: boolean): (text: string, search: () => void) => void {
  const router = useRouter()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  return useCallback(
    (text, search) => {
      controller.current?.abort()
      const jump = jumps ? jumpOf(text) : undefined
      if (!jump) return search()
      if (jump.isSure) return router.push(jump.path)
      const control = new AbortController()
      controller.current = control
      void leads(jump.path, control.signal).then((found) => {
        if (control.signal.aborted) return
        if (found) router.push(jump.path)
        else search()
      })
    },
    [jumps, router],
  )
}
