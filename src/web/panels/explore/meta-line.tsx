'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { PlanAnswer } from '../../../contract/explore.ts'
import { measureText } from '../../ui/measure.ts'
import { Time } from '../../ui/time.tsx'

/** What an answer is about: its range, what was read, whether counts are extrapolated, and what it leaves out. */
export function MetaLine({ meta }: { meta: PlanAnswer['meta'] }) {
  const t = useTranslations('explore.meta')
  const locale = useLocale()
  const measure = measureText(locale)
  const number = new Intl.NumberFormat(locale)
  return (
    <div className="explore-meta">
      {meta.partial ? (
        <p role="status" className="explore-partial">
          <strong>{t('partial')}</strong> {t(`reasons.${meta.partial.reason}`)} {t('since')}{' '}
          <Time at={meta.scannedFromMs} form="minute" />
        </p>
      ) : null}
      <p>
        <Time at={meta.fromMs} form="minute" /> – <Time at={meta.toMs} form="minute" />
        {' · '}
        {t('read', {
          rows: number.format(meta.rowsRead),
          bytes: measure(meta.bytesRead, 'byte'),
          time: measure(meta.elapsedMs, 'millisecond'),
        })}
        {meta.samples === null ? null : ` · ${t('samples', { count: meta.samples })}`}
        {meta.sampled ? ` · ${t('sampled')}` : null}
        {meta.more ? ` · ${t('more')}` : null}
      </p>
    </div>
  )
}
