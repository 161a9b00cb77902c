'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo } from 'react'
import { useAge, useNow } from '../../ui/time.tsx'

/** Texts for all rows. Called once per list: hooks in each row would cost more than its elements. */
export function useRowWords() {
  const t = useTranslations('issues')
  const row = useTranslations('rows')
  const priority = useTranslations('triage.priority')
  const badge = useTranslations('issues.badge')
  const noise = useTranslations('noise')
  const level = useTranslations('level')
  const locale = useLocale()
  const age = useAge()
  const now = useNow()
  // `age` is a new function at each render, but its results change only with `now`.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(
    () => ({
      t,
      row,
      badge,
      noise,
      level,
      age,
      priority: { high: priority('high'), medium: priority('medium'), low: priority('low') },
      number: new Intl.NumberFormat(locale),
      unassigned: t('unassigned'),
      seenFirst: t('seen.first'),
      seenLast: t('seen.last'),
    }),
    [t, row, priority, badge, noise, level, locale, now],
  )
}

export type RowWords = ReturnType<typeof useRowWords>
