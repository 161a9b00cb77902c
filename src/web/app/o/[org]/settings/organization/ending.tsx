'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import type { RestRemoval } from '../../../../../../contract/removals.ts'
import { withBase } from '../../../../../base-path.ts'
import { apiFetch } from '../../../../../client/api.ts'

/** Pause between two looks, ms. */
const pollMs = 1000

/** An organization on its way out: looks until it is gone, then goes to the front door, which knows what is left. */
export function OrganizationEnding({ removal }: { removal: number }) {
  const t = useTranslations('people')
  const { data } = useQuery({
    queryKey: ['own-removals'],
    queryFn: ({ signal }) => apiFetch<RestRemoval[]>('users/me/removals/', { signal }),
    refetchInterval: pollMs,
  })
  const gone = data?.some((item) => item.id === String(removal) && item.stage !== 'asked') ?? false
  useEffect(() => {
    // A load of its own: everything that the screens keep is of an organization that is no more.
    if (gone) location.assign(withBase('/'))
  }, [gone])
  return (
    <section className="mt-10" role="status">
      <h2 className="mb-2">{t('endingTitle')}</h2>
      <p className="text-ink-2">{t('endingHint')}</p>
    </section>
  )
}
