'use client'
import '../../styles/issues.css'
import './trace-page.css'
import './compare.css'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestTraceView } from '../../../contract/explore/trace-views.ts'
import { apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { useNow } from '../../ui/time.tsx'
import { Drawer } from './drawer.tsx'
import { FlameView } from './flame-view.tsx'
import { Head, TraceFacts } from './head.tsx'
import { ListView } from './list-view.tsx'
import { Minimap } from './minimap.tsx'
import { ToolBar } from './tool-bar.tsx'
import { TraceWaiting, traceRetry } from './trace-query.tsx'
import { useTrace } from './use-trace.ts'
import { useTraceKeys } from './use-trace-keys.ts'
import { Waterfall } from './waterfall.tsx'

/** The browser can show this many spans; the first answer of a larger trace is a sample. */
const allMax = 200_000
/** Spans of a running trace arrive for half a minute. Ask again while the trace is younger than this, ms. */
const recentMs = 60_000
const pollMs = 5000
const dayMs = 86_400_000

type PageProps = {
  organization: string
  traceId: string
  /** Came with the document. Undefined: the trace is large or the store was down, and the browser asks. */
  preloaded: RestTraceView | undefined
  /** The query string of the address: span, view, search and zoom. */
  search: string
}

/** Says that the disk budget may have removed the trace. Nothing if it removed no spans. */
function Downsampled({ days }: { days: RestTraceView['downsampled'] }) {
  const t = useTranslations('trace')
  if (!days) return null
  const { from, to } = days
  return <> {t('downsampled', { range: from === to ? from : `${from} – ${to}` })}</>
}

/** The reason why a trace has errors and no spans. */
function NoSpans({ view }: { view: RestTraceView }) {
  const t = useTranslations('trace')
  const isOld = useNow() - view.origin / 1000 > view.keptDays * dayMs
  return (
    <div className="tp-note" role="note">
      <b>{t('noSpans')}</b> {isOld ? t('noSpansOld', { days: view.keptDays }) : t('noSpansWhy')}
      <Downsampled days={view.downsampled} />
    </div>
  )
}

function Sample({ view, showAll }: { view: RestTraceView; showAll: (() => void) | undefined }) {
  const t = useTranslations('trace')
  return (
    <div className="tp-note" role="note">
      {t('sampled', { shown: view.spans.ids.length, count: view.spanCount })}{' '}
      {showAll ? (
        <Button compact onClick={showAll}>
          {t('showWhole', { count: view.spanCount })}
        </Button>
      ) : null}
    </div>
  )
}

/** Says that the trace to compare with is none: an address with two traces shows both or says why not. */
function UnknownOther({ search }: { search: string }) {
  const t = useTranslations('trace.compare')
  const other = new URLSearchParams(search).get('compare')
  if (!other) return null
  return (
    <div className="tp-note" role="note">
      {t('unknown')}{' '}
      <code>
        <PlainText text={other} charactersMax={64} />
      </code>
    </div>
  )
}

type PartsProps = { organization: string; view: RestTraceView; search: string; showAll: (() => void) | undefined }

function TraceParts({ organization, view, search, showAll }: PartsProps) {
  const trace = useTrace(organization, view, search)
  useTraceKeys(trace)
  const Shown = { waterfall: Waterfall, flame: FlameView, list: ListView }[trace.view]
  return (
    <div className="trace-page">
      <Head trace={trace} />
      <UnknownOther search={search} />
      <TraceFacts trace={trace} />
      {view.spanCount === 0 ? <NoSpans view={view} /> : <Minimap trace={trace} />}
      {view.isSampled ? <Sample view={view} showAll={showAll} /> : null}
      <ToolBar trace={trace} />
      <div className="tp-body" data-drawer={trace.selected !== undefined || undefined}>
        <Shown trace={trace} />
        <Drawer trace={trace} />
      </div>
    </div>
  )
}

function Nothing({ traceId, view: { keptDays, downsampled } }: { traceId: string; view: RestTraceView }) {
  const t = useTranslations('trace')
  return (
    <EmptyState title={t('nothing')}>
      <p>
        <code>{traceId}</code>
      </p>
      <p>
        {t('nothingWhy', { days: keptDays })}
        <Downsampled days={downsampled} />
      </p>
    </EmptyState>
  )
}

/** The page of a trace, and its states: loading, failed, unknown, without spans. */
export function TracePage({ organization, traceId, preloaded, search }: PageProps) {
  const now = useNow()
  const [wantsAll, setWantsAll] = useState(false)
  const { data, error, failureReason, isFetching, refetch } = useQuery({
    queryKey: ['trace-view', organization, traceId, wantsAll],
    queryFn: ({ signal }) =>
      apiFetch<RestTraceView>(`organizations/${organization}/trace-view/${traceId}/`, {
        query: { limit: wantsAll ? allMax : undefined },
        signal,
      }),
    ...(preloaded && !wantsAll ? { initialData: preloaded } : {}),
    placeholderData: (before: RestTraceView | undefined) => before,
    ...traceRetry,
    refetchInterval: ({ state }) =>
      state.data && now - state.data.origin / 1000 < recentMs && state.data.spanCount < 2000 ? pollMs : false,
  })
  if (!data) return <TraceWaiting error={error ?? failureReason} retry={refetch} />
  if (data.spanCount === 0 && data.events.length === 0) return <Nothing traceId={traceId} view={data} />
  const canShowAll = data.isSampled && data.spanCount <= allMax && !(wantsAll && isFetching)
  return (
    <TraceParts
      organization={organization}
      view={data}
      search={search}
      showAll={canShowAll ? () => setWantsAll(true) : undefined}
    />
  )
}
