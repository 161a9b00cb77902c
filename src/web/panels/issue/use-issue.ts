'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import { apiFetch, isTemporary } from '../../client/api.ts'
import { backoffMs } from '../../client/backoff.ts'
import { useListParams } from '../search/use-list-params.ts'

/** The issue and the event as loaded with the document. */
export type LoadedIssue = {
  detail: RestIssueDetail | undefined
  event: RestEvent | undefined
  /** Whether the events store was unavailable. */
  isAway: boolean
}

/**
 * The issue and one of its events. Taken from the document if the store answered, else and after changes from the API.
 * `choice` selects the event: latest, first, a number or an id.
 */
export function useIssue(organization: string, issueId: string, choice: string, loaded: LoadedIssue) {
  const [params] = useListParams()
  const { range, env } = params
  const query = useMemo(
    () => ({
      ...(range.kind === 'relative'
        ? { statsPeriod: range.period }
        : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }),
      environment: env ? env.split(',') : undefined,
    }),
    [range, env],
  )
  const path = `organizations/${organization}/issues/${issueId}/`
  const queryKey = useMemo(() => ['issue', organization, issueId, query] as const, [organization, issueId, query])
  const retrying = {
    retry: (tries: number, error: Error) => isTemporary(error) && tries < 1000,
    retryDelay: (tries: number) => backoffMs(tries),
  }
  const issue = useQuery({
    queryKey,
    queryFn: ({ signal }) => apiFetch<RestIssueDetail>(path, { query, signal }),
    initialData: loaded.detail,
    staleTime: 30_000,
    ...retrying,
  })
  const event = useQuery({
    queryKey: ['issue-event', organization, issueId, choice, loaded.event?.eventID],
    queryFn: ({ signal }) => apiFetch<RestEvent>(`${path}events/${encodeURIComponent(choice)}/`, { signal }),
    initialData: loaded.event,
    enabled: loaded.isAway,
    staleTime: Number.POSITIVE_INFINITY,
    ...retrying,
  })
  return {
    params,
    query,
    queryKey,
    detail: issue.data,
    event: event.data,
    failure: issue.failureReason ?? event.failureReason,
    refetch: () => void issue.refetch(),
  }
}
