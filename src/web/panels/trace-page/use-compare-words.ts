'use client'
import { useLocale } from 'next-intl'
import { useMemo } from 'react'
import { durationText } from '../../ui/relative.ts'

/** Numbers of a comparison in the reader's language. */
export function useCompareWords() {
  const locale = useLocale()
  return useMemo(() => {
    const three = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3, useGrouping: false })
    return { duration: (ms: number) => durationText(ms, locale, (value) => three.format(value)) }
  }, [locale])
}
