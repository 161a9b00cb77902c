'use client'
import { X } from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import { aggregatesOf } from '../../../domain/metrics.ts'
import type { MetricDetails } from '../../../query/metrics/metrics.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { MetricChart } from './metric-chart.tsx'
import { type MetricChange, type MetricParams, toggledPair } from './params.ts'
import { Samples } from './point-list.tsx'
import { useMetricChange } from './use-change.ts'
import { metricWords } from './words.ts'

const valueCharacters = 60
const drawnGroups = 8

type Parts = { details: MetricDetails; params: MetricParams; change(change: MetricChange): void }

/** What is drawn: the aggregate, the attribute that groups, and the filters. */
function Tools({ details, params, change }: Parts) {
  const t = useTranslations('metrics')
  const keys = new Set([...details.attributes.map(({ key }) => key), ...(params.by ? [params.by] : [])])
  return (
    <div className="metric-tools">
      <label>
        {t('aggregate')}{' '}
        <select className="input" value={details.aggregate} onChange={(event) => change({ agg: event.target.value })}>
          {aggregatesOf(details.type).map((aggregate) => (
            <option key={aggregate} value={aggregate}>
              {t(`aggregates.${aggregate}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('by')}{' '}
        <select className="input" value={params.by} onChange={(event) => change({ by: event.target.value || null })}>
          <option value="">{t('byNothing')}</option>
          {[...keys].map((key) => (
            <option key={key} value={key}>
              {key.slice(0, valueCharacters)}
            </option>
          ))}
        </select>
      </label>
      {params.where.map((pair) => (
        <button
          key={`${pair.key} ${pair.value}`}
          type="button"
          className="metric-filter"
          aria-label={t('removeFilter', { filter: `${pair.key}:${pair.value}` })}
          onClick={() => change({ where: toggledPair(params.where, pair) || null })}
        >
          <code>
            <PlainText text={`${pair.key}:${pair.value}`} charactersMax={valueCharacters} />
          </code>{' '}
          ×
        </button>
      ))}
    </div>
  )
}

/** The groups with their value over the range. The first eight are the lines of the chart. */
function Groups({ details, params, change }: Parts) {
  const t = useTranslations('metrics')
  const words = metricWords(useLocale())
  const unit = details.aggregate === 'count' ? '' : details.unit
  return (
    <table className="metric-groups">
      <caption className="sr-only">{t('groups')}</caption>
      <tbody>
        {details.groups.map(({ group, value, points }, index) => (
          <tr key={group}>
            <th scope="row">
              {index < drawnGroups ? <span className="metric-key" data-color={index + 1} aria-hidden="true" /> : null}
              {params.by === '' ? (
                t(`aggregates.${details.aggregate}`)
              ) : (
                <button
                  type="button"
                  onClick={() => change({ where: toggledPair(params.where, { key: params.by, value: group }) || null })}
                >
                  {group === '' ? t('withoutValue') : <PlainText text={group} charactersMax={valueCharacters} />}
                </button>
              )}
            </th>
            <td>{words.value(value, unit)}</td>
            <td className="metric-points">{t('points', { count: points, shown: words.count(points) })}</td>
          </tr>
        ))}
        {details.moreGroups ? (
          <tr>
            <td colSpan={3}>{t('moreGroups')}</td>
          </tr>
        ) : null}
      </tbody>
    </table>
  )
}

/** Attributes of the metric with their most frequent values. A value is a filter, a name groups by it. */
function Attributes({ details, params, change }: Parts) {
  const t = useTranslations('metrics')
  const words = metricWords(useLocale())
  if (details.attributes.length === 0) return null
  return (
    <section className="metric-attributes" aria-labelledby="metric-attributes">
      <h3 id="metric-attributes">{t('attributes')}</h3>
      {details.attributes.map(({ key, unique, values }) => (
        <div key={key}>
          <button
            type="button"
            aria-pressed={params.by === key}
            onClick={() => change({ by: params.by === key ? null : key })}
          >
            <code>
              <PlainText text={key} charactersMax={valueCharacters} />
            </code>{' '}
            <span>{t('values', { count: unique })}</span>
          </button>
          <ul>
            {values.map(({ value, points }) => (
              <li key={value}>
                <button
                  type="button"
                  aria-pressed={params.where.some((pair) => pair.key === key && pair.value === value)}
                  onClick={() => change({ where: toggledPair(params.where, { key, value }) || null })}
                >
                  <span>
                    <PlainText text={value} charactersMax={valueCharacters} />
                  </span>
                  <span className="metric-points">{words.count(points)}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

/** One metric: its chart by attribute, its groups, and the traces behind its points. */
export function MetricDetailsPart({
  organization,
  details,
  params,
  range,
}: {
  organization: string
  details: MetricDetails
  params: MetricParams
  range: { fromMs: number; toMs: number }
}) {
  const t = useTranslations('metrics')
  const words = metricWords(useLocale())
  const { isPending, to, change } = useMetricChange()
  const parts = { details, params, change }
  return (
    <section className="metric-details" aria-labelledby="metric-open" data-dimmed={isPending || undefined}>
      <div className="metric-head">
        <h2 id="metric-open">
          <PlainText text={details.name} charactersMax={200} />
        </h2>
        <span>
          {t(`types.${details.type}`)}
          {details.unit ? (
            <>
              {' · '}
              <PlainText text={details.unit} charactersMax={24} />
            </>
          ) : null}{' '}
          · {t('points', { count: details.points, shown: words.count(details.points) })}
        </span>
        <Link className="metric-close" href={to({ name: null })} scroll={false} aria-label={t('close')}>
          <X size={14} strokeWidth={1.75} aria-hidden="true" />
        </Link>
      </div>
      <Tools {...parts} />
      {details.groups.length === 0 ? (
        <p className="metric-note">{t('noneMatch')}</p>
      ) : (
        <div className="metric-columns">
          <div className="metric-main">
            <MetricChart
              details={details}
              range={range}
              chosenMs={params.bucketMs}
              choose={(startMs) => change({ bucket: startMs === params.bucketMs ? null : String(startMs) })}
            />
            <Groups {...parts} />
            <h3>
              {params.bucketMs === undefined ? t('samples') : t('samplesAt')}{' '}
              {params.bucketMs === undefined ? null : <Time at={params.bucketMs} form="minute" />}
            </h3>
            <Samples organization={organization} samples={details.samples} unit={details.unit} />
          </div>
          <Attributes {...parts} />
        </div>
      )}
    </section>
  )
}
