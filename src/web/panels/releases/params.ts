import {
  defaultPeriod,
  isRelativeRange,
  type Range,
  type RelativeRange,
  rangeOf,
  relativeRanges,
} from '../search/range.ts'

// Read by the server page and by the browser: both must mean the same by an address.

export const releaseSorts = ['order', 'date'] as const
type ReleaseSort = (typeof releaseSorts)[number]
export const releaseStatuses = ['open', 'archived'] as const
export type ReleaseStatus = (typeof releaseStatuses)[number]
export const releasesPerPage = 50
const offsetMax = 1_000_000
/** What a query takes: between 1970 and 2106, at most ten years. */
const momentMsMax = 4_294_967_295_000
const rangeMsMax = 3650 * 86_400_000

/** What the list of releases shows, as its address says it. */
export type ReleaseParams = {
  q: string
  project: string
  env: string
  range: Range
  sort: ReleaseSort
  status: ReleaseStatus
  /** Releases before the page's first. */
  at: number
}

export type Search = Record<string, string | string[] | undefined>

const item = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')

/** The range that an address asks for; the usual one where it asks for one that no query takes. */
export function rangeAsked(search: Search): Range {
  const range = rangeOf({ t: item(search.t) || null, from: item(search.from) || null, to: item(search.to) || null })
  if (range.kind === 'relative') return range
  const { fromMs, toMs } = range
  const fits = fromMs >= 0 && toMs <= momentMsMax && toMs - fromMs <= rangeMsMax
  return fits ? range : { kind: 'relative', period: defaultPeriod }
}

/** Reads the query string of the list. Unknown values become those of an empty query string. */
export function releaseParams(search: Search): ReleaseParams {
  const at = /^\d{1,7}$/.test(item(search.at)) ? Number(search.at) : 0
  return {
    q: item(search.q).trim().slice(0, 250),
    project: item(search.project),
    env: item(search.env),
    range: rangeAsked(search),
    sort: releaseSorts.find((sort) => sort === search.sort) ?? 'order',
    status: releaseStatuses.find((status) => status === search.status) ?? 'open',
    at: Math.min(at, offsetMax),
  }
}

/** Whether nothing narrows the list: nothing to show is then no release at all. */
export const isPlain = ({ q, project, env, status, at }: ReleaseParams): boolean =>
  q === '' && project === '' && env === '' && status === 'open' && at === 0

/** A change of the list's address; null takes a part out. */
export type ReleaseChange = Partial<
  Record<'q' | 'project' | 'env' | 't' | 'from' | 'to' | 'sort' | 'status' | 'at', string | null>
>

/**
 * The changed query string with its `?`, or '' if it is empty. Each change but that of the page goes to the first
 * page.
 */
export function changedSearch(search: URLSearchParams, change: ReleaseChange): string {
  const next = new URLSearchParams(search)
  for (const [key, value] of Object.entries({ at: null, ...change })) {
    if (value === null || value === '') next.delete(key)
    else next.set(key, value)
  }
  const text = next.toString()
  return text ? `?${text}` : ''
}

/** The range for the REST calls and the queries: statsPeriod, or start and end as ISO. */
export function spanQuery(range: Range): { statsPeriod: string } | { start: string; end: string } {
  return range.kind === 'relative'
    ? { statsPeriod: range.period }
    : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }
}

/** The shortest range that reaches back to `sinceMs`: what a release's page shows unless its address says otherwise. */
export function periodSince(sinceMs: number, nowMs: number): RelativeRange {
  const found = Object.entries(relativeRanges).find(([, lengthMs]) => sinceMs >= nowMs - lengthMs)?.[0] ?? '90d'
  return isRelativeRange(found) ? found : '90d'
}

/** A term of the search that means exactly this version: neither its quotes nor its stars are signs. */
export function versionTerm(field: 'release' | 'firstRelease', version: string): string {
  return `${field}:"${version.replaceAll('"', '\\"').replaceAll('*', '\\*')}"`
}

/** What is typed to delete a release: what a keyboard has of its version, at most 40 characters. */
export function typedName(version: string): string {
  return (
    version
      .replace(/[^ -~]/g, '')
      .trim()
      .slice(0, 40)
      .trim() || 'release'
  )
}

/** The version that a part of a path names. undefined when the part can't be decoded. */
export function versionOf(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
