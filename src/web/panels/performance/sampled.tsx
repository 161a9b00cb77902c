import { useLocale, useTranslations } from 'next-intl'
import { SeverityShape } from '../../ui/severity.tsx'
import { performanceWords } from './words.ts'

/** Fewer samples give no stable percentile. */
const samplesMin = 100

type Sampled = { samples: number; count: number }

/** Whether the percentiles of some samples are rough. */
export const isFew = ({ samples }: { samples: number }): boolean => samples > 0 && samples < samplesMin

/** "40 of about 400": the samples, and what they stand for. Without sampling only the number. */
export function useSampledText(): (of: Sampled) => string {
  const t = useTranslations('performance.sampled')
  const words = performanceWords(useLocale())
  return ({ samples, count }) =>
    Math.round(count) === samples
      ? words.exact(samples)
      : t('of', { samples: words.exact(samples), count: words.exact(Math.round(count)) })
}

/**
 * A count in a cell: "120 of about 1.2K", or one short number without sampling. All digits are in its title. On a phone it
 * has two lines: the samples, and what they stand for.
 */
export function SampledCount({ of }: { of: Sampled }) {
  const t = useTranslations('performance.sampled')
  const words = performanceWords(useLocale())
  const exact = useSampledText()(of)
  const { samples, count } = of
  return (
    <span className="performance-sampled" title={exact}>
      {words.count(samples)}
      {Math.round(count) === samples ? null : (
        <>
          {' '}
          <span>{t('about', { count: words.count(Math.round(count)) })}</span>
        </>
      )}
    </span>
  )
}

/** Warns about few samples. Nothing from 100 on. */
export function FewSamples({ samples }: { samples: number }) {
  const t = useTranslations('performance.sampled')
  if (!isFew({ samples })) return null
  return (
    <p role="status" className="performance-few">
      <SeverityShape level="warning" label="" />
      <span>{t('few', { count: samples })}</span>
    </p>
  )
}
