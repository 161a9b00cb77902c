import { useLocale, useTranslations } from 'next-intl'
import type { RestRoutePage, RestRouteRow } from '../../../contract/explore/performance.ts'
import { isJobOp } from '../../../domain/traces/job-ops.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { performanceWords, toneOf } from './words.ts'

type Measured = Pick<
  RestRouteRow | RestRoutePage,
  'op' | 'p50' | 'p75' | 'p95' | 'failureRate' | 'apdex' | 'vitalsScore' | 'p75Change' | 'previous'
>

/** The figures of a route: percentiles, failures, Apdex and vitals. */
export function RouteFacts({ row }: { row: Measured }) {
  const t = useTranslations('performance.routes')
  const words = performanceWords(useLocale())
  const tone = toneOf(row.p75Change)
  const before = row.previous.failureRate
  return (
    <Facts>
      <Fact label="p50" value={words.duration(row.p50)} />
      <Fact
        label="p75"
        value={words.duration(row.p75)}
        {...(row.p75Change === null ? {} : { change: words.change(row.p75Change) })}
        {...(tone ? { tone } : {})}
      />
      <Fact label="p95" value={words.duration(row.p95)} />
      <Fact
        label={t('failures')}
        value={words.rate(row.failureRate)}
        {...(before === null ? {} : { change: t('was', { value: words.rate(before) }) })}
      />
      {isJobOp(row.op) ? null : <Fact label={t('apdex')} value={words.apdex(row.apdex)} title={t('apdexTitle')} />}
      {row.vitalsScore === null ? null : <Fact label={t('vitals')} value={words.score(row.vitalsScore)} />}
    </Facts>
  )
}
