'use client'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { systemClock } from '../../clock.ts'
import type { LiveChange, RestIssue } from '../../protocol/rest.ts'
import { ApiError, apiFetch, apiPage } from '../api.ts'
import { useLive } from '../ui/live.tsx'
import { changeRows, countUp, mergeRows, type Page, rowsOf, type Standing, withStatus } from './rows.ts'
import { listQuery, rowsPerPage, type StreamParams } from './stream-query.ts'

const nothing: readonly RestIssue[] = []
type Data = InfiniteData<Page, string | null>
/** Pause between two looks for new rows, ms; a look costs one request. */
const lookMs = 250
/** Pause between two refreshes of rows that only counted up, ms: users and statuses come from there. */
const refreshMs = 5000

/** Silence and a store that is away pass by themselves: asked for again for half an hour. */
function mayWait(tries: number, error: Error): boolean {
  return error instanceof ApiError && (error.code === 'STORE_UNAVAILABLE' || error.status === 0) && tries < 1000
}

export type Issues = ReturnType<typeof useIssues>

/** The first page as the server had it for `key`, the JSON text of the query. */
export type FirstRows = { key: string; page: Page }

type Key = readonly ['issues', string, ReturnType<typeof listQuery>]

function useListQuery(path: string, key: Key, query: Key[2], first: FirstRows | undefined) {
  // Only while the page is new: a later return to this query must not show rows of long ago.
  const [given, setGiven] = useState(first)
  useEffect(() => setGiven(undefined), [])
  const list = useInfiniteQuery<Page, Error, Data, Key, string | null>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      apiPage<RestIssue>(path, { query: { ...query, limit: rowsPerPage, cursor: pageParam ?? undefined }, signal }),
    ...(given && given.key === JSON.stringify(query)
      ? { initialData: { pages: [given.page], pageParams: [null] } }
      : {}),
    initialPageParam: null,
    getNextPageParam: (page) => page.next,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: mayWait,
    retryDelay: 2000,
    placeholderData: (before) => before,
  })
  return list
}

/**
 * The rows of the stream: pages by cursor, kept fresh by the live stream. `projectIds` empty: all. `first` comes with
 * the document, so that rows are painted before any script runs.
 */
export function useIssues(
  organization: string,
  params: StreamParams,
  projectIds: readonly string[],
  first: FirstRows | undefined,
) {
  const client = useQueryClient()
  const path = `organizations/${organization}/issues/`
  const query = useMemo(() => listQuery(params, projectIds), [params, projectIds])
  const key = useMemo(() => ['issues', organization, query] as const, [organization, query])
  const list = useListQuery(path, key, query, first)
  const [held, setHeld] = useState<{ key: typeof key; rows: RestIssue[] }>({ key, rows: [] })
  const waiting = held.key === key ? held.rows : nothing
  const pages = list.data?.pages
  const rows = useMemo(() => rowsOf(pages ?? []), [pages])
  const change = useCallback(
    (make: (pages: Page[]) => Page[]) =>
      client.setQueryData<Data>(key, (data) => data && { ...data, pages: make(data.pages) }),
    [client, key],
  )
  const look = useCallback(async () => {
    const page = await apiPage<RestIssue>(path, { query: { ...query, limit: 50 } })
    const data = client.getQueryData<Data>(key)
    if (!data) return
    const { pages: merged, unknown } = mergeRows(data.pages, page.rows)
    const first = merged[0]
    const isEmpty = rowsOf(data.pages).length === 0
    if (isEmpty && first) merged[0] = { ...first, rows: unknown, hits: page.hits }
    client.setQueryData<Data>(key, { ...data, pages: merged })
    if (isEmpty) return
    // At least 100 rows (or all) are loaded, so one of the first 50 that the list lacks is news.
    setHeld((before) => ({ key, rows: rowsOf([], before.key === key ? [...unknown, ...before.rows] : unknown) }))
  }, [client, key, path, query])
  const cached = useRef(list.isSuccess)
  useEffect(() => {
    // Rows of the cache or of the document stand at once; what came meanwhile is fetched behind them.
    if (cached.current) void look().catch(() => {})
    cached.current = false
  }, [look])
  useLiveRows({
    ...{ organization, params, rows, waiting, projectIds, change, look },
    enabled: list.isSuccess && !list.isPlaceholderData,
  })

  return {
    list,
    rows,
    waiting,
    hits: pages?.[0]?.hits ?? null,
    /** Puts the rows that wait on top of the list. */
    showWaiting: () => {
      change((all) => all.map((page, at) => (at === 0 ? { ...page, rows: rowsOf([page], waiting) } : page)))
      setHeld({ key, rows: [] })
    },
    /** Shows a status before (or without) asking the server. */
    show: (ids: readonly string[], standing: Standing) => {
      const wanted = new Set(ids)
      change((all) => changeRows(all, (row) => (wanted.has(row.id) ? withStatus(row, standing) : row)))
    },
    refresh: () => void look().catch(() => {}),
  }
}

