import type { ApiRequest } from '../../client/api.ts'
import { type Range, rangeOf } from './range.ts'

// Server page and browser both use this module, so that they request the same rows.

export const sorts = ['last', 'first', 'events', 'users'] as const
export type Sort = (typeof sorts)[number]
/** The API's name of each sorting. */
export const apiSort = { last: 'date', first: 'new', events: 'freq', users: 'user' } as const satisfies Record<
  Sort,
  string
>
export const defaultQuery = 'is:unresolved'
/** Rows per page of the stream. */
export const rowsPerPage = 100

export type ListParams = { q: string; project: string; env: string; range: Range; sort: Sort }
export type ProjectName = { id: string; slug: string; name: string }

/** Reads the stream's state from a query string. Unknown values fall back to the defaults. */
export function paramsOf(search: URLSearchParams): ListParams {
  return {
    q: search.get('q') ?? defaultQuery,
    project: search.get('project') ?? '',
    env: search.get('env') ?? '',
    range: rangeOf({ t: search.get('t'), from: search.get('from'), to: search.get('to') }),
    sort: sorts.find((sort) => sort === search.get('sort')) ?? 'last',
  }
}

const wordsOf = (text: string): string[] => text.split(',').filter((part) => part !== '')
const projectOf = (word: string, projects: readonly ProjectName[]) =>
  projects.find((project) => project.id === word || project.slug === word)

/**
 * Ids of the projects that the URL names by slug or id, comma-separated; none means all. Unknown names stay unchanged:
 * the server knows former slugs and rejects the rest. Without them, the URL would mean all projects.
 */
export function projectIdsOf(named: string, projects: readonly ProjectName[]): string[] {
  return [...new Set(wordsOf(named).map((word) => projectOf(word, projects)?.id ?? word))]
}

/** Converts ids to slugs for the URL. Unknown words stay unchanged. */
export const projectSlugs = (words: readonly string[], projects: readonly ProjectName[]): string[] =>
  words.map((word) => projectOf(word, projects)?.slug ?? word)

/** The parameters of the REST call for a state of the stream. */
export function listQuery(params: ListParams, projectIds: readonly string[]) {
  const { range } = params
  return {
    query: params.q,
    sort: apiSort[params.sort],
    project: projectIds.length ? projectIds : undefined,
    environment: params.env ? params.env.split(',') : undefined,
    ...(range.kind === 'relative'
      ? { statsPeriod: range.period }
      : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }),
  } satisfies ApiRequest['query']
}

/** The parameters of a call that has no order, such as the volume. */
export const withoutSort = ({ sort: _, ...view }: ReturnType<typeof listQuery>) => view

/** Whether only the range was changed. An empty list then means inbox zero, not a search without matches. */
export const isPlain = (params: ListParams): boolean =>
  params.q.trim() === defaultQuery && params.project === '' && params.env === ''

/** The REST query for recently resolved issues, which an empty inbox shows. */
export const resolvedQuery = { query: 'is:resolved', sort: 'date', statsPeriod: '90d', limit: 5 } as const
/** Only environments seen in this period are offered. */
export const environmentsPeriod = '90d'

/** The query string that the issue page keeps: range and environment. */
export function viewSearchOf(params: Pick<ListParams, 'range' | 'env'>): string {
  const search = new URLSearchParams()
  if (params.range.kind === 'absolute') {
    search.set('from', new Date(params.range.fromMs).toISOString())
    search.set('to', new Date(params.range.toMs).toISOString())
  } else if (params.range.period !== '14d') search.set('t', params.range.period)
  if (params.env) search.set('env', params.env)
  const text = search.toString()
  return text ? `?${text}` : ''
}
