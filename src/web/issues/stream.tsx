'use client'
import './issues.css'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { RestIssue } from '../../protocol/rest.ts'
import { ApiError } from '../api.ts'
import type { GivenMarks } from '../releases/mark-groups.ts'
import { marksQuery } from '../releases/mark-groups.ts'
import { SparkRule } from '../releases/spark-rule.tsx'
import { useReleaseMarks } from '../releases/use-marks.ts'
import { BulkBar } from './bulk-bar.tsx'
import { IssueList } from './issue-list.tsx'
import { keepList } from './list-order.ts'
import { selectTo } from './rows.ts'
import { SearchBox } from './search-box.tsx'
import { useDecisions } from './stream-decisions.tsx'
import { StreamFilters } from './stream-filters.tsx'
import { Peek, useStreamKeys } from './stream-keys.tsx'
import { useStreamParams } from './stream-params.ts'
import { keptSearch, listQuery, type ProjectName, projectIdsOf } from './stream-query.ts'
import { NoMatch, StreamFailed, StreamLoading } from './stream-states.tsx'
import { type FirstRows, type Issues, useIssues } from './use-issues.ts'

const none: ReadonlySet<string> = new Set()

type Marks = { cursorId: string | null; anchorId: string | null; selected: ReadonlySet<string> }

/** The marks with the cursor `step` rows further; `select` takes in what lies between. */
function moved(marks: Marks, rows: readonly RestIssue[], step: number, select: boolean): Marks {
  const at = rows.findIndex((row) => row.id === marks.cursorId)
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
  if (!next) return marks
  const selected = select ? selectTo(rows, marks.selected, marks.cursorId, next.id) : marks.selected
  return { cursorId: next.id, anchorId: next.id, selected }
}

/** Cursor and selection, kept for the way back to this list (same organization, same search). */
function useMarks(storeKey: string) {
  const [marks, set] = useState<Marks>({
    cursorId: null,
    anchorId: null,
    selected: none,
  })
  const [loaded, setLoaded] = useState('')
  useEffect(() => {
    let kept: { cursorId?: unknown; selected?: unknown } = {}
    try {
      kept = JSON.parse(sessionStorage.getItem(storeKey) ?? '{}')
    } catch {
      // What somebody else wrote there is no selection.
    }
    const selected = Array.isArray(kept.selected) ? new Set(kept.selected.filter((id) => typeof id === 'string')) : none
    set({ cursorId: typeof kept.cursorId === 'string' ? kept.cursorId : null, anchorId: null, selected })
    setLoaded(storeKey)
  }, [storeKey])
  useEffect(() => {
    if (loaded === storeKey)
      sessionStorage.setItem(storeKey, JSON.stringify({ cursorId: marks.cursorId, selected: [...marks.selected] }))
  }, [loaded, storeKey, marks])
  return [marks, set] as const
}

type StreamProps = {
  organization: string
  projects: readonly ProjectName[]
  canTriage: boolean
  first: FirstScreen
}

/** What the first paint needs, as the server had it; what it was late with the browser asks for. */
export type FirstScreen = {
  rows: FirstRows | undefined
  environments: string[] | undefined
  /** Releases and deploys for the sparklines. */
  marks: GivenMarks | undefined
  /** The last resolved ones, where there is nothing else to show. */
  resolved: RestIssue[] | undefined
}

const noFirst: FirstScreen = { rows: undefined, environments: undefined, marks: undefined, resolved: undefined }

/** What came with the document, while the page is new: a later return to this query must not show rows of long ago. */
function useWhileNew(first: FirstScreen): FirstScreen {
  const [given, setGiven] = useState(first)
  useEffect(() => setGiven(noFirst), [])
  return given
}

