'use client'
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { RestLogLines, RestLogPatterns, RestLogSummary } from '../../../contract/explore/logs.ts'
import { ApiError, type ApiRequest, apiFetch } from '../../client/api.ts'
import { backoffMs } from '../../client/backoff.ts'
import { linesPerPage } from './params.ts'

/** What came with the document, and the query (as JSON) that it answers. */
export type FirstLogs = { key: string; lines: RestLogLines | undefined; summary: RestLogSummary | undefined }

export type LogQuery = NonNullable<ApiRequest['query']>

/** Retry while the store or the network is away. A wrong search stays wrong. */
const mayRetry = (tries: number, error: Error): boolean =>
  error instanceof ApiError && (error.code === 'STORE_UNAVAILABLE' || error.status === 0) && tries < 100

const calm = {
  staleTime: 60_000,
  refetchOnWindowFocus: false,
  retry: mayRetry,
  retryDelay: (tries: number) => backoffMs(tries),
  placeholderData: keepPreviousData,
} as const

/** The lines of a search, page by page. A new search cancels the requests of the last one and keeps its rows meanwhile. */
export function useLines(
  organization: string,
  query: LogQuery,
  columns: readonly string[],
  first: FirstLogs | undefined,
  enabled: boolean,
) {
  const key = ['logs', organization, query, columns.join(',')] as const
  const preloaded = first?.lines && first.key === JSON.stringify([query, columns]) ? first.lines : undefined
  const list = useInfiniteQuery<RestLogLines, Error, InfiniteData<RestLogLines>, typeof key, string | null>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      apiFetch<RestLogLines>(`organizations/${organization}/logs/`, {
        query: { ...query, column: columns, limit: linesPerPage, cursor: pageParam ?? undefined },
        signal,
      }),
    initialPageParam: null,
    getNextPageParam: (page) => page.next,
    ...(preloaded ? { initialData: { pages: [preloaded], pageParams: [null] } } : {}),
    ...calm,
    enabled,
  })
  const pages = list.data?.pages
  const lines = useMemo(() => pages?.flatMap((page) => page.lines) ?? [], [pages])
  return { list, lines, position: pages?.[0]?.position ?? '' }
}

/** Counts over time and facets of a search. */
export function useSummary(
  organization: string,
  query: LogQuery,
  fields: readonly string[],
  first: FirstLogs | undefined,
) {
  const preloaded =
    first?.summary && fields.length === 0 && first.key.startsWith(`[${JSON.stringify(query)},`)
      ? first.summary
      : undefined
  return useQuery<RestLogSummary>({
    queryKey: ['logs-summary', organization, query, fields.join(',')],
    queryFn: ({ signal }) =>
      apiFetch<RestLogSummary>(`organizations/${organization}/logs/summary/`, {
        query: { ...query, field: fields },
        signal,
      }),
    ...(preloaded ? { initialData: preloaded } : {}),
    ...calm,
  })
}

/** The number of repeated shapes of a search. It is asked alone, after the counts, unless the shapes themselves are listed. */
export function usePatternTotal(organization: string, query: LogQuery, isListed: boolean, isCounted: boolean) {
  const listed = usePatterns(organization, query, isListed)
  const counted = useQuery<RestLogPatterns>({
    queryKey: ['logs-pattern-count', organization, query],
    queryFn: ({ signal }) =>
      apiFetch<RestLogPatterns>(`organizations/${organization}/logs/patterns/`, {
        query: { ...query, limit: 0 },
        signal,
      }),
    enabled: isCounted && !isListed,
    ...calm,
  })
  const { data, isPlaceholderData } = isListed ? listed : counted
  return isPlaceholderData ? undefined : data?.total
}

/** The repeated shapes of a search. */
export const usePatterns = (organization: string, query: LogQuery, enabled: boolean) =>
  useQuery<RestLogPatterns>({
    queryKey: ['logs-patterns', organization, query],
    queryFn: ({ signal }) =>
      apiFetch<RestLogPatterns>(`organizations/${organization}/logs/patterns/`, { query, signal }),
    enabled,
    ...calm,
  })
