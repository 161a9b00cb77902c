'use client'
import { X } from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo } from 'react'
import type { RestRoutePage } from '../../../contract/explore/performance.ts'
import type { ApiRequest } from '../../client/api.ts'
import { useTimeText } from '../../ui/time.tsx'
import { brushOfDurations, bucketsOf, slowestPart } from './brush.ts'
import { Distribution } from './distribution.tsx'
import type { PerformanceParams } from './params.ts'
import { Reasons } from './reasons.tsx'
import { performanceWords } from './words.ts'

type WhySlowProps = {
  organization: string
  page: RestRoutePage
  query: NonNullable<ApiRequest['query']>
  /** The query string that all pages keep, with `?`. */
  kept: string
  /** The selected durations. Without them the slowest quarter is explained. */
  brush: PerformanceParams['brush']
  change: (brush: PerformanceParams['brush']) => void
  /** The selected part of the range. With it and without durations, all durations of this part are explained. */
  during: PerformanceParams['during']
  clear: () => void
}

/** Words for what is selected: durations, a part of the range, or both. */
function useSelectedText(
  page: RestRoutePage,
): (
  durations: { from: number; to: number; isToEnd: boolean; own: number; all: number } | undefined,
  during: PerformanceParams['during'],
) => string {
  const t = useTranslations('performance.whySlow')
  const words = performanceWords(useLocale())
  const { text } = useTimeText()
  return (durations, during) => {
    const { from = 0, to = 0, isToEnd = false, own = 0, all = 0 } = durations ?? {}
    const lengths = { from: words.duration(from), to: words.duration(to) }
    if (!during) return t(isToEnd ? 'slower' : 'between', { ...lengths, own: words.exact(own), all: words.exact(all) })
    const samples = (isIn: (startMs: number) => boolean) =>
      page.series.reduce((sum, [startS, count]) => (isIn(startS * 1000) ? sum + count : sum), 0)
    const part = t('during', {
      from: text(during.fromMs, 'shortMinute'),
      to: text(during.toMs, 'shortMinute'),
      own: words.exact(samples((startMs) => startMs >= during.fromMs && startMs < during.toMs)),
      all: words.exact(samples(() => true)),
    })
    return durations ? `${part}; ${t(isToEnd ? 'slowerThan' : 'fromTo', lengths)}` : part
  }
}

/** The distribution of a route, and what the selected durations or times have more often than the rest. */
export function WhySlow({ organization, page, query, kept, brush, change, during, clear }: WhySlowProps) {
  const t = useTranslations('performance.whySlow')
  const selectedText = useSelectedText(page)
  const buckets = useMemo(() => bucketsOf(page.distribution), [page.distribution])
  const selected =
    (brush && brushOfDurations(buckets, brush.fromMs, brush.toMs)) ??
    (during ? undefined : slowestPart(buckets, page.p75))
  const [from, to] = [
    selected === undefined ? 0 : (buckets[selected.from]?.fromMs ?? 0),
    selected === undefined ? 0 : (buckets[selected.to]?.toMs ?? 0),
  ]
  const isToEnd = selected !== undefined && selected.to === buckets.length - 1
  const own = buckets.reduce(
    (sum, { samples }, at) => (selected && at >= selected.from && at <= selected.to ? sum + samples : sum),
    0,
  )
  const all = buckets.reduce((sum, { samples }) => sum + samples, 0)
  if (buckets.length === 0) return null
  return (
    <section aria-labelledby="why-slow">
      <div className="performance-head">
        <h2 id="why-slow">{t('title')}</h2>
        {selected || during ? (
          <span className="performance-note">{selectedText(selected && { from, to, isToEnd, own, all }, during)}</span>
        ) : null}
        {brush || during ? (
          <button type="button" className="performance-clear" aria-label={t('clear')} onClick={clear}>
            <X size={14} strokeWidth={1.75} aria-hidden="true" />
          </button>
        ) : null}
      </div>
      <Distribution
        buckets={buckets}
        brush={selected}
        select={(next) => {
          const [first, last] = next ? [buckets[next.from], buckets[next.to]] : []
          change(first && last ? { fromMs: first.fromMs, toMs: last.toMs } : undefined)
        }}
      />
      {selected || during ? (
        <Reasons
          organization={organization}
          page={page}
          query={{
            ...query,
            from,
            to: selected ? to : undefined,
            since: during && new Date(during.fromMs).toISOString(),
            until: during && new Date(during.toMs).toISOString(),
          }}
          kept={kept}
          during={during}
        />
      ) : null}
    </section>
  )
}
