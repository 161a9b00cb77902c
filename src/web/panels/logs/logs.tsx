'use client'
import '../../styles/issues.css'
import './logs.css'
import { usePathname, useSearchParams } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import type { RestLogSummary } from '../../../contract/explore/logs.ts'
import type { RestSearch } from '../../../contract/search.ts'
import { ApiError } from '../../client/api.ts'
import { exploreHref } from '../../client/explore-link.ts'
import { searchWith } from '../../client/search-with.ts'
import { annotationsQuery } from '../../ui/chart/annotations.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { ListFailed, ListLoading } from '../../ui/list-states.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Time, useNow, useTimeText } from '../../ui/time.tsx'
import { useUndo } from '../../ui/undo.ts'
import { ExportButton } from '../exports/export-button.tsx'
import { type ProjectName, projectIdsOf } from '../search/list-params.ts'
import { boundsOf } from '../search/range.ts'
import { useRangeKey } from '../search/range-key.ts'
import { SavedViews, useShownView } from '../search/saved-views.tsx'
import { ScopeSelects } from '../search/scope-selects.tsx'
import { SearchBox } from '../search/search-box.tsx'
import type { ViewParts } from '../search/views.ts'
import { Columns, UnknownColumns } from './columns.tsx'
import { Facets } from './facets.tsx'
import { narrowed } from './filter-terms.ts'
import { Histogram } from './histogram.tsx'
import { itemsOf } from './items.ts'
import { logKeyTable } from './key-table.ts'
import { LineList } from './line-list.tsx'
import { LiveBar, LiveButton } from './live-bar.tsx'
import type { FieldActions } from './log-detail.tsx'
import { NoMatches } from './no-logs.tsx'
import { columnsMax, isPlain, type LogMode, type LogParams, logPlan, logQuery } from './params.ts'
import { compact, Patterns } from './patterns.tsx'
import { useLiveView, useScrolled } from './use-live-view.ts'
import { type FirstLogs, type LogQuery, useLines, usePatterns, usePatternTotal, useSummary } from './use-logs.ts'
import { type ChangeLogs, useLogParams } from './use-params.ts'
import { logViewOf, logViewSearch } from './views.ts'

/** A search runs so long after the last key. The next key cancels its requests. */
const typedMs = 150
const dayMs = 86_400_000

type LogsProps = {
  organization: string
  projects: readonly ProjectName[]
  environments: string[] | undefined
  views: RestSearch[] | undefined
  /** Whether the reader may share a view with the organization. */
  canShare: boolean
  /** What came with the document. */
  first: FirstLogs | undefined
  /** Shown if no line came in the range. */
  children: ReactNode
}

/** The state of the URL with the text that is being typed, which becomes part of the URL when the box is left. */
function useSearch() {
  const [stored, change] = useLogParams()
  const [typed, setTyped] = useState<string>()
  const pending = useRef({ text: undefined as string | undefined, cancel: () => {} })
  const type = useCallback((text: string) => {
    pending.current.cancel()
    pending.current.text = text
    pending.current.cancel = systemClock.after(typedMs, () => setTyped(text))
  }, [])
  const settle = useCallback(() => {
    pending.current.cancel()
    pending.current.text = undefined
    setTyped(undefined)
  }, [])
  useEffect(() => () => pending.current.cancel(), [])
  const params = useMemo((): LogParams => (typed === undefined ? stored : { ...stored, q: typed }), [stored, typed])
  const changeAll: ChangeLogs = (next, history) => {
    const { text } = pending.current
    settle()
    change('q' in next || text === undefined ? next : { q: text, ...next }, history)
  }
  const leave = () => {
    const { text } = pending.current
    if (text !== undefined && text !== stored.q) changeAll({ q: text, line: null }, 'replace')
    else settle()
  }
  return { params, stored, change: changeAll, type, leave }
}

type Search = ReturnType<typeof useSearch>

/** Search, project, environment and range. */
function Bar({
  organization,
  projects,
  environments,
  search,
  error,
  patterns,
}: Pick<LogsProps, 'organization' | 'projects' | 'environments'> & {
  search: Search
  error: string[] | undefined
  /** The number of patterns; undefined while it is not known. */
  patterns: number | undefined
}) {
  const locale = useLocale()
  const t = useTranslations('logs')
  const address = useSearchParams()
  const { stored, change } = search
  const scope = {
    project: stored.project ? stored.project.split(',') : undefined,
    environment: stored.env ? stored.env.split(',') : undefined,
  }
  return (
    <div className="stream-bar">
      <SearchBox
        organization={organization}
        value={stored.q}
        onSearch={(q) => change({ q, line: null })}
        onType={search.type}
        onLeave={search.leave}
        error={error}
        scope={scope}
        hiddenParams={Object.fromEntries([...address].filter(([name]) => name !== 'q' && name !== 'line'))}
        label={t('search')}
        placeholder={t('placeholder')}
        jumps={false}
        table={logKeyTable}
      />
      <Segments<LogMode>
        label={t('show')}
        value={stored.mode}
        choices={[
          { value: 'lines', label: t('lines') },
          {
            value: 'patterns',
            label: t('patterns.title'),
            count: patterns === undefined ? undefined : compact(locale).format(patterns),
          },
        ]}
        onChange={(mode) => change({ mode: mode === 'lines' ? null : mode, line: null })}
      />
      <div className="stream-filters">
        <ScopeSelects
          organization={organization}
          params={stored}
          projects={projects}
          environments={environments}
          change={(next) => change({ ...next, line: null })}
        />
      </div>
      <RowEnd />
    </div>
  )
}

