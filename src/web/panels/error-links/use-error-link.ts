'use client'
import { useQuery } from '@tanstack/react-query'
import type { RestErrorLink } from '../../../contract/error-links.ts'
import type { RestEvent } from '../../../contract/events.ts'
import { apiFetch } from '../../client/api.ts'
import { useLive } from '../../ui/live.tsx'
import { useThrottle } from '../../ui/throttle.ts'

/** The job links events within a second or two; poll this often, ms. */
const waitingMs = 2000
/** In a busy organization issues change all the time. Fetch the event at most this often, ms. */
const pauseMs = 2000

/**
 * The error link of an event, kept up to date. The link arrives a second after the later of its two events, and the
 * live stream then reports a change of the server's issue.
 */
export function useErrorLink(
  organization: string,
  issueId: string,
  { eventID, failure }: Pick<RestEvent, 'eventID' | 'failure'>,
): RestErrorLink | null {
  const path = `organizations/${organization}/issues/${issueId}/events/${eventID}/`
  const query = useQuery({
    queryKey: ['event-failure', path],
    queryFn: async ({ signal }) => (await apiFetch<RestEvent>(path, { signal })).failure,
    initialData: failure,
    enabled: failure !== null,
    staleTime: Number.POSITIVE_INFINITY,
    // The document of the next visit has a newer answer.
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.alone === 'waiting' ? waitingMs : false),
  })
  const link = failure === null ? null : (query.data ?? failure)
  // Several panels ask for the same event. With `cancelRefetch: false` they share one request.
  const refetch = useThrottle(pauseMs, () => void query.refetch({ cancelRefetch: false }))
  useLive((change) => {
    if (link === null || (change.kind !== 'issue' && change.kind !== 'missed')) return
    const isMine = change.kind === 'missed' || change.id === issueId
    // The issue of a future browser event is unknown.
    if (link.side === 'server' ? isMine : link.server === null || isMine) refetch()
  })
  return link
}
