'use client'
import { useTranslations } from 'next-intl'
import type { RestBackTest } from '../../../contract/alerts/alerts-back-test.ts'
import type { Direction } from './back-test/chart-scale.ts'
import { useLasted } from './words.tsx'

/** How often other thresholds would have fired. A press takes a threshold. */
export function Thresholds({
  others,
  direction,
  saved,
  valueText,
  choose,
}: {
  others: RestBackTest['others']
  direction: Direction
  /** The threshold of the stored rule, if it differs. */
  saved: number | null
  valueText: (value: number | null) => string
  /** Undefined: the reader may not change the rule. */
  choose: ((threshold: number) => void) | undefined
}) {
  const t = useTranslations('alerts.backTest')
  const lasted = useLasted()
  if (others.length === 0) return null
  return (
    <section aria-label={t('others')}>
      <h3 className="alert-sub">{t('others')}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without write access its buttons are off, and it scrolls */}
      <div className="alert-others" tabIndex={choose ? undefined : 0}>
        {others.map(({ threshold, times, totalMs, isChosen }) => (
          <button
            key={threshold}
            type="button"
            aria-pressed={isChosen}
            disabled={choose === undefined}
            onClick={() => choose?.(threshold)}
          >
            <span>
              {t(direction, { value: valueText(threshold) })}
              {threshold === saved ? ` ${t('isSaved')}` : ''}
            </span>
            <b>{t('times', { count: times })}</b>
            <span>{times > 0 ? lasted(totalMs) : '–'}</span>
          </button>
        ))}
      </div>
    </section>
  )
}
