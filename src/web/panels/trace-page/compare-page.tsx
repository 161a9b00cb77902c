'use client'
import '../../styles/issues.css'
import './trace-page.css'
import './compare.css'
import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { RestComparedTrace, RestTraceComparison } from '../../../contract/explore/trace-compare.ts'
import { withBase } from '../../base-path.ts'
import { apiFetch } from '../../client/api.ts'
import { Button, buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { BackLink } from './back-link.tsx'
import { CompareRows, Difference } from './compare-rows.tsx'
import { TraceWaiting, traceRetry } from './trace-query.tsx'
import { type CompareControls, useCompare } from './use-compare.ts'
import { useCompareWords } from './use-compare-words.ts'

type CompareProps = {
  organization: string
  traceId: string
  other: string
  /** Came with the document. Undefined: a trace is large or the store was down, and the browser asks. */
  preloaded: RestTraceComparison | undefined
}

function Side({ organization, name, trace }: { organization: string; name: 'A' | 'B'; trace: RestComparedTrace }) {
  const t = useTranslations('trace.compare')
  const words = useCompareWords()
  return (
    <div className="tc-side">
      <b className="tc-mark" data-side={name}>
        {name}
      </b>
      <Link href={`/o/${organization}/traces/${trace.traceID}`}>
        <code>{trace.traceID.slice(0, 8)}</code>
      </Link>
      <b>{words.duration(trace.duration)}</b>
      <span className="tp-dim">{t('spans', { count: trace.spans })}</span>
      {trace.errors > 0 ? <span className="text-error">{t('errors', { count: trace.errors })}</span> : null}
      <span className="tp-dim">
        <Time at={trace.start} form="moment" />
      </span>
      {trace.isSampled ? <span className="tp-dim">{t('sampled')}</span> : null}
    </div>
  )
}

/** The rows whose self time differs most, as links to their places in the table. */
function Largest({ compare }: { compare: CompareControls }) {
  const t = useTranslations('trace.compare')
  const { data, reveal } = compare
  if (data.largest.length === 0) return null
  return (
    <section className="tc-largest" aria-label={t('largest')}>
      <h2>{t('largest')}</h2>
      <ul>
        {data.largest.map((at) => {
          const row = data.rows[at]
          return row ? (
            <li key={at}>
              <Difference row={row} by="self" />
              <button type="button" onClick={() => reveal(at)}>
                <b>
                  <PlainText text={row.op || t(row.kind === 'span' ? 'unnamed' : row.kind)} charactersMax={60} />
                </b>{' '}
                <span className="tp-mono">
                  <PlainText text={row.name} charactersMax={120} />
                </span>
              </button>
              <span className="tp-dim">{t('counts', { a: row.a?.count ?? 0, b: row.b?.count ?? 0 })}</span>
            </li>
          ) : null
        })}
      </ul>
    </section>
  )
}

function Compared({ organization, data }: { organization: string; data: RestTraceComparison }) {
  const t = useTranslations('trace.compare')
  const trace = useTranslations('trace')
  const compare = useCompare(organization, data)
  const { a, b } = data
  return (
    <div className="trace-page tc-page">
      <header className="tp-head">
        <BackLink organization={organization} />
        <h1>
          <PlainText text={a.name || b.name || trace('title')} charactersMax={200} />
        </h1>
        <span className="tp-space" />
        <Button
          compact
          look="plain"
          aria-pressed={compare.isOnlyDifferent}
          onClick={compare.toggleDifferent}
          title={`${t('onlyDifferent')} (d)`}
        >
          {t('onlyDifferent')}
        </Button>
        <Link
          className={buttonClass({ compact: true })}
          href={`/o/${organization}/traces/${b.traceID}?compare=${a.traceID}`}
          title={`${t('swap')} (x)`}
        >
          <ArrowLeftRight size={14} strokeWidth={1.75} aria-hidden="true" />
          {t('swap')}
        </Link>
        <a
          className={buttonClass({ compact: true })}
          href={withBase(`/o/${organization}/traces/${a.traceID}.md?compare=${b.traceID}`)}
        >
          {t('markdown')}
        </a>
      </header>
      <div className="tc-sides">
        <Side organization={organization} name="A" trace={a} />
        <Side organization={organization} name="B" trace={b} />
      </div>
      <Largest compare={compare} />
      {data.leftOut > 0 ? (
        <p className="tp-note" role="note">
          {t('leftOut', { shown: data.rows.length, count: data.leftOut })}
        </p>
      ) : null}
      <CompareRows compare={compare} />
    </div>
  )
}

/** Two traces side by side, and the states of this page: loading, failed, without spans. */
export function ComparePage({ organization, traceId, other, preloaded }: CompareProps) {
  const t = useTranslations('trace')
  const { data, error, failureReason, refetch } = useQuery({
    queryKey: ['trace-comparison', organization, traceId, other],
    queryFn: ({ signal }) =>
      apiFetch<RestTraceComparison>(`organizations/${organization}/trace/${traceId}/compare/${other}/`, { signal }),
    ...(preloaded ? { initialData: preloaded } : {}),
    ...traceRetry,
  })
  if (!data) return <TraceWaiting error={error ?? failureReason} retry={refetch} />
  const missing = [data.a, data.b].filter((trace) => trace.spans === 0)
  if (missing.length > 0)
    return (
      <EmptyState title={t('compare.nothing')}>
        {missing.map((trace) => (
          <p key={trace.traceID}>
            <code>{trace.traceID}</code>
          </p>
        ))}
        <p>{t('compare.nothingWhy')}</p>
        <p>
          <Link href={`/o/${organization}/traces/${traceId}`}>{t('compare.back')}</Link>
        </p>
      </EmptyState>
    )
  return <Compared organization={organization} data={data} />
}
