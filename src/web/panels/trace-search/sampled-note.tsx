import { useLocale, useTranslations } from 'next-intl'

/** "40 stored of about 400": what a chart or a group of values is of. Nothing if every span was sent. */
export function SampledNote({ samples, count }: { samples: number; count: number }) {
  const t = useTranslations('spans')
  const number = new Intl.NumberFormat(useLocale(), { notation: 'compact' })
  if (Math.round(count) <= samples) return null
  return (
    <p className="span-sampled">{t('samplesOf', { samples: number.format(samples), count: number.format(count) })}</p>
  )
}
