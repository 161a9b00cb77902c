'use client'
import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef } from 'react'
import { withBase } from '../../base-path.ts'
import { jumpOf } from './terms.ts'

/**
 * Whether a short link leads anywhere. The link itself is asked, as it looks through all organizations of the person; its
 * redirect is not followed, since that would make a whole page for a yes or no.
 */
export async function leads(path: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await fetch(withBase(path), { redirect: 'manual', credentials: 'same-origin', signal })
    // A redirect that is not followed shows no status: 0.
    return answer.status < 400
  } catch {
    return false
  }
}

/**
 * Makes the way from a search text: to what it names where it is nothing but an identifier that is known, else `search`.
 * `UTF-8` and an order's number look like identifiers too. A later text takes the place of one that is still asked about.
 */
export function useJump(jumps: boolean): (text: string, search: () => void) => void {
  const router = useRouter()
  const asked = useRef<AbortController>(undefined)
  useEffect(() => () => asked.current?.abort(), [])
  return useCallback(
    (text, search) => {
      asked.current?.abort()
      const jump = jumps ? jumpOf(text) : undefined
      if (!jump) return search()
      if (jump.sure) return router.push(jump.path)
      const control = new AbortController()
      asked.current = control
      void leads(jump.path, control.signal).then((found) => {
        if (control.signal.aborted) return
        if (found) router.push(jump.path)
        else search()
      })
    },
    [jumps, router],
  )
}
