import { useQuery } from '@tanstack/react-query'
import type { RestTraceFacts } from '../../../contract/explore/trace-compare.ts'
import { apiFetch } from '../../client/api.ts'

/** What the head says beside the trace itself. It comes after the trace, which does not wait for it; undefined until then. */
export function useTraceFacts(organization: string, traceId: string): RestTraceFacts | undefined {
  return useQuery({
    queryKey: ['trace-facts', organization, traceId],
    queryFn: ({ signal }) =>
      apiFetch<RestTraceFacts>(`organizations/${organization}/trace/${traceId}/facts/`, { signal }),
    staleTime: 60_000,
  }).data
}