/** Number of matching lines, and what limits the answer. */
function Counts({ summary }: { summary: RestLogSummary | undefined }) {
  const t = useTranslations('logs')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale)
  if (!summary) return <span className="stream-count" />
  const { count, samples, countedFrom } = summary
  return (
    <span className="stream-count" role="status">
      {count > samples
        ? t('sampled', { samples: number.format(samples), count: number.format(count) })
        : t('counted', { count: samples })}
      {countedFrom === null ? null : (
        <>
          {' '}
          {t('partial')} <Time at={countedFrom} form="minute" />
        </>
      )}
    </span>
  )
}

/** The names and places of projects by id. */
function useProjectOf(projects: readonly ProjectName[]) {
  return useMemo(() => {
    const known = new Map(projects.map(({ id, slug }, place) => [id, { place, slug }]))
    return (id: string) => known.get(id) ?? { place: -1, slug: id }
  }, [projects])
}

function ListHead({ params, change }: { params: LogParams; change: ChangeLogs }) {
  const t = useTranslations('logs')
  const { zone } = useTimeText()
  return (
    <div className="log-head">
      <span>{t('time', { zone })}</span>
      <span className="log-head-columns">
        {params.columns.map((name) => (
          <code key={name}>
            <PlainText text={name} charactersMax={40} />
          </code>
        ))}
      </span>
      <span className="log-grow">{t('message')}</span>
      <Columns
        columns={params.columns}
        change={(columns) => change({ columns: columns.join(',') || null }, 'replace')}
      />
    </div>
  )
}

/** The lines of the search, with the live tail before them. */
function Lines({
  props,
  search,
  query,
  summary,
}: {
  props: LogsProps
  search: Search
  query: LogQuery
  summary: RestLogSummary | undefined
}) {
  const { organization, projects, first } = props
  const { params, change } = search
  const t = useTranslations('logs')
  const projectOf = useProjectOf(projects)
  const dropped = useMemo(() => summary?.dropped ?? [], [summary])
  const { list, lines: stored, position } = useLines(organization, query, params.columns, first, true)
  const close = useCallback(() => params.line !== '' && change({ line: null }, 'replace'), [params.line, change])
  const live = useLiveView({
    organization,
    query,
    columns: params.columns,
    position: list.isPlaceholderData ? '' : position,
    lines: stored,
    isOn: params.live,
    openId: params.line,
    dropped,
    close,
  })
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const items = useMemo(
    () => itemsOf(live.lines, { gaps: live.gaps, openId: params.line, unfolded }),
    [live.lines, live.gaps, params.line, unfolded],
  )
  const open = (id: string) => change({ line: id === params.line ? null : id }, 'replace')
  useKey('Escape', t('keys.group'), t('keys.close'), close, params.line !== '')
  const actions: FieldActions = {
    narrow: (field, value, how) => change({ q: narrowed(params.q, field, value, how), line: null }),
    addColumn: (field) => {
      if (params.columns.includes(field) || params.columns.length >= columnsMax) return
      change({ columns: [...params.columns, field].join(',') }, 'replace')
    },
  }
  const now = useNow()
  const { fromMs, toMs } = boundsOf(params.range, now)
  return (
    <>
      <ListHead params={params} change={change} />
      <LiveBar
        organization={organization}
        isOn={params.live}
        isOpen={live.isOpen}
        isPaused={live.isPaused}
        waiting={live.waiting}
        dropped={dropped}
        resume={live.resume}
        slugOf={(id) => projectOf(id).slug}
      />
      {list.isPending ? <ListLoading /> : null}
      {list.error && !list.data ? <ListFailed error={list.error} retry={() => void list.refetch()} /> : null}
      <LineList
        organization={organization}
        items={items}
        openId={params.line}
        columns={params.columns}
        withDay={toMs - fromMs > dayMs}
        isDimmed={list.isPlaceholderData}
        more={list.hasNextPage && !list.isFetchingNextPage && !list.isFetchNextPageError && !list.isPlaceholderData}
        fetchMore={() => void list.fetchNextPage()}
        projectOf={projectOf}
        actions={actions}
        open={open}
        unfold={(id) => setUnfolded((before) => new Set(before).add(id))}
      />
      {list.isFetchingNextPage ? <p className="log-note">{t('loadingMore')}</p> : null}
      {list.isFetchNextPageError ? <ListFailed error={list.error} retry={() => void list.fetchNextPage()} /> : null}
    </>
  )
}

