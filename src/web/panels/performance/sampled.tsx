import { useLocale, useTranslations } from 'next-intl'
import { SeverityShape } from '../../ui/severity.tsx'
import { performanceWords } from './words.ts'

/** Fewer samples give no stable percentile. */
const samplesMin = 100

type Sampled = { samples: number; count: number }

/** "40 of about 400": the samples, and what they stand for. Without sampling only the number. */
export function useSampledText(): (of: Sampled) => string {
  const t = useTranslations('performance.sampled')
  const words = performanceWords(useLocale())
  return ({ samples, count }) =>
    Math.round(count) === samples
      ? words.exact(samples)
      : t('of', { samples: words.exact(samples), count: words.exact(Math.round(count)) })
}

/** Warns about few samples. Nothing from 100 on. */
export function FewSamples({ samples }: { samples: number }) {
  const t = useTranslations('performance.sampled')
  if (samples === 0 || samples >= samplesMin) return null
  return (
    <p role="status" className="performance-few">
      <SeverityShape level="warning" label="" />
      <span>{t('few', { count: samples })}</span>
    </p>
  )
}
