'use client'
import { useQuery } from '@tanstack/react-query'
import type { RestBackTest } from '../../../contract/alerts/alerts-back-test.ts'
import { apiFetch, isTemporary } from '../../client/api.ts'
import { useSettled } from '../../ui/use-settled.ts'
import type { Mark } from './back-test/noise.ts'
import { bodyOf, type RuleDraft } from './draft.ts'

/** A pause in typing before the rule is tested, ms. A back-test reads 14 days. */
const pauseMs = 400

export type Days = 1 | 14

/** What the rule as it is in the form would have done. `noise`: firings that nobody wants. */
export function useBackTest(
  organization: string,
  draft: RuleDraft,
  { days, noise, enabled }: { days: Days; noise: readonly Mark[]; enabled: boolean },
) {
  // Name, receivers' pause and the like change no firing, but the interval changes the counts of messages.
  const body = useSettled(JSON.stringify({ rule: { ...bodyOf(draft), name: 'back-test' }, days, noise }), pauseMs)
  return useQuery({
    queryKey: ['back-test', organization, body],
    queryFn: ({ signal }) =>
      apiFetch<RestBackTest>(`organizations/${organization}/alerts/back-test/`, {
        method: 'POST',
        body: JSON.parse(body) as unknown,
        signal,
      }),
    enabled,
    staleTime: 60_000,
    retry: (count, error) => isTemporary(error) && count < 2,
  })
}
