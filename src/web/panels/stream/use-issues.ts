'use client'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import type { RestIssue } from '../../../contract/issues.ts'
import { ApiError, apiFetch, apiPage } from '../../client/api.ts'
import { backoffMs } from '../../client/backoff.ts'
import { type StatusChange, withStatus } from '../../client/issue-status.ts'
import { useLive, useLiveId } from '../../ui/live.tsx'
import { type ListParams, listQuery, rowsPerPage } from '../search/list-params.ts'
import { createLiveRows, type LiveRows } from './live-rows.ts'
import { changeRows, countUp, mergeRows, type Page, rowsOf } from './rows.ts'

const nothing: readonly RestIssue[] = []
type Data = InfiniteData<Page, string | null>
/** Up to this many rows are refreshed by separate requests; above it the whole list is reloaded. */
const renewMax = 20

/** Retry without an answer or while the store is down: 1,000 times, for about four hours with backoffMs. */
function mayWait(tries: number, error: Error): boolean {
  return error instanceof ApiError && (error.code === 'STORE_UNAVAILABLE' || error.status === 0) && tries < 1000
}

/**
 * Shows cached rows at once and checks for newer ones. Rows of the document are up to date, unless the live stream has
 * reported later changes.
 */
function useCatchUp(key: Key, first: FirstRows | undefined, fetchNewest: () => Promise<boolean>): void {
  const client = useQueryClient()
  const reportedId = useLiveId()
  const latestFirst = useRef(first)
  latestFirst.current = first
  useEffect(() => {
    const data = client.getQueryData<Data>(key)
    const isNew = data?.pages[0] === latestFirst.current?.page && reportedId() <= (latestFirst.current?.liveId ?? 0)
    if (data && !isNew) void fetchNewest().catch(() => {})
  }, [client, key, fetchNewest, reportedId])
}

export type Issues = ReturnType<typeof useIssues>

/** The first page, loaded on the server for the query `key` (as JSON). It contains all changes up to `liveId`. */
export type FirstRows = { key: string; page: Page; liveId: number }

type Key = readonly ['issues', string, ReturnType<typeof listQuery>]

function useListQuery(path: string, key: Key, query: Key[2], first: FirstRows | undefined) {
  const list = useInfiniteQuery<Page, Error, Data, Key, string | null>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      apiPage<RestIssue>(path, { query: { ...query, limit: rowsPerPage, cursor: pageParam ?? undefined }, signal }),
    ...(first && first.key === JSON.stringify(query)
      ? { initialData: { pages: [first.page], pageParams: [null] } }
      : {}),
    initialPageParam: null,
    getNextPageParam: (page) => page.next,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: mayWait,
    retryDelay: (tries) => backoffMs(tries),
    placeholderData: (before) => before,
  })
  return list
}

/**
 * Two ways to fetch news. `look` updates the newest rows and holds new rows back, so that no row moves under the
 * pointer. `reload` fetches every page again. Both return whether a row was new.
 */
function useNewRows(
  path: string,
  key: Key,
  refetch: (options: { throwOnError: true }) => Promise<{ data?: Data | undefined }>,
) {
  const client = useQueryClient()
  const [pending, setPending] = useState<{ key: Key; rows: RestIssue[] }>({ key, rows: [] })
  const waiting = pending.key === key ? pending.rows : nothing
  const pendingIds = useRef<ReadonlySet<string>>(new Set())
  pendingIds.current = new Set(waiting.map((row) => row.id))
  const taken = useCallback(
    () => setPending((before) => (before.key === key && before.rows.length ? { key, rows: [] } : before)),
    [key],
  )
  const look = useCallback(async () => {
    const page = await apiPage<RestIssue>(path, { query: { ...key[2], limit: 50 } })
    const data = client.getQueryData<Data>(key)
    if (!data) return false
    const { pages: merged, unknown } = mergeRows(data.pages, page.rows)
    const first = merged[0]
    const isEmpty = rowsOf(data.pages).length === 0
    if (first) merged[0] = { ...first, hits: page.hits, ...(isEmpty ? { rows: unknown } : {}) }
    client.setQueryData<Data>(key, { ...data, pages: merged })
    const hasNewRow = unknown.some((row) => !pendingIds.current.has(row.id))
    if (isEmpty) return hasNewRow
    // At least 100 rows (or all) are loaded, so a row of the first 50 that the list lacks is new.
    setPending((before) => ({ key, rows: rowsOf([], before.key === key ? [...unknown, ...before.rows] : unknown) }))
    return hasNewRow
  }, [client, key, path])
  const reload = useCallback(async () => {
    const before = new Set(rowsOf(client.getQueryData<Data>(key)?.pages ?? []).map((row) => row.id))
    const { data } = await refetch({ throwOnError: true })
    taken()
    return rowsOf(data?.pages ?? []).some((row) => !before.has(row.id))
  }, [client, key, refetch, taken])
  return { waiting, taken, look, reload }
}

/** The row as the server will store it: each change adds one revision. */
const changed = (row: RestIssue, next: RestIssue): RestIssue =>
  next === row ? row : { ...next, revision: row.revision + 1 }

/**
 * The rows of the stream: pages by cursor, updated by the live stream. Empty `projectIds` means all. `first` comes with
 * the document and is set only at first render, so that rows are painted before any script runs.
 */
