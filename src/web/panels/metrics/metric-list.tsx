'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { MetricEntry } from '../../../query/metrics/metrics.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import type { MetricParams } from './params.ts'
import { useMetricChange } from './use-change.ts'
import { metricWords, sparkPath } from './words.ts'

const [sparkWidthPx, sparkHeightPx] = [96, 22]
const charactersMax = 100
const shownAttributes = 6

type Range = { fromMs: number; toMs: number }

/** The selected row and the keys that act on it. */
function useCursor(metrics: readonly MetricEntry[], open: (name: string) => void): number {
  const t = useTranslations('issues.keys')
  const [cursor, setCursor] = useState<string>()
  const at = metrics.findIndex(({ name }) => name === cursor)
  const move = (step: number) => setCursor(metrics[Math.max(0, Math.min(metrics.length - 1, at + step))]?.name)
  const group = t('group')
  useKey('j', group, t('down'), () => move(1))
  useKey('k', group, t('up'), () => move(-1))
  useKey('o', group, t('open'), () => metrics[at] && open(metrics[at].name))
  useKey('Enter', group, t('open'), (event) => {
    // A focused link or button handles Enter itself.
    if (event.target instanceof HTMLElement && event.target.closest('a, button, select, summary')) event.target.click()
    else if (metrics[at]) open(metrics[at].name)
  })
  return at
}

function MetricRow({
  metric,
  href,
  range,
  isOpen,
  isCursor,
}: {
  metric: MetricEntry
  href: string
  range: Range
  isOpen: boolean
  isCursor: boolean
}) {
  const t = useTranslations('metrics')
  const words = metricWords(useLocale())
  const { name, type, unit, last, points, folded, attributes } = metric
  return (
    <li className="metric-row" data-open={isOpen || undefined} aria-current={isCursor || undefined}>
      <span className="metric-name">
        <Link href={href} scroll={false} aria-current={isOpen ? 'true' : undefined}>
          <PlainText text={name} charactersMax={charactersMax} />
        </Link>
        <span>
          {t(`types.${type}`)}
          {unit ? (
            <>
              {' · '}
              <PlainText text={unit} charactersMax={24} />
            </>
          ) : null}
          {attributes.length > 0 ? (
            <>
              {' · '}
              <PlainText text={attributes.slice(0, shownAttributes).join(', ')} charactersMax={charactersMax} />
              {attributes.length > shownAttributes ? ` +${attributes.length - shownAttributes}` : ''}
            </>
          ) : null}
          {folded > 0 ? <em> {t('foldedMark', { count: words.count(folded) })}</em> : null}
        </span>
      </span>
      <svg className="metric-spark" viewBox={`0 -1 ${sparkWidthPx} ${sparkHeightPx + 2}`} aria-hidden="true">
        <path d={sparkPath(metric.trend, range, sparkWidthPx, sparkHeightPx)} />
      </svg>
      <span className="metric-last">{words.value(last, unit)}</span>
      <span className="metric-points">{t('points', { count: points, shown: words.count(points) })}</span>
      <span className="metric-time">
        <Time at={metric.lastMs} />
      </span>
    </li>
  )
}

/** The metrics of a view: what each is, its newest value and its course. A row opens its chart. */
export function MetricList({
  metrics,
  params,
  range,
  more,
  pageRows,
}: {
  metrics: readonly MetricEntry[]
  params: Pick<MetricParams, 'name' | 'at'>
  range: Range
  more: boolean
  pageRows: number
}) {
  const t = useTranslations('metrics')
  const { isPending, to, change } = useMetricChange()
  const at = useCursor(metrics, (name) => change({ name }))
  return (
    <div data-dimmed={isPending || undefined}>
      <ul className="metric-list" aria-label={t('title')}>
        {metrics.map((metric, index) => (
          <MetricRow
            key={metric.name}
            metric={metric}
            href={to({ name: metric.name })}
            range={range}
            isOpen={metric.name === params.name}
            isCursor={index === at}
          />
        ))}
      </ul>
      {params.at > 0 || more ? (
        <nav className="metric-pages" aria-label={t('pages')}>
          {params.at > 0 ? (
            <Link className="link" href={to({ at: params.at > pageRows ? String(params.at - pageRows) : null })}>
              {t('previous')}
            </Link>
          ) : null}
          {more ? (
            <Link className="link" href={to({ at: String(params.at + pageRows) })}>
              {t('next')}
            </Link>
          ) : null}
        </nav>
      ) : null}
    </div>
  )
}
