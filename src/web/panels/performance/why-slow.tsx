'use client'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo } from 'react'
import type { RestRoutePage, RestSlowValue, RestWhySlow } from '../../../contract/explore/performance.ts'
import { commonEventsMin, commonLiftMin } from '../../../domain/in-common.ts'
import { type ApiRequest, apiFetch } from '../../client/api.ts'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import { useTimeText } from '../../ui/time.tsx'
import { brushOfDurations, bucketsOf, slowestPart } from './brush.ts'
import { Distribution } from './distribution.tsx'
import type { PerformanceParams } from './params.ts'
import { StatementLink } from './statement-link.tsx'
import { performanceWords } from './words.ts'

/** The largest ratio to show. A larger ratio only reflects how few the others are. */
const liftShownMax = 100
const shownMax = 6

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
        />
      ) : null}
    </section>
  )
}

function Reasons({
  organization,
  page: { id, project },
  query,
  kept,
}: Pick<WhySlowProps, 'organization' | 'page' | 'query' | 'kept'>) {
  const t = useTranslations('performance.whySlow')
  const { data, error } = useQuery({
    queryKey: ['why-slow', organization, id, query],
    queryFn: ({ signal }) =>
      apiFetch<RestWhySlow>(`organizations/${organization}/performance/routes/${id}/why-slow/`, { query, signal }),
    retry: false,
  })
  if (error) return <QueryFailed error={error} />
  if (!data) return <div className="performance-reasons" />
  const values = [
    ...data.spans.map((value) => ({ value, isSpan: true })),
    ...data.attributes.map((value) => ({ value, isSpan: false })),
  ]
    .sort((a, b) => b.value.low - a.value.low)
    .slice(0, shownMax)
  return (
    <div className="performance-reasons">
      {values.length === 0 ? (
        <p className="performance-none">
          {data.own < commonEventsMin || data.others < commonEventsMin
            ? t('few', { own: data.own, others: data.others, min: commonEventsMin })
            : t('nothing', { lift: commonLiftMin })}
        </p>
      ) : (
        <>
          <p className="performance-legend">
            <span>{t('legend')}</span>
            <span>{t('own')}</span>
            <span>{t('rest')}</span>
          </p>
          <ul className="in-common">
            {values.map(({ value, isSpan }) => (
              <Reason
                key={`${isSpan} ${value.key}=${value.value}`}
                value={value}
                base={isSpan ? `/o/${organization}/performance` : undefined}
                kept={kept}
                project={project.slug}
              />
            ))}
          </ul>
          <p className="performance-note">{t('sampled', { own: data.own, others: data.others })}</p>
        </>
      )}
      {data.traces.length > 0 ? (
        <p className="performance-traces">
          {data.traces.map((trace, at) => (
            <Link
              key={trace.traceId}
              className={buttonClass({ compact: true })}
              href={`/o/${organization}/traces/${trace.traceId}?span=${trace.spanId}`}
            >
              {t('trace', { number: at + 1 })}
            </Link>
          ))}
        </p>
      ) : null}
    </div>
  )
}

function Reason({
  value,
  base,
  kept,
  project,
}: {
  value: RestSlowValue
  /** Of a span: the address that its statement's page is below. */
  base: string | undefined
  kept: string
  /** Slug of the route's project. */
  project: string
}) {
  const t = useTranslations('performance.whySlow')
  const words = performanceWords(useLocale())
  const lift =
    value.lift > liftShownMax ? t('liftOver', { lift: liftShownMax }) : t('lift', { lift: words.lift(value.lift) })
  const text = (
    <code className="performance-cut">
      <PlainText text={value.value} charactersMax={120} />
    </code>
  )
  return (
    <li title={`${lift} (${words.lift(value.low)} – ${words.lift(value.high)})\n${value.value}`}>
      <span className="in-common-line">
        <span className="text-ink-3">
          <PlainText text={value.key} charactersMax={60} />
        </span>
        {base === undefined ? (
          text
        ) : (
          <StatementLink base={base} kept={kept} project={project} category={value.key} statement={value.value}>
            {text}
          </StatementLink>
        )}
        <b>{words.share(value.ownShare)}</b>
        <span className="in-common-other">{words.share(value.otherShare)}</span>
      </span>
      <span className="in-common-bar" aria-hidden="true">
        <span style={{ width: `${Math.round(value.ownShare * 100)}%` }} />
        <i style={{ left: `${Math.round(value.otherShare * 100)}%` }} />
      </span>
    </li>
  )
}