/** The repeated shapes of the search. */
function PatternList({ props, search, query }: { props: LogsProps; search: Search; query: LogQuery }) {
  const { params, change } = search
  const projectOf = useProjectOf(props.projects)
  const { data, error, isPending, isPlaceholderData } = usePatterns(props.organization, query, true)
  if (isPending) return <ListLoading />
  if (!data) return error ? <ListFailed error={error} /> : null
  return (
    <Patterns
      answer={data}
      projectOf={projectOf}
      isDimmed={isPlaceholderData}
      open={(pattern) => change({ q: `${params.q} pattern:${pattern}`.trim(), mode: null })}
    />
  )
}

/** What is below the bar: the histogram, facets, and lines or patterns; or why there is nothing. */
function Body({ props, search, query }: { props: LogsProps; search: Search; query: LogQuery }) {
  const { params, change } = search
  const path = usePathname()
  const address = useSearchParams()
  const now = useNow()
  const range = boundsOf(params.range, now)
  const summary = useSummary(props.organization, query, params.fields, props.first)
  const { data, error } = summary
  if (!data)
    return error ? (
      <ListFailed error={error} retrying={summary.failureCount > 0 && summary.isFetching} />
    ) : (
      <ListLoading />
    )
  if (data.count === 0 && !params.live && !summary.isPlaceholderData)
    return isPlain(params) ? (
      props.children
    ) : (
      <NoMatches params={params} to={(next) => path + (searchWith(address, { ...next, line: null }) || '?q=')} />
    )
  return (
    <>
      <div className="log-chart-box" data-dimmed={summary.isPlaceholderData || undefined}>
        <Histogram
          organization={props.organization}
          query={annotationsQuery(query)}
          summary={data}
          range={range}
          select={(fromMs, toMs) =>
            change({ t: null, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), line: null })
          }
        />
      </div>
      <div className="log-columns-box">
        <Facets
          summary={data}
          q={params.q}
          fields={params.fields}
          projects={props.projects}
          search={(q) => change({ q, line: null })}
          setFields={(fields) => change({ fields: fields.join(',') || null }, 'replace')}
        />
        <div className="log-main">
          {params.mode === 'patterns' ? (
            <PatternList props={props} search={search} query={query} />
          ) : (
            <Lines props={props} search={search} query={query} summary={data} />
          )}
        </div>
      </div>
    </>
  )
}

/** The sentence about a wrong search. Everything else that fails has a place of its own. */
const wrongOf = (error: Error | null): string[] | undefined =>
  error instanceof ApiError && /^(QUERY_|VALIDATION)/.test(error.code) && error.code !== 'QUERY_TIMEOUT'
    ? [error.message]
    : undefined

/** Log lines: search, histogram, facets, and the lines as they come. */
export function Logs(props: LogsProps) {
  const { organization, projects } = props
  const t = useTranslations('logs')
  const search = useSearch()
  const { params, stored, change } = search
  const offerUndo = useUndo()
  useRangeKey()
  const isScrolled = useScrolled(params.live)
  const toggleLive = () => change({ live: params.live ? null : '1' }, 'replace')
  useKey('l', t('keys.group'), t('keys.live'), toggleLive)
  const query = useMemo(() => logQuery(params, projectIdsOf(params.project, projects)), [params, projects])
  const { data, error } = useSummary(organization, query, params.fields, props.first)
  const patterns = usePatternTotal(organization, query, params.mode === 'patterns', data !== undefined)
  const views = {
    organization,
    scope: 'logs' as const,
    current: logViewOf(stored, projects),
    searchOf: (shown: ViewParts) => logViewSearch(shown, projects),
    preloaded: props.views,
  }
  const view = useShownView(views)
  return (
    <div className="stream logs">
      <div className="stream-head">
        <h1>{view ? <PlainText text={view.name} charactersMax={64} /> : t('title')}</h1>
        <Counts summary={data} />
        <SavedViews
          {...views}
          canShare={props.canShare}
          offerUndo={offerUndo}
          exploreHref={exploreHref(organization, 'logs', stored.q, stored, true)}
        />
        <ExportButton
          organization={organization}
          plan={logPlan(stored)}
          scope={stored}
          projects={projects}
          disabled={!data}
        />
        <Link className="link" href={exploreHref(organization, 'logs', stored.q, stored)}>
          {t('chart')}
        </Link>
        <LiveButton isOn={params.live} isPaused={isScrolled || params.line !== ''} toggle={toggleLive} />
        <RowEnd />
      </div>
      <Bar {...props} search={search} error={wrongOf(error)} patterns={patterns} />
      <UnknownColumns names={view?.unknownColumns ?? []} />
      <Body props={props} search={search} query={query} />
    </div>
  )
}