type LiveRows = {
  organization: string
  params: StreamParams
  rows: readonly RestIssue[]
  waiting: readonly RestIssue[]
  projectIds: readonly string[]
  change(make: (pages: Page[]) => Page[]): void
  look(): Promise<void>
  enabled: boolean
}

type Due = {
  /** Events to count up, by issue. */
  counts: Map<string, number>
  /** An issue had events that the list does not have. */
  unknown: boolean
  /** Rows counted up since the last look. */
  stale: boolean
  /** Issues that a person changed. */
  changed: Set<string>
  atMs: number
  lookedMs: number
  cancel: (() => void) | undefined
}

/** Adds a message of the live stream to what is due. */
function note(
  live: Exclude<LiveChange, { kind: 'engine' }>,
  due: Due,
  known: ReadonlySet<string>,
  projectIds: readonly string[],
): void {
  if (live.kind === 'issue') {
    if (known.has(live.id)) due.changed.add(live.id)
    return
  }
  for (const project of live.projects) {
    if (projectIds.length && !projectIds.includes(project.id)) continue
    for (const issue of project.issues) {
      if (known.has(issue.id)) due.counts.set(issue.id, (due.counts.get(issue.id) ?? 0) + issue.events)
      else due.unknown = true
    }
  }
}

/** Counts visible rows up as events arrive, and looks for rows that the list does not have. */
function useLiveRows({ organization, params, rows, waiting, projectIds, change, look, enabled }: LiveRows): void {
  const known = useMemo(() => new Set([...rows, ...waiting].map((row) => row.id)), [rows, waiting])
  const due = useRef<Due>({
    counts: new Map(),
    unknown: false,
    stale: false,
    changed: new Set(),
    atMs: 0,
    lookedMs: 0,
    cancel: undefined,
  })
  const latest = useRef({ known, change, look })
  latest.current = { known, change, look }
  useEffect(() => () => due.current.cancel?.(), [])

  function flush(): void {
    const now = systemClock.now()
    const state = due.current
    state.cancel = undefined
    state.atMs = now
    const counts = state.counts
    state.counts = new Map()
    if (counts.size && !params.env) {
      latest.current.change((pages) => changeRows(pages, (row) => countUp(row, counts.get(row.id) ?? 0, now)))
    }
    for (const id of state.changed) {
      apiFetch<RestIssue>(`organizations/${organization}/issues/${id}/`)
        .then((fresh) =>
          latest.current.change((pages) =>
            changeRows(pages, (row) =>
              row.id === id ? { ...fresh, count: row.count, stats: row.stats, userCount: row.userCount } : row,
            ),
          ),
        )
        .catch(() => {})
    }
    state.changed.clear()
    state.stale ||= counts.size > 0
    if (!state.unknown && !state.stale) return
    if (!state.unknown && now - state.lookedMs < refreshMs) {
      later(refreshMs)
      return
    }
    state.unknown = false
    state.stale = false
    state.lookedMs = now
    latest.current.look().catch(() => {})
  }
  function later(ms: number): void {
    const state = due.current
    state.cancel ??= systemClock.after(ms, flush)
  }

  useLive((live) => {
    if (!enabled || (params.range.kind === 'absolute' && params.range.toMs < systemClock.now())) return
    const state = due.current
    if (live.kind === 'engine') return live.up ? void latest.current.look().catch(() => {}) : undefined
    note(live, state, latest.current.known, projectIds)
    if (state.unknown || state.counts.size || state.changed.size) {
      // A refresh that waits long must not hold back news.
      state.cancel?.()
      state.cancel = undefined
      later(Math.max(0, state.atMs + lookMs - systemClock.now()))
    }
  })
}
