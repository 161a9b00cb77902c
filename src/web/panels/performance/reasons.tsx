'use client'
import { useQuery } from '@tanstack/react-query'
import { Filter } from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import type { RestRoutePage, RestSlowValue, RestWhySlow } from '../../../contract/explore/performance.ts'
import { commonEventsMin, commonLiftMin } from '../../../domain/in-common.ts'
import { apiFetch } from '../../client/api.ts'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import type { PerformanceParams } from './params.ts'
import { StatementLink } from './statement-link.tsx'
import { tracesOf } from './traces-of.ts'
import { performanceWords } from './words.ts'

/** The largest ratio to show. A larger ratio only reflects how few the others are. */
const liftShownMax = 100
const shownMax = 6
/** Values that explain nothing have the room that reasons leave, and at least one line. */
const alikeMin = 1

type Pair = { key: string; value: string }
const keyOf = ({ key, value }: Pair): string => `${key}=${value}`

type ReasonsProps = {
  organization: string
  page: RestRoutePage
  /** The view, with the selected durations in ms and times. */
  query: Record<string, string | number | readonly string[] | undefined> & { from: number; to: number | undefined }
  kept: string
  during: PerformanceParams['during']
}

/**
 * What the selected segments have more often than the rest, what they have as often, and some of their traces. A click on
 * an attribute narrows these traces to it.
 */
export function Reasons({ organization, page, query, kept, during }: ReasonsProps) {
  const t = useTranslations('performance.whySlow')
  const [chosen, choose] = useState<Pair>()
  const { data, error } = useQuery({
    queryKey: ['why-slow', organization, page.id, query, chosen],
    queryFn: ({ signal }) =>
      apiFetch<RestWhySlow>(`organizations/${organization}/performance/routes/${page.id}/why-slow/`, {
        query: { ...query, ...chosen },
        signal,
      }),
    // The list stays while its traces are narrowed.
    placeholderData: (before, asked) => (asked?.queryKey[2] === page.id ? before : undefined),
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
  const alike = values.length === 0 ? [] : data.alike.slice(0, Math.max(alikeMin, shownMax - values.length))
  const toggle = (pair: Pair) => choose(chosen && keyOf(chosen) === keyOf(pair) ? undefined : pair)
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
              <Reason key={`${isSpan} ${keyOf(value)}`} value={value}>
                {isSpan ? (
                  <StatementLink
                    base={`/o/${organization}/performance`}
                    kept={kept}
                    project={page.project.slug}
                    category={value.key}
                    statement={value.value}
                  >
                    <ValueText value={value.value} />
                  </StatementLink>
                ) : (
                  <Narrow
                    pair={value}
                    isChosen={chosen !== undefined && keyOf(chosen) === keyOf(value)}
                    toggle={toggle}
                  />
                )}
              </Reason>
            ))}
            {alike.map((value) => (
              <Reason key={`alike ${keyOf(value)}`} value={value} isAlike>
                <ValueText value={value.value} />
                <span className="performance-alike">{t('alike')}</span>
              </Reason>
            ))}
          </ul>
          <p className="performance-note">{t('sampled', { own: data.own, others: data.others })}</p>
        </>
      )}
      <Traces
        organization={organization}
        page={page}
        query={query}
        kept={kept}
        during={during}
        chosen={chosen}
        traces={data.traces}
      />
    </div>
  )
}

/** Some traces of the selection, and the way to all of them. */
function Traces({
  organization,
  page: { route, op, project },
  query: { from, to },
  kept,
  during,
  chosen,
  traces,
}: ReasonsProps & { chosen: Pair | undefined; traces: RestWhySlow['traces'] }) {
  const t = useTranslations('performance.whySlow')
  if (traces.length === 0) return null
  const search = tracesOf(kept, { route, op, project: project.slug, fromMs: from, toMs: to, during, having: chosen })
  return (
    <p className="performance-traces">
      {traces.map((trace, at) => (
        <Link
          key={trace.traceId}
          className={buttonClass({ compact: true })}
          href={`/o/${organization}/traces/${trace.traceId}?span=${trace.spanId}`}
        >
          {t('trace', { number: at + 1 })}
        </Link>
      ))}
      {search === undefined ? null : (
        <Link className={buttonClass({ look: 'plain', compact: true })} href={`/o/${organization}/traces${search}`}>
          <Filter size={14} strokeWidth={1.75} aria-hidden="true" />
          {t('inTraces')}
        </Link>
      )}
    </p>
  )
}

const ValueText = ({ value }: { value: string }) => (
  <code className="performance-cut">
    <PlainText text={value} charactersMax={120} />
  </code>
)

/** A value as a button: it narrows the traces to those that have it, or shows all of them again. */
function Narrow({ pair, isChosen, toggle }: { pair: Pair; isChosen: boolean; toggle: (pair: Pair) => void }) {
  const t = useTranslations('performance.whySlow')
  return (
    <button
      type="button"
      className="performance-narrow"
      aria-pressed={isChosen}
      title={t('narrow', { value: `${pair.key} ${pair.value}` })}
      onClick={() => toggle({ key: pair.key, value: pair.value })}
    >
      <ValueText value={pair.value} />
    </button>
  )
}

/** One value with its shares on both sides. Those that are about the same are grey. */
function Reason({
  value,
  isAlike = false,
  children,
}: {
  value: RestSlowValue
  isAlike?: boolean
  /** The value: a link or a button, where it leads somewhere. */
  children: ReactNode
}) {
  const t = useTranslations('performance.whySlow')
  const words = performanceWords(useLocale())
  const lift =
    value.lift > liftShownMax ? t('liftOver', { lift: liftShownMax }) : t('lift', { lift: words.lift(value.lift) })
  return (
    <li
      data-alike={isAlike || undefined}
      title={`${lift} (${words.lift(value.low)} – ${words.lift(value.high)})\n${value.value}`}
    >
      <span className="in-common-line">
        <span className="text-ink-3">
          <PlainText text={value.key} charactersMax={60} />
        </span>
        {children}
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