/** The issue stream: search, filters, rows, keys, triage. Everything that it shows is in the URL. */
export function Stream({ organization, projects, canTriage, ...props }: StreamProps) {
  const t = useTranslations('issues')
  const first = useWhileNew(props.first)
  const router = useRouter()
  const [params, change] = useStreamParams()
  const projectIds = useMemo(() => projectIdsOf(params.project, projects), [params.project, projects])
  const issues = useIssues(organization, params, projectIds, first.rows)
  const { list, rows, waiting } = issues
  const listed = useMemo(() => {
    const query = listQuery(params, projectIds)
    return { query, marks: marksQuery(query) }
  }, [params, projectIds])
  const released = useReleaseMarks(organization, listed.marks, first.marks)
  const kept = keptSearch(params)
  const [marks, setMarks] = useMarks(['stream', organization, params.q, params.project, params.env].join(':'))
  const { cursorId, selected } = marks
  const [isAll, setAll] = useState(false)
  const [peeked, setPeeked] = useState<string | undefined>()
  const unselect = () => {
    setAll(false)
    setMarks((before) => ({ ...before, selected: none }))
  }
  const loaded = rows.length > 0 && rows.every((row) => selected.has(row.id))
  const selectAll = () => {
    if (loaded) setAll(true)
    else setMarks((before) => ({ ...before, selected: new Set(rows.map((row) => row.id)) }))
  }
  const { decide, decisions, assign } = useDecisions({
    ...{ organization, canTriage, issues, cursorId, selected, unselect },
    all: isAll ? listed.query : undefined,
  })
  const hrefOf = (issue: RestIssue) => `/o/${organization}/issues/${issue.id}${kept}`

  function open(issue: RestIssue | undefined): void {
    if (!issue) return
    setMarks((before) => ({ ...before, cursorId: issue.id }))
    keepList(organization, rows)
    router.push(hrefOf(issue))
  }
  const move = (step: number, select: boolean) => setMarks((before) => moved(before, rows, step, select))
  const check = (issue: RestIssue, withShift: boolean) => {
    setAll(false)
    setMarks((before) => {
      const next = withShift ? selectTo(rows, before.selected, before.anchorId, issue.id) : new Set(before.selected)
      if (!withShift && !next.delete(issue.id)) next.add(issue.id)
      return { cursorId: issue.id, anchorId: issue.id, selected: next }
    })
  }
  const cursor = rows.find((row) => row.id === cursorId)
  useStreamKeys({
    move,
    open: () => open(cursor),
    check: () => cursor && check(cursor, false),
    selectAll,
    peek: () => setPeeked(cursor?.id),
    clear: unselect,
    showWaiting: waiting.length ? showWaiting : undefined,
  })

  function showWaiting(): void {
    issues.showWaiting()
    window.scrollTo({ top: 0 })
  }
  const { error, failureReason } = list
  const refused = error instanceof ApiError && /^QUERY_|^VALIDATION$/.test(error.code) ? error : undefined
  const away = failureReason && !refused && list.isFetching ? failureReason : undefined
  const isEmpty = list.isSuccess && !list.isPlaceholderData && rows.length === 0
  return (
    <div className="stream">
      {assign.dialog}
      {decisions.dialog}
      {peeked && cursor ? (
        <Peek
          organization={organization}
          issue={cursor}
          open={() => open(cursor)}
          onClose={() => setPeeked(undefined)}
        />
      ) : null}
      <StreamHead issues={issues} />
      <div className="stream-bar">
        <SearchBox value={params.q} onSearch={(q) => change({ q })} error={refused ? [refused.message] : undefined} />
        <StreamFilters
          organization={organization}
          params={params}
          change={change}
          projects={projects}
          environments={first.environments}
        />
      </div>
      {selected.size ? (
        <BulkBar
          count={selected.size}
          hits={issues.hits}
          {...{ isAll, loaded, canTriage, decide, decisions, selectAll }}
          assign={assign.ask}
          clear={unselect}
        />
      ) : (
        <ColumnHead
          range={params.range.kind === 'relative' ? t(`range.short.${params.range.period}`) : t('range.short.absolute')}
          rule={<SparkRule organization={organization} rows={rows} marks={released} />}
        />
      )}
      {waiting.length ? (
        <button type="button" className="stream-news" onClick={showWaiting}>
          {t('news', { count: waiting.length })}
        </button>
      ) : null}
      {away ? (
        <StreamFailed error={away} retrying />
      ) : error && !refused ? (
        <StreamFailed error={error} retry={() => void list.refetch()} />
      ) : null}
      {isEmpty ? (
        <NoMatch
          organization={organization}
          params={params}
          projectIds={projectIds}
          projects={projects}
          change={change}
          hrefOf={hrefOf}
          resolved={first.resolved}
        />
      ) : list.isPending ? (
        <StreamLoading />
      ) : (
        <IssueList
          rows={rows}
          total={issues.hits ?? rows.length}
          hrefOf={hrefOf}
          cursorId={cursorId}
          selected={selected}
          dimmed={list.isPlaceholderData}
          more={list.hasNextPage}
          fetchMore={() => {
            if (!list.isFetchingNextPage && !list.isError) void list.fetchNextPage()
          }}
          onOpen={open}
          onCheck={check}
          canTriage={canTriage}
          marks={released}
        />
      )}
    </div>
  )
}

function StreamHead({ issues }: { issues: Issues }) {
  const t = useTranslations('issues')
  const { hits, list } = issues
  return (
    <div className="stream-head">
      <h1>{t('title')}</h1>
      <span className="text-ink-3">{hits === null || list.isPlaceholderData ? '' : t('match', { count: hits })}</span>
    </div>
  )
}

function ColumnHead({ range, rule }: { range: string; rule: ReactNode }) {
  const t = useTranslations('issues.column')
  return (
    <div className="issue-columns">
      <span className="issue-check" />
      <span aria-hidden="true">{t('issue')}</span>
      <div className="issue-spark">
        <span aria-hidden="true">{range}</span>
        {rule}
      </div>
      <span aria-hidden="true" className="issue-number">
        {t('events')}
      </span>
      <span aria-hidden="true" className="issue-number issue-users">
        {t('users')}
      </span>
      <span aria-hidden="true" className="issue-seen">
        {t('seen')}
      </span>
      <span aria-hidden="true" className="issue-assignee">
        {t('assignee')}
      </span>
    </div>
  )
}
