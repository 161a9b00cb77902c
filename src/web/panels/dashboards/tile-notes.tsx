'use client'
import { useTranslations } from 'next-intl'
import type { PlanAnswer } from '../../../contract/explore/explore.ts'
import { Time } from '../../ui/time.tsx'

/** Says that a tile shows a part of its range, and that its counts are extrapolated. A long note is cut, and whole on hover. */
export function TileNotes({ about }: { about: Pick<PlanAnswer['meta'], 'partial' | 'sampled' | 'scannedFromMs'> }) {
  const t = useTranslations('explore.meta')
  const { partial, sampled, scannedFromMs } = about
  return (
    <>
      {partial ? (
        <p className="board-partial" title={t(`reasons.${partial.reason}`)}>
          {t('partial')} {t('since')} <Time at={scannedFromMs} form="minute" />
        </p>
      ) : null}
      {sampled ? <p className="board-sampled">{t('sampledNote')}</p> : null}
    </>
  )
}