export function useIssues(
  organization: string,
  params: ListParams,
  projectIds: readonly string[],
  first: FirstRows | undefined,
) {
  const client = useQueryClient()
  const path = `organizations/${organization}/issues/`
  const query = useMemo(() => listQuery(params, projectIds), [params, projectIds])
  const key = useMemo(() => ['issues', organization, query] as const, [organization, query])
  const list = useListQuery(path, key, query, first)
  const { waiting, taken, look, reload } = useNewRows(path, key, list.refetch)
  const pages = list.data?.pages
  const rows = useMemo(() => rowsOf(pages ?? []), [pages])
  const change = useCallback(
    (make: (pages: Page[]) => Page[]) =>
      client.setQueryData<Data>(key, (data) => data && { ...data, pages: make(data.pages) }),
    [client, key],
  )
  useCatchUp(key, first, look)
  const { acted, renew } = useLiveRows({
    organization,
    params,
    rows,
    waiting,
    projectIds,
    change,
    look,
    reload,
    since: first?.liveId ?? 0,
    enabled: list.isSuccess && !list.isPlaceholderData,
  })
  const changeOf = (ids: readonly string[], changeRow: (row: RestIssue) => RestIssue) => {
    const idSet = new Set(ids)
    change((all) => changeRows(all, (row) => (idSet.has(row.id) ? changed(row, changeRow(row)) : row)))
  }

  return {
    list,
    rows,
    waiting,
    hits: pages?.[0]?.hits ?? null,
    /** Moves the waiting rows to the top of the list. */
    showWaiting: () => {
      acted()
      change((all) => all.map((page, at) => (at === 0 ? { ...page, rows: rowsOf([page], waiting) } : page)))
      taken()
    },
    /** Shows a status without asking the server. */
    show: (ids: readonly string[], change: StatusChange) => changeOf(ids, (row) => withStatus(row, change)),
    /** Shows an assignee without asking the server. */
    showAssignee: (ids: readonly string[], assignedTo: RestIssue['assignedTo']) =>
      changeOf(ids, (row) => ({ ...row, assignedTo })),
    /** Fetches the newest rows, and the rows of `ids`, which may not be among them. */
    refresh: (ids: readonly string[] = []) => {
      acted()
      if (ids.length <= renewMax) renew(ids)
      void (ids.length <= renewMax ? look() : reload()).catch(() => {})
    },
    /** Fetches all rows again and drops those that no longer match. */
    reload: () => {
      acted()
      void reload().catch(() => {})
    },
  }
}

type Freshness = {
  organization: string
  params: ListParams
  /** The rows contain the changes up to this id. */
  since: number
  rows: readonly RestIssue[]
  waiting: readonly RestIssue[]
  projectIds: readonly string[]
  change(make: (pages: Page[]) => Page[]): void
  look(): Promise<boolean>
  reload(): Promise<boolean>
  enabled: boolean
}

/**
 * Counts visible rows up as events arrive, and checks for rows that the list lacks. `acted` ends a long pause; `renew`
 * fetches rows as if somebody had changed them.
 */
function useLiveRows({ since, rows, waiting, enabled, ...listState }: Freshness) {
  const { organization, params, projectIds, change, look, reload } = listState
  const known = useMemo(() => new Set([...rows, ...waiting].map((row) => row.id)), [rows, waiting])
  const latest = useRef({ known, projectIds, params, change, look, reload })
  latest.current = { known, projectIds, params, change, look, reload }
  const live = useRef<LiveRows>(undefined)
  useEffect(() => {
    const renew = (id: string) =>
      apiFetch<RestIssue>(`organizations/${organization}/issues/${id}/`)
        .then((fresh) =>
          latest.current.change((pages) =>
            changeRows(pages, (row) =>
              row.id === id ? { ...fresh, count: row.count, stats: row.stats, userCount: row.userCount } : row,
            ),
          ),
        )
        .catch(() => {})
    const mine = createLiveRows({
      clock: systemClock,
      knownIds: () => latest.current.known,
      includesProject: (id) => latest.current.projectIds.length === 0 || latest.current.projectIds.includes(id),
      countUp: (counts) => {
        // The live stream does not contain the environment of events.
        if (latest.current.params.env) return
        const now = systemClock.now()
        latest.current.change((pages) => changeRows(pages, (row) => countUp(row, counts.get(row.id) ?? 0, now)))
      },
      renew: (ids) => {
        for (const id of ids) void renew(id)
      },
      fetchNewest: () => latest.current.look(),
      reload: () => latest.current.reload(),
    })
    live.current = mine
    return mine.stop
  }, [organization])
  // A new query is an action of the person.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when `look` changes
  useEffect(() => live.current?.acted(), [look])

  const after = useRef(since)
  useLive((liveChange, id) => {
    if (liveChange.kind === 'missed') after.current = 0
    // The rows contain this change. Do not count it twice.
    if (id > 0 && id <= after.current) return
    if (!enabled || (params.range.kind === 'absolute' && params.range.toMs < systemClock.now())) return
    live.current?.handle(liveChange)
  }, true)
  const acted = useCallback(() => live.current?.acted(), [])
  const renew = useCallback((ids: readonly string[]) => {
    for (const id of ids) live.current?.handle({ kind: 'issue', id })
  }, [])
  return { acted, renew }
}
