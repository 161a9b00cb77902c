'use client'
import { useTranslations } from 'next-intl'
import type { RestTraceItem } from '../../../contract/explore/trace-views.ts'
import { Link } from '../../ui/link.tsx'
import { useSampledText } from '../performance/sampled.tsx'
import { useCompareWords } from './use-compare-words.ts'

/** Fewer samples say nothing of what is usual. */
const samplesMin = 5
/** A duration within this factor of the median is usual. */
const usualFactor = 1.5
const paddingShare = 0.04

type Statement = NonNullable<RestTraceItem['statement']>

/** Where a duration lies on an axis of powers of ten that holds all of them, from 0 to 1. */
function axisOf(values: readonly number[]): (value: number) => number {
  const logs = values.map((value) => Math.log(Math.max(value, 0.0001)))
  const [least, most] = [Math.min(...logs), Math.max(...logs)]
  const length = Math.max(most - least, 0.1)
  return (value) => paddingShare + ((Math.log(Math.max(value, 0.0001)) - least) / length) * (1 - 2 * paddingShare)
}

const percent = (share: number) => `${(share * 100).toFixed(2)}%`

/** The duration of a span against the same statement of the last day: a box from p5 to p95, a line at the median. */
export function SpanStatement({
  organization,
  statement,
  durationMs,
}: {
  organization: string
  statement: Statement
  durationMs: number
}) {
  const t = useTranslations('trace.statement')
  const words = useCompareWords()
  const sampled = useSampledText()
  const { day, kind } = statement
  if (!day) return null
  const query = new URLSearchParams({ q: statement.text.slice(0, 250), open: statement.id })
  const link = <Link href={`/o/${organization}/performance/${kind}?${query}`}>{t('open')}</Link>
  if (day.samples < samplesMin)
    return (
      <p className="tp-dim">
        {t('few', { count: day.samples })} {link}
      </p>
    )
  const at = axisOf([day.p5, day.p99, durationMs])
  const times = durationMs / Math.max(day.p50, 0.001)
  const verdict = times > usualFactor ? 'slower' : times < 1 / usualFactor ? 'faster' : 'usual'
  return (
    <section className="ts-box" aria-label={t(`title.${kind}`)}>
      <h3>
        {t(`title.${kind}`)} <b>{words.duration(durationMs)}</b>
      </h3>
      <div className="ts-axis" aria-hidden="true">
        <span className="ts-range" style={{ left: percent(at(day.p5)), right: percent(1 - at(day.p95)) }} />
        <span className="ts-median" style={{ left: percent(at(day.p50)) }} />
        <span className="ts-this" style={{ left: percent(at(durationMs)) }} />
      </div>
      <p>
        <span>p50 {words.duration(day.p50)}</span> <span>p95 {words.duration(day.p95)}</span>{' '}
        <span>p99 {words.duration(day.p99)}</span>
      </p>
      <p>
        <b className={verdict === 'slower' ? 'text-warning' : undefined}>
          {t(verdict, { times: times.toPrecision(2) })}
        </b>{' '}
        <span className="tp-dim">{t('samples', { samples: sampled(day), count: day.samples })}</span> {link}
      </p>
    </section>
  )
}
