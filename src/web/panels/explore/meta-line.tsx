'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { PlanAnswer } from '../../../contract/explore/explore.ts'
import { measureText } from '../../ui/measure.ts'
import { Time } from '../../ui/time.tsx'

/** What an answer is about: its range, what was read, whether counts are extrapolated, and what it leaves out. */
export function MetaLine({ about }: { about: PlanAnswer['meta'] }) {
  const t = useTranslations('explore.meta')
  const locale = useLocale()
  const measure = measureText(locale)
  const number = new Intl.NumberFormat(locale)
  return (
    <div className="explore-meta">
      {about.partial ? (
        <p role="status" className="explore-partial">
          <strong>{t('partial')}</strong> {t(`reasons.${about.partial.reason}`)} {t('since')}{' '}
          <Time at={about.scannedFromMs} form="minute" />
        </p>
      ) : null}
      {about.beforeStored === false ? (
        <p role="status" className="explore-partial">
          {t('notStored')}
        </p>
      ) : null}
      <p>
        <Time at={about.fromMs} form="minute" /> – <Time at={about.toMs} form="minute" />
        {' · '}
        {t('read', {
          rows: number.format(about.rowsRead),
          bytes: measure(about.bytesRead, 'byte'),
          time: measure(about.elapsedMs, 'millisecond'),
        })}
        {about.samples === null ? null : ` · ${t('samples', { count: about.samples })}`}
        {about.sampled ? ` · ${t('sampled')}` : null}
        {about.more ? ` · ${t('more')}` : null}
      </p>
    </div>
  )
}
