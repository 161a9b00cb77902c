'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import type { RestRemoval } from '../../../../../../contract/removals.ts'
import { withBase } from '../../../../../base-path.ts'
import { apiFetch } from '../../../../../client/api.ts'

/** Polling interval, ms. */
const pollMs = 1000

/** Shown while an organization is being deleted. Polls until it is gone, then opens `/`. */
export function OrganizationEnding({ removal }: { removal: number }) {
  const t = useTranslations('people')
  const { data } = useQuery({
    queryKey: ['own-removals'],
    queryFn: ({ signal }) => apiFetch<RestRemoval[]>('users/me/removals/', { signal }),
    refetchInterval: pollMs,
  })
  const isConfirmed =
    data?.some((candidate) => candidate.id === String(removal) && candidate.stage !== 'asked') ?? false
  useEffect(() => {
    // A full page load, because all client state belongs to the deleted organization.
    if (isConfirmed) location.assign(withBase('/'))
  }, [isConfirmed])
  return (
    <section className="mt-10" role="status">
      <h2 className="mb-2">{t('endingTitle')}</h2>
      <p className="text-ink-2">{t('endingHint')}</p>
    </section>
  )
}
