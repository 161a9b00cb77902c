import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { RestIssueCounts } from '../../../contract/search.ts'
import { apiFetch } from '../../client/api.ts'
import { whenIdle } from '../../client/when-idle.ts'
import { useLive } from '../../ui/live.tsx'
import { useThrottle } from '../../ui/throttle.ts'

/** Counts load after the page was idle for this time, so that they never delay the rows, ms. */
const idle = { idleMs: 300, atMostMs: 3000 }
const pollMs = 60_000
/** The server shares results for 20 s, so a shorter pause would only repeat them. */
const changePauseMs = 20_000

/** The numbers beside projects, views and feedback. Undefined before the first paint and without an answer. */
export function useCounts(organization: string): RestIssueCounts | undefined {
  const [isIdle, setIdle] = useState(false)
  useEffect(() => whenIdle(idle, () => setIdle(true)), [])
  const { data, refetch } = useQuery({
    queryKey: ['issue-counts', organization],
    queryFn: ({ signal }) => apiFetch<RestIssueCounts>(`organizations/${organization}/issue-counts/`, { signal }),
    enabled: isIdle,
    staleTime: changePauseMs,
    refetchInterval: pollMs,
    retry: false,
  })
  const renew = useThrottle(changePauseMs, () => void refetch())
  useLive((change) => {
    const isNew =
      change.kind === 'events' && change.projects.some((project) => project.issues.some((issue) => issue.isNew))
    if (isIdle && (isNew || change.kind === 'issue' || change.kind === 'missed')) renew()
  })
  return data
}
