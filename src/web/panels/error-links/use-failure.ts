'use client'
import { useQuery } from '@tanstack/react-query'
import type { RestFailure } from '../../../contract/error-links.ts'
import type { RestEvent } from '../../../contract/events.ts'
import { apiFetch } from '../../client/api.ts'
import { useAtMostEach } from '../../ui/at-most.ts'
import { useLive } from '../../ui/live.tsx'

/** A link is looked for within a second or two of the event, ms. */
const waitingMs = 2000
/** In a busy organization issues change all the time: the event is asked for at most this often, ms. */
const pauseMs = 2000

/**
 * What an event has to do with a hidden server error, kept up to date: a link comes a second after its later side, and the
 * server's issue is told as changed then.
 */
export function useFailure(
  organization: string,
  issueId: string,
  { eventID, failure }: Pick<RestEvent, 'eventID' | 'failure'>,
): RestFailure | null {
  const path = `organizations/${organization}/issues/${issueId}/events/${eventID}/`
  const asked = useQuery({
    queryKey: ['event-failure', path],
    queryFn: async ({ signal }) => (await apiFetch<RestEvent>(path, { signal })).failure,
    initialData: failure,
    enabled: failure !== null,
    staleTime: Number.POSITIVE_INFINITY,
    // The document of the next visit knows more than what was asked here.
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.alone === 'waiting' ? waitingMs : false),
  })
  const known = failure === null ? null : (asked.data ?? failure)
  const ask = useAtMostEach(pauseMs, () => void asked.refetch())
  useLive((change) => {
    if (known === null || (change.kind !== 'issue' && change.kind !== 'missed')) return
    const isMine = change.kind === 'missed' || change.id === issueId
    // Which issue a browser event will belong to nobody knows before.
    if (known.side === 'server' ? isMine : known.server === null || isMine) ask()
  })
  return known
}
