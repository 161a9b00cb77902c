'use client'
import { useEffect } from 'react'
import { systemClock } from '../../../base/clock.ts'
import { putIssues } from './change.ts'

/** After this an issue that is open counts as looked at, ms: not one that was only passed by. */
const lookMs = 1_000

/** Notes that the person has looked at the issue; not from the server, which renders pages that are only prefetched, too. */
export function useMarkSeen(organization: string, issueId: string, hasSeen: boolean): void {
  useEffect(() => {
    if (hasSeen) return
    return systemClock.after(lookMs, () => {
      // Nobody waits for it, and the next visit tries again.
      void putIssues(organization, [issueId], { hasSeen: true }).catch(() => {})
    })
  }, [organization, issueId, hasSeen])
}
