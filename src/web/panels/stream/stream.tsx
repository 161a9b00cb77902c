'use client'
import '../../styles/issues.css'
import dynamic from 'next/dynamic'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ComponentProps, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import type { RestSearch } from '../../../contract/search.ts'
import type { RestVolume } from '../../../contract/volume.ts'
import type { Answered } from '../../client/answered.ts'
import { ApiError } from '../../client/api.ts'
import { patientImport } from '../../client/connection.ts'
import { storeList } from '../../client/list-order.ts'
import { annotationsQuery } from '../../ui/chart/annotations.ts'
import { useAnnotations } from '../../ui/chart/use-annotations.ts'
import { ListFailed, ListLoading } from '../../ui/list-states.tsx'
import { listQuery, type ProjectName, projectIdsOf, viewSearchOf, withoutSort } from '../search/list-params.ts'
import { withScope } from '../search/scope-text.ts'
import { type ParamChange, useListParams } from '../search/use-list-params.ts'
import { useMerge } from '../triage/merge.tsx'
import { VolumeChart } from '../volume/volume-chart.tsx'
import { ColumnHead } from './column-head.tsx'
import { IssueList } from './issue-list.tsx'
import { useSelection } from './selection.ts'
import { StreamTop } from './stream-bar.tsx'
import { useDecisions } from './stream-decisions.tsx'
import { Peek, useStreamKeys } from './stream-keys.tsx'
import { type FirstRows, type Issues, useIssues } from './use-issues.ts'

const BulkBar = dynamic(
  patientImport(() => import('./bulk-bar.tsx').then((module) => module.BulkBar)),
  { ssr: false },
)
const NoMatch = dynamic(() => import('./no-match.tsx').then((module) => module.NoMatch))

type Assignee = NonNullable<RestIssue['assignedTo']>

type StreamProps = {
  organization: string
  projects: readonly ProjectName[]
  canTriage: boolean
  first: FirstScreen
}

/** The data of the first paint, as loaded on the server. The browser fetches what was late. */
export type FirstScreen = {
  rows: FirstRows | undefined
  environments: string[] | undefined
  /** Releases and deploys for the sparklines. */
  annotations: Answered<RestAnnotations> | undefined
  /** The volume chart. */
  volume: Answered<RestVolume> | undefined
  /** Saved views. */
  views: RestSearch[] | undefined
  /** Recently resolved issues, if there are no rows. */
  resolved: RestIssue[] | undefined
}

const noFirst: FirstScreen = {
  rows: undefined,
  environments: undefined,
  annotations: undefined,
  volume: undefined,
  views: undefined,
  resolved: undefined,
}

/** The document's data, for the first render only: a later return to this query must not show old rows. */
function useFirstScreen(first: FirstScreen): FirstScreen {
  const [preloaded, setPreloaded] = useState(first)
  useEffect(() => setPreloaded(noFirst), [])
  return preloaded
}

/** The state of the list. Project and environment are parameters wherever the text allows it: see scope-text.ts. */
function useScopedParams(projects: readonly ProjectName[]) {
  const [raw, set] = useListParams()
  const params = useMemo(() => withScope(raw, projects), [raw, projects])
  const { q, project, env } = params
  return [params, (change: ParamChange) => set({ q, project, env, ...change })] as const
}

/** The issue stream: search, filters, rows, keys, triage. Its whole state is in the URL. */
export function Stream({ organization, projects, canTriage, ...props }: StreamProps) {
  const t = useTranslations('issues')
  const first = useFirstScreen(props.first)
  const router = useRouter()
  const [params, change] = useScopedParams(projects)
  const [isWrong, setWrong] = useState(false)
  const projectIds = useMemo(() => projectIdsOf(params.project, projects), [params.project, projects])
  const issues = useIssues(organization, params, projectIds, first.rows)
  const { rows, waiting } = issues
  const listed = useMemo(() => {
    const query = listQuery(params, projectIds)
    return { query, text: JSON.stringify(query), annotations: annotationsQuery(query), volume: withoutSort(query) }
  }, [params, projectIds])
  const annotations = useAnnotations(organization, listed.annotations, first.annotations)
  const viewSearch = viewSearchOf(params)
  const bar = { organization, params, change, projects }
  const storeKey = ['stream', organization, params.q, params.project, params.env].join(':')
  const selection = useSelection(storeKey, rows, listed.text)
  const { cursor, selected, isAll, check, unselect } = selection
  const { decide, decisions, assign, offerUndo } = useDecisions({
    organization,
    canTriage,
    issues,
    cursorId: selection.cursorId,
    selected,
    unselect,
    bulkQuery: isAll ? listed.query : undefined,
  })
  const merge = useMerge({ organization, canTriage, issues, selected, unselect, isAll })
  const hrefOf = (issue: RestIssue) => `/o/${organization}/issues/${issue.id}${viewSearch}`

  function open(issue: RestIssue | undefined): void {
    if (!issue) return
    selection.goTo(issue.id)
    storeList(organization, rows)
    router.push(hrefOf(issue))
  }
  const [isPeeking, setPeeking] = useState(false)
  const peeked = isPeeking ? cursor : undefined
  useStreamKeys({
    move: selection.move,
    open: () => open(cursor),
    check: () => cursor && check(cursor, false),
    selectAll: selection.selectAll,
    peek: () => setPeeking(!isPeeking && cursor !== undefined),
    clear: () => (peeked ? setPeeking(false) : unselect()),
    showWaiting: waiting.length ? showWaiting : undefined,
  })

  function showWaiting(): void {
    issues.showWaiting()
    window.scrollTo({ top: 0 })
  }
  return (
    <div className="stream">
      {assign.dialog}
      {decisions.dialog}
      {merge.dialog}
      <StreamTop
        {...bar}
        first={first}
        hits={issues.list.isPlaceholderData ? undefined : (issues.hits ?? undefined)}
        isWrong={isWrong}
        canShare={canTriage}
        offerUndo={offerUndo}
        refused={refusalOf(issues)?.message}
        onWrong={setWrong}
      />
      <VolumeChart
        organization={organization}
        query={listed.volume}
        preloaded={first.volume}
        annotations={annotations?.marks}
        isDimmed={isWrong}
        select={change}
      />
      <ColumnHead range={params.range} rows={rows} selection={selection} />
      {waiting.length ? (
        <button type="button" className="stream-news" onClick={showWaiting}>
          {t('news', { count: waiting.length })}
        </button>
      ) : null}
      <Failure issues={issues} />
      <Rows
        {...bar}
        projectIds={projectIds}
        hrefOf={hrefOf}
        resolved={first.resolved}
        issues={issues}
        selection={selection}
        open={open}
        canTriage={canTriage}
        isStale={isWrong}
        visit={(href) => router.push(href)}
        accept={(issue) => acceptSuggestion(issue, assign.to)}
        peek={
          peeked ? (
            <Peek
              organization={organization}
              issue={peeked}
              open={() => open(peeked)}
              close={() => setPeeking(false)}
              act={canTriage && selected.size === 0 ? { decide, ask: decisions.ask, assign: assign.ask } : undefined}
            />
          ) : null
        }
      />
      <SelectedBar
        issues={issues}
        selection={selection}
        actions={{ canTriage, decide, decisions, merge, assign: assign.ask }}
      />
    </div>
  )
}

