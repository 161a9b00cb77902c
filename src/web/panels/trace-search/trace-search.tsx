'use client'
import '../../styles/issues.css'
import './trace-search.css'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { type MouseEvent, type ReactNode, useEffect, useRef, useState, useTransition } from 'react'
import type { RestSearch } from '../../../contract/search.ts'
import type { Exploration } from '../../../query/traces/span-explore.ts'
import { exploreHref } from '../../client/explore-link.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { Segments } from '../../ui/segments.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useUndo } from '../../ui/undo.ts'
import { ExportButton } from '../exports/export-button.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { useRangeKey } from '../search/range-key.ts'
import { SavedViews, useShownView } from '../search/saved-views.tsx'
import { ScopeSelects } from '../search/scope-selects.tsx'
import { SearchBox } from '../search/search-box.tsx'
import type { ViewParts } from '../search/views.ts'
import { Facets } from './facets.tsx'
import { Failures, Histogram } from './histogram.tsx'
import { spanKeyTable } from './key-table.ts'
import {
  changedSearch,
  spanPlan,
  type TraceChange,
  type TraceParams,
  traceSorts,
  withDuration,
  withoutDuration,
} from './params.ts'
import { type Row, rowsOf, TraceRow } from './rows.tsx'
import { traceViewOf, traceViewSearch } from './views.ts'

/** Fewer stored spans than this say little about all of them. */
const samplesMin = 100
const pageRows = 50

type TraceSearchProps = {
  organization: string
  params: TraceParams
  /** The range of the answer, ms. */
  range: { fromMs: number; toMs: number }
  projects: readonly ProjectName[]
  environments: string[] | undefined
  views: RestSearch[]
  /** Whether the reader may share a view with the organization. */
  canShare: boolean
  /** Undefined: the search was refused, or the store is down. */
  found: Exploration | undefined
  /** Why nothing was found: a sentence of the server. */
  failed: { message: string; code: string; todo?: string } | undefined
  /** Shown where no span matches. */
  children: ReactNode
}

/** A function that changes the URL, and whether that navigation is still pending. */
function useChange(): [boolean, (change: TraceChange) => void] {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const [pending, start] = useTransition()
  const change = (next: TraceChange) =>
    start(() => router.push(path + changedSearch(new URLSearchParams(search), next), { scroll: false }))
  return [pending, change]
}

/** The selected row and the keys that act on it, as in the issue list. */
function useCursor(rows: readonly Row[], open: (row: Row) => void): number {
  const t = useTranslations('issues.keys')
  const [cursor, setCursor] = useState<string>()
  const at = rows.findIndex((row) => row.id === cursor)
  const move = (step: number) => setCursor(rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.id)
  const focused = rows[at]
  const group = t('group')
  useRangeKey()
  useKey('j', group, t('down'), () => move(1))
  useKey('k', group, t('up'), () => move(-1))
  useKey('ArrowDown', group, t('down'), () => move(1))
  useKey('ArrowUp', group, t('up'), () => move(-1))
  useKey('o', group, t('open'), () => focused && open(focused))
  useKey('Enter', group, t('open'), (event) => {
    // A focused link or button handles Enter itself.
    if (event.target instanceof HTMLElement && event.target.closest('a, button, select, summary')) event.target.click()
    else if (focused) open(focused)
  })
  return at
}

/** Number of found spans: extrapolated, with the stored ones; and what limits the answer. */
function Counts({ found }: { found: Exploration }) {
  const t = useTranslations('spans')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale)
  const { count, samples, partialFromMs } = found
  const isSampled = count > samples
  return (
    <span className="stream-count" role="status">
      {isSampled
        ? t('sampled', { samples: number.format(samples), count: number.format(count) })
        : t('counted', { count: samples })}
      {samples > 0 && samples < samplesMin ? (
        <strong> {t(isSampled ? 'few' : 'fewOfAll', { min: samplesMin })}</strong>
      ) : null}
      {partialFromMs === undefined ? null : (
        <>
          {' '}
          {t('partial')} <Time at={partialFromMs} form="minute" />
        </>
      )}
    </span>
  )
}

/** Search, project, environment and range. */
function Bar({
  organization,
  params,
  projects,
  environments,
  failed,
  change,
}: Pick<TraceSearchProps, 'organization' | 'params' | 'projects' | 'environments' | 'failed'> & {
  change: (change: TraceChange) => void
}) {
  const t = useTranslations('spans')
  const search = useSearchParams()
  const scope = {
    project: params.project ? params.project.split(',') : undefined,
    environment: params.env ? params.env.split(',') : undefined,
  }
  return (
    <div className="stream-bar">
      <SearchBox
        organization={organization}
        value={params.q}
        onSearch={(q) => change({ q })}
        // What has a remedy is no fault of the search.
        error={failed && !failed.todo ? [failed.message] : undefined}
        scope={scope}
        hiddenParams={Object.fromEntries([...search].filter(([name]) => name !== 'q' && name !== 'at'))}
        label={t('search')}
        placeholder={t('placeholder')}
        jumps={false}
        table={spanKeyTable}
      />
      <div className="stream-filters">
        <ScopeSelects
          organization={organization}
          params={params}
          projects={projects}
          environments={environments}
          change={change}
        />
      </div>
      <RowEnd />
    </div>
  )
}

