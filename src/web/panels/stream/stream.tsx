'use client'
import '../issue/issues.css'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import type { RestSearch } from '../../../contract/search.ts'
import { ApiError } from '../../client/api.ts'
import type { GivenMarks } from '../releases/mark-groups.ts'
import { marksQuery } from '../releases/mark-groups.ts'
import { SparkRule } from '../releases/spark-rule.tsx'
import { useReleaseMarks } from '../releases/use-marks.ts'
import { useMerge } from '../triage/merge.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { IssueList } from './issue-list.tsx'
import { keepList } from './list-order.ts'
import { StreamBar } from './stream-bar.tsx'
import { useDecisions } from './stream-decisions.tsx'
import { Peek, useStreamKeys } from './stream-keys.tsx'
import { useSelection } from './stream-marks.ts'
import { useStreamParams } from './stream-params.ts'
import { keptSearch, listQuery, type ProjectName, projectIdsOf } from './stream-query.ts'
import { NoMatch, StreamFailed, StreamLoading } from './stream-states.tsx'
import { type FirstRows, type Issues, useIssues } from './use-issues.ts'

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
  /** Saved views. */
  views: RestSearch[] | undefined
  /** The last resolved ones, where there is nothing else to show. */
  resolved: RestIssue[] | undefined
}

const noFirst: FirstScreen = {
  rows: undefined,
  environments: undefined,
  marks: undefined,
  views: undefined,
  resolved: undefined,
}

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
    return { query, text: JSON.stringify(query), marks: marksQuery(query) }
  }, [params, projectIds])
  const released = useReleaseMarks(organization, listed.marks, first.marks)
  const kept = keptSearch(params)
  const storeKey = ['stream', organization, params.q, params.project, params.env].join(':')
  const selection = useSelection(storeKey, rows, listed.text)
  const { cursor, selected, isAll, check, unselect } = selection
  const [peeked, setPeeked] = useState<string | undefined>()
  const { decide, decisions, assign, offerUndo } = useDecisions({
    organization,
    canTriage,
    issues,
    cursorId: selection.cursorId,
    selected,
    unselect,
    asked: isAll ? listed.query : undefined,
  })
  const merge = useMerge({ organization, canTriage, issues, selected, unselect, isAll })
  const hrefOf = (issue: RestIssue) => `/o/${organization}/issues/${issue.id}${kept}`

  function open(issue: RestIssue | undefined): void {
    if (!issue) return
    selection.goTo(issue.id)
    keepList(organization, rows)
    router.push(hrefOf(issue))
  }
  useStreamKeys({
    move: selection.move,
    open: () => open(cursor),
    check: () => cursor && check(cursor, false),
    selectAll: selection.selectAll,
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
      {merge.dialog}
      {peeked && cursor ? (
        <Peek
          organization={organization}
          issue={cursor}
          open={() => open(cursor)}
          onClose={() => setPeeked(undefined)}
        />
      ) : null}
      <StreamHead issues={issues} />
      <StreamBar
        organization={organization}
        params={params}
        change={change}
        projects={projects}
        first={first}
        canShare={canTriage}
        offerUndo={offerUndo}
        refused={refused?.message}
      />
      {selected.size ? (
        <BulkBar
          count={selected.size}
          hits={issues.hits}
          more={list.hasNextPage}
          isAll={isAll}
          canTriage={canTriage}
          decide={decide}
          decisions={decisions}
          merge={merge}
          loaded={selection.loaded}
          selectAll={selection.selectAll}
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
        <Rows
          issues={issues}
          selection={selection}
          hrefOf={hrefOf}
          open={open}
          canTriage={canTriage}
          marks={released}
        />
      )}
    </div>
  )
}

function Rows({
  issues,
  selection,
  hrefOf,
  open,
  canTriage,
  marks,
}: {
  issues: Issues
  selection: ReturnType<typeof useSelection>
  hrefOf: (issue: RestIssue) => string
  open: (issue: RestIssue | undefined) => void
  canTriage: boolean
  marks: ReturnType<typeof useReleaseMarks>
}) {
  const { list, rows, hits } = issues
  return (
    <IssueList
      rows={rows}
      total={Math.max(hits ?? 0, rows.length)}
      hrefOf={hrefOf}
      cursorId={selection.cursorId}
      selected={selection.selected}
      dimmed={list.isPlaceholderData}
      more={list.hasNextPage}
      fetchMore={() => {
        // Beside asking for all pages again, too, it would end that and leave the others as they are.
        if (!list.isFetching && !list.isError) void list.fetchNextPage()
      }}
      onOpen={open}
      onCheck={selection.check}
      canTriage={canTriage}
      marks={marks}
    />
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