/** The bar of the selected rows, if there are any. */
function SelectedBar({
  issues: { hits, list },
  selection,
  actions,
}: {
  issues: Issues
  selection: ReturnType<typeof useSelection>
  actions: Pick<ComponentProps<typeof BulkBar>, 'canTriage' | 'decide' | 'decisions' | 'merge' | 'assign'>
}) {
  if (selection.selected.size === 0) return null
  return (
    <BulkBar
      {...actions}
      count={selection.selected.size}
      hits={hits}
      more={list.hasNextPage}
      isAll={selection.isAll}
      loaded={selection.loaded}
      selectAll={() => selection.selectMatching(list.hasNextPage)}
      clear={selection.unselect}
    />
  )
}

/** Assigns an issue to its suggested owner. */
function acceptSuggestion(issue: RestIssue, to: (person: Assignee, issues: readonly RestIssue[]) => void): void {
  if (!issue.suggestedOwner) return
  const { id, name, email } = issue.suggestedOwner
  to({ type: 'user', id, name, email }, [issue])
}

/** The error of a query that the server rejects. The search box shows it. */
function refusalOf({ list: { error } }: Issues): ApiError | undefined {
  return error instanceof ApiError && /^QUERY_|^VALIDATION$/.test(error.code) ? error : undefined
}

/** Shows why the list is missing or old. It retries automatically, or on request. */
function Failure({ issues }: { issues: Issues }) {
  const { list } = issues
  const { error, failureReason } = list
  if (refusalOf(issues)) return null
  if (failureReason && list.isFetching) return <ListFailed error={failureReason} retrying />
  return error ? <ListFailed error={error} retry={() => void list.refetch()} /> : null
}

/** The rows, or why there are none. */
function Rows({
  issues,
  selection,
  open,
  visit,
  canTriage,
  accept,
  peek,
  isStale,
  ...noMatch
}: ComponentProps<typeof NoMatch> & {
  issues: Issues
  selection: ReturnType<typeof useSelection>
  open: (issue: RestIssue | undefined) => void
  visit: (href: string) => void
  canTriage: boolean
  accept: (issue: RestIssue) => void
  peek: ReactNode
  /** The entered search is wrong: these rows are of the last valid search. */
  isStale: boolean
}) {
  const { list, rows, hits } = issues
  if (list.isSuccess && !list.isPlaceholderData && rows.length === 0)
    return (
      // Its code is loaded with the first empty list. Without a boundary, the search box would hide and lose the focus.
      <Suspense fallback={null}>
        <NoMatch {...noMatch} />
      </Suspense>
    )
  if (list.isPending) return <ListLoading />
  return (
    <div className="stream-rows" data-peek={peek ? true : undefined}>
      <IssueList
        rows={rows}
        total={Math.max(hits ?? 0, rows.length)}
        hrefOf={noMatch.hrefOf}
        cursorId={selection.cursorId}
        selected={selection.selected}
        dimmed={list.isPlaceholderData || isStale}
        more={list.hasNextPage}
        fetchMore={() => {
          // During a refetch of all pages this call would cancel the refetch.
          if (!list.isFetching && !list.isError) void list.fetchNextPage()
        }}
        onOpen={open}
        onCheck={selection.check}
        canTriage={canTriage}
        onAccept={accept}
        onVisit={visit}
        projects={noMatch.projects}
      />
      {peek}
    </div>
  )
}
