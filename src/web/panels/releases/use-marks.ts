'use client'
import { useQuery } from '@tanstack/react-query'
import type { RestMarks } from '../../../contract/releases.ts'
import { apiFetch } from '../../client/api.ts'
import type { GivenMarks, MarksQuery } from './mark-groups.ts'

/** Marks change when somebody releases: asked for again when the person comes back to the page after this, ms. */
const staleMs = 5 * 60_000

/** Releases and deploys for charts; undefined until they are known: a chart does not wait for them. */
export function useReleaseMarks(
  organization: string,
  query: MarksQuery,
  given: GivenMarks | undefined,
): RestMarks | undefined {
  const { data } = useQuery({
    queryKey: ['marks', organization, query],
    queryFn: ({ signal }) => apiFetch<RestMarks>(`organizations/${organization}/release-marks/`, { query, signal }),
    ...(given && given.key === JSON.stringify(query) ? { initialData: given.marks } : {}),
    staleTime: staleMs,
    retry: false,
  })
  return data
}
