'use client'
import { useQuery } from '@tanstack/react-query'
import type { RestAnnotations } from '../../../contract/releases.ts'
import { type Answered, dataFor } from '../../client/answered.ts'
import { apiFetch } from '../../client/api.ts'
import type { AnnotationsQuery } from './annotations.ts'

/** Annotations change with each release. After this time a return to the page fetches them again, ms. */
const staleMs = 5 * 60_000

/** Releases and deploys for charts. Undefined until loaded: charts do not wait for them. */
export function useAnnotations(
  organization: string,
  query: AnnotationsQuery,
  preloaded: Answered<RestAnnotations> | undefined,
): RestAnnotations | undefined {
  const initialData = dataFor(preloaded, query)
  const { data } = useQuery({
    queryKey: ['marks', organization, query],
    queryFn: ({ signal }) =>
      apiFetch<RestAnnotations>(`organizations/${organization}/release-marks/`, { query, signal }),
    ...(initialData ? { initialData } : {}),
    staleTime: staleMs,
    retry: false,
  })
  return data
}