function Pages({ params, more }: { params: TraceParams; more: boolean }) {
  const t = useTranslations('spans')
  const path = usePathname()
  const search = useSearchParams()
  const to = (at: number) => path + changedSearch(new URLSearchParams(search), { at: at > 0 ? String(at) : null })
  if (params.at === 0 && !more) return null
  return (
    <nav className="span-pages" aria-label={t('pages')}>
      {params.at > 0 ? (
        <Link className="link" href={to(Math.max(0, params.at - pageRows))}>
          {t('previous')}
        </Link>
      ) : null}
      {more ? (
        <Link className="link" href={to(params.at + pageRows)}>
          {t('next')}
        </Link>
      ) : null}
    </nav>
  )
}

/** The list of traces or spans. */
function List({
  organization,
  found,
  projects,
  isPending,
}: Pick<TraceSearchProps, 'organization' | 'projects'> & { found: Exploration; isPending: boolean }) {
  const t = useTranslations('spans')
  const router = useRouter()
  const list = useRef<HTMLUListElement>(null)
  const rows = rowsOf(organization, found.traces, found.spans)
  const open = (row: Row) => router.push(row.href)
  const at = useCursor(rows, open)
  useEffect(() => {
    list.current?.querySelectorAll('[data-row]')[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const slugs = new Map(projects.map(({ id, slug }) => [id, slug]))
  const longestMs = Math.max(...rows.map(({ trace, span }) => trace?.durationMs ?? span?.durationMs ?? 0))
  function click(event: MouseEvent<HTMLUListElement>): void {
    if (!(event.target instanceof Element) || event.target.closest('a') || window.getSelection()?.toString()) return
    const id = event.target.closest('[data-row]')?.getAttribute('data-row')
    const row = rows.find((candidate) => candidate.id === id)
    if (row) open(row)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: rows have links, the list enlarges the click area
    <ul ref={list} className="span-list" aria-label={t('title')} data-dimmed={isPending || undefined} onClick={click}>
      {rows.map((row, index) => (
        <TraceRow
          key={row.id}
          row={row}
          slugOf={(id) => slugs.get(String(id)) ?? String(id)}
          isCursor={index === at}
          longestMs={longestMs}
        />
      ))}
    </ul>
  )
}

/** What is above the list: traces or spans, and the order. */
function Toolbar({ params, change }: { params: TraceParams; change: (change: TraceChange) => void }) {
  const t = useTranslations('spans')
  return (
    <div className="span-tools">
      <Segments
        label={t('show')}
        value={params.mode}
        choices={[
          { value: 'traces', label: t('traces') },
          { value: 'spans', label: t('spans') },
        ]}
        onChange={(mode) => change({ mode: mode === 'traces' ? null : mode })}
      />
      <select
        className="input"
        aria-label={t('sort')}
        value={params.sort}
        onChange={(event) => change({ sort: event.target.value === 'newest' ? null : event.target.value })}
      >
        {traceSorts.map((sort) => (
          <option key={sort} value={sort}>
            {t(`sorts.${sort}`)}
          </option>
        ))}
      </select>
    </div>
  )
}

/** The search over spans: facets, the distribution of durations, failures over time, and traces or spans. */
export function TraceSearch(props: TraceSearchProps) {
  const { params, found, failed, range } = props
  const t = useTranslations('spans')
  const [isPending, change] = useChange()
  const offerUndo = useUndo()
  const views = {
    organization: props.organization,
    scope: 'traces' as const,
    current: traceViewOf(params, props.projects),
    searchOf: (shown: ViewParts) => traceViewSearch(shown, props.projects),
    preloaded: props.views,
  }
  const view = useShownView(views)
  const search = (q: string) => change({ q })
  const { q } = params
  const hasDuration = withoutDuration(q) !== q
  const hasRows = found !== undefined && found.traces.length + found.spans.length > 0
  const between = (fromMs: number, toMs: number) =>
    change({ t: null, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
  return (
    <div className="stream span-search" aria-busy={isPending}>
      <div className="stream-head">
        <h1>{view ? <PlainText text={view.name} charactersMax={64} /> : t('title')}</h1>
        {found ? <Counts found={found} /> : <span className="stream-count" />}
        <SavedViews
          {...views}
          canShare={props.canShare}
          offerUndo={offerUndo}
          exploreHref={exploreHref(props.organization, 'spans', q, params)}
        />
        <ExportButton
          organization={props.organization}
          plan={spanPlan(params)}
          scope={params}
          projects={props.projects}
          disabled={!found}
        />
        <RowEnd />
      </div>
      <Bar {...props} change={change} />
      {failed ? <ErrorState title={failed.message} todo={failed.todo} code={failed.code} /> : null}
      {found && hasRows ? (
        <>
          <div className="span-charts" data-dimmed={isPending || undefined}>
            <Histogram
              bars={found.histogram}
              of={found}
              select={(fromMs, toMs) => search(withDuration(q, fromMs, toMs))}
              clear={hasDuration ? () => search(withoutDuration(q)) : undefined}
            />
            <Failures series={found.series} of={found} bucketMs={found.bucketMs} range={range} select={between} />
          </div>
          <div className="span-columns">
            <Facets facets={found.facets} q={q} search={search} />
            <div className="span-main">
              <Toolbar params={params} change={change} />
              <List {...props} found={found} isPending={isPending} />
              <Pages params={params} more={found.more} />
            </div>
          </div>
        </>
      ) : null}
      {found && !hasRows ? props.children : null}
    </div>
  )
}
