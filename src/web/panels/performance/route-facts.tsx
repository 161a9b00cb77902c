import { useLocale, useTranslations } from 'next-intl'
import type { RestRoutePage, RestRouteRow } from '../../../contract/explore/performance.ts'
import { isJobOp } from '../../../domain/traces/job-ops.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { comparedMin, performanceWords, relativeChange, toneOf } from './words.ts'

type Measured = Pick<
  RestRouteRow | RestRoutePage,
  | 'op'
  | 'samples'
  | 'count'
  | 'perMinute'
  | 'p50'
  | 'p75'
  | 'p95'
  | 'failureRate'
  | 'apdex'
  | 'vitalsScore'
  | 'previous'
> &
  Partial<Pick<RestRoutePage, 'vitalsScoreBefore'>>

/** The figures of a route, each against the range before: throughput, percentiles, failures, Apdex and vitals. */
export function RouteFacts({ row }: { row: Measured }) {
  const t = useTranslations('performance.routes')
  const words = performanceWords(useLocale())
  const { previous, vitalsScoreBefore: score = null } = row
  const isFew = Math.min(row.samples, previous.samples) < comparedMin
  const changeOf = (now: number | null, before: number | null) => (isFew ? null : relativeChange(now, before))
  const was = (value: string, before: number | null) => (before === null ? {} : { change: t('was', { value }) })
  const traffic = changeOf(row.count, previous.count)
  return (
    <Facts>
      <Fact
        label={t('throughput')}
        title={t('throughputTitle')}
        value={words.perMinute(row.perMinute)}
        {...(traffic === null ? {} : { change: words.change(traffic) })}
      />
      {(['p50', 'p75', 'p95'] as const).map((name) => {
        const change = changeOf(row[name], previous[name])
        const tone = toneOf(change)
        return (
          <Fact
            key={name}
            label={name}
            value={words.duration(row[name])}
            {...(change === null ? {} : { change: words.change(change) })}
            {...(tone ? { tone } : {})}
          />
        )
      })}
      <Fact
        label={t('failures')}
        value={words.rate(row.failureRate)}
        {...was(words.rate(previous.failureRate), previous.failureRate)}
      />
      {isJobOp(row.op) ? null : (
        <Fact
          label={t('apdex')}
          value={words.apdex(row.apdex)}
          title={t('apdexTitle')}
          {...was(words.apdex(previous.apdex), previous.apdex)}
        />
      )}
      {row.vitalsScore === null ? null : (
        <Fact label={t('vitals')} value={words.score(row.vitalsScore)} {...was(words.score(score ?? 0), score)} />
      )}
    </Facts>
  )
}
