import { isRelativeRange, type RelativeRange, relativeRanges } from '../../../domain/time-ranges.ts'
import { searchWith } from '../../client/search-with.ts'
import { defaultPeriod, type Range, rangeOf } from '../search/range.ts'

// Server page and browser both use this module, so that they read a URL the same way.

export const releaseSorts = ['order', 'date'] as const
type ReleaseSort = (typeof releaseSorts)[number]
export const releaseStatuses = ['open', 'archived'] as const
export type ReleaseStatus = (typeof releaseStatuses)[number]
export const releasesPerPage = 50
const offsetMax = 1_000_000
/** Limits of a query: between 1970 and 2106, at most ten years. */
const momentMsMax = 4_294_967_295_000
const rangeMsMax = 3650 * 86_400_000

/** The state of the release list, as in its URL. */
export type ReleaseParams = {
  q: string
  project: string
  env: string
  range: Range
  sort: ReleaseSort
  status: ReleaseStatus
  /** Offset: number of releases before the page's first. */
  at: number
}

export type Search = Record<string, string | string[] | undefined>

const single = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')

/** The range in the URL. Falls back to the default range if the store would reject it. */
export function requestedRange(search: Search): Range {
  const range = rangeOf({
    t: single(search.t) || null,
    from: single(search.from) || null,
    to: single(search.to) || null,
  })
  if (range.kind === 'relative') return range
  const { fromMs, toMs } = range
  const fits = fromMs >= 0 && toMs <= momentMsMax && toMs - fromMs <= rangeMsMax
  return fits ? range : { kind: 'relative', period: defaultPeriod }
}

/** Reads the query string of the list. Unknown values fall back to the defaults. */
export function releaseParams(search: Search): ReleaseParams {
  const at = /^\d{1,7}$/.test(single(search.at)) ? Number(search.at) : 0
  return {
    q: single(search.q).trim().slice(0, 250),
    project: single(search.project),
    env: single(search.env),
    range: requestedRange(search),
    sort: releaseSorts.find((sort) => sort === search.sort) ?? 'order',
    status: releaseStatuses.find((status) => status === search.status) ?? 'open',
    at: Math.min(at, offsetMax),
  }
}

/** Whether no filter is set. An empty list then means that there are no releases. */
export const isPlain = ({ q, project, env, status, at }: ReleaseParams): boolean =>
  q === '' && project === '' && env === '' && status === 'open' && at === 0

/** A change of the list's URL; null removes a parameter. */
export type ReleaseChange = Partial<
  Record<'q' | 'project' | 'env' | 't' | 'from' | 'to' | 'sort' | 'status' | 'at', string | null>
>

/**
 * The changed query string with its `?`, or '' if it is empty. Every change except of `at` returns to the first page.
 */
export const changedSearch = (search: URLSearchParams, change: ReleaseChange): string =>
  searchWith(search, { at: null, ...change })

/** The range for REST calls and queries: statsPeriod, or start and end as ISO. */
export function spanQuery(range: Range): { statsPeriod: string } | { start: string; end: string } {
  return range.kind === 'relative'
    ? { statsPeriod: range.period }
    : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }
}

/** The shortest range that reaches back to `sinceMs`, at most 90 days: the default of a release's page. */
export function periodSince(sinceMs: number, nowMs: number): RelativeRange {
  const found = Object.entries(relativeRanges).find(([, lengthMs]) => sinceMs >= nowMs - lengthMs)?.[0] ?? '90d'
  return isRelativeRange(found) ? found : '90d'
}

/** A search term that matches exactly this version. Escapes quotes and wildcards. */
export function versionTerm(field: 'release' | 'firstRelease', version: string): string {
  return `${field}:"${version.replaceAll('"', '\\"').replaceAll('*', '\\*')}"`
}

/** The text to type to delete a release: the printable ASCII of its version, at most 40 characters. */
export function typedName(version: string): string {
  return (
    version
      .replace(/[^ -~]/g, '')
      .trim()
      .slice(0, 40)
      .trim() || 'release'
  )
}

/** Decodes a version from a path segment. Undefined if it is not valid. */
export function versionOf(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
