'use client'
import { useEffect } from 'react'
import { systemClock } from '../../../base/clock.ts'
import { putIssues } from './change.ts'

/** An open issue counts as seen after this time, ms. A shorter visit only passes by. */
const seenAfterMs = 1_000

/** Marks the issue as seen by the person. The browser does it, because the server also renders prefetched pages. */
export function useMarkSeen(organization: string, issueId: string, hasSeen: boolean): void {
  useEffect(() => {
    if (hasSeen) return
    return systemClock.after(seenAfterMs, () => {
      // Failures need no handling: the next visit tries again.
      void putIssues(organization, [issueId], { hasSeen: true }).catch(() => {})
    })
  }, [organization, issueId, hasSeen])
}
