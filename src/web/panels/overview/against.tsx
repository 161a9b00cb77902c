'use client'
import { useTranslations } from 'next-intl'
import type { RestOverview } from '../../../contract/overview.ts'
import { useTimeText } from '../../ui/time.tsx'

/** The range that changes are compared with. */
export function Against({ overview }: { overview: RestOverview }) {
  const t = useTranslations('overview')
  const { text } = useTimeText()
  const day = (time: string) => text(Date.parse(time), 'shortDay')
  return (
    <p className="overview-against">{t('against', { from: day(overview.previousStart), to: day(overview.start) })}</p>
  )
}
