import { type VitalLoads, vitalLoads } from '../../../domain/traces/vitals.ts'
import { searchWith } from '../../client/search-with.ts'
import { type Range, rangeOf } from '../search/range.ts'
import { quoted } from '../search/terms.ts'

// Server page and browser both use this module, so that they read a URL the same way.

/** The default range: a week has every weekday, and a month costs more to read. */
const performancePeriod = '7d'
export const routeSorts = ['lost', 'slow', 'worse', 'failing', 'volume'] as const
export type RouteSort = (typeof routeSorts)[number]
export const statementSorts = ['total', 'slow', 'count', 'failing'] as const
type StatementSort = (typeof statementSorts)[number]
export const againsts = ['previous', 'week'] as const
type AgainstChoice = (typeof againsts)[number]
export const rowsPerPage = 100
const offsetMax = 1_000_000
/** Limits of a query: between 1970 and 2106, at most ten years. */
const momentMsMax = 4_294_967_295_000
const rangeMsMax = 3650 * 86_400_000
/** No selected duration is longer than a day. */
const durationMsMax = 86_400_000
/** The limit of the search language. */
const queryCharactersMax = 4096

export type Search = Record<string, string | string[] | undefined>

/** The state of the performance pages, as in their URL. */
export type PerformanceParams = {
  project: string
  env: string
  range: Range
  against: AgainstChoice
  q: string
  sort: RouteSort
  statementSort: StatementSort
  /** Number of rows before the first of the page. */
  at: number
  release: string
  /** Whose web vitals are shown. */
  loads: VitalLoads
  /** The selected statement. */
  open: string
  /** Segments that an SDK ended early count for percentiles too. */
  cut: boolean
  /** The selected durations in ms. */
  brush: { fromMs: number; toMs: number } | undefined
  /** The selected part of the range, ms since 1970. */
  during: { fromMs: number; toMs: number } | undefined
}

const single = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')

function requestedRange(search: Search): Range {
  const [t, from, to] = [single(search.t) || performancePeriod, single(search.from) || null, single(search.to) || null]
  const range = rangeOf({ t, from, to })
  if (range.kind === 'relative') return range
  const fits = range.fromMs >= 0 && range.toMs <= momentMsMax && range.toMs - range.fromMs <= rangeMsMax
  return fits ? range : { kind: 'relative', period: performancePeriod }
}

function brushOf(text: string): PerformanceParams['brush'] {
  const found = /^(\d{1,9}(?:\.\d{1,3})?)-(\d{1,9}(?:\.\d{1,3})?)?$/.exec(text)
  if (!found) return undefined
  const [fromMs, toMs] = [Number(found[1]), found[2] === undefined ? durationMsMax : Number(found[2])]
  return fromMs < toMs && toMs <= durationMsMax ? { fromMs, toMs } : undefined
}

function duringOf(text: string): PerformanceParams['during'] {
  const found = /^(\d{1,13})-(\d{1,13})$/.exec(text)
  const [fromMs, toMs] = [Number(found?.[1]), Number(found?.[2])]
  return fromMs < toMs && toMs <= momentMsMax ? { fromMs, toMs } : undefined
}

/** Reads the query string. Unknown values fall back to the defaults. */
export function performanceParams(search: Search): PerformanceParams {
  const at = /^\d{1,7}$/.test(single(search.at)) ? Number(search.at) : 0
  return {
    project: single(search.project),
    env: single(search.env),
    range: requestedRange(search),
    against: againsts.find((choice) => choice === search.against) ?? 'previous',
    q: single(search.q).trim().slice(0, queryCharactersMax),
    sort: routeSorts.find((sort) => sort === search.sort) ?? 'lost',
    statementSort: statementSorts.find((sort) => sort === search.sort) ?? 'total',
    at: Math.min(at, offsetMax),
    release: single(search.release).slice(0, 250),
    loads: vitalLoads.find((loads) => loads === search.loads) ?? 'pageload',
    open: single(search.open).slice(0, 40),
    cut: search.cut === '1',
    brush: brushOf(single(search.brush)),
    during: duringOf(single(search.during)),
  }
}

/** The selected part of a range. Undefined if a change of the range left it outside. */
export const withinRange = (
  during: PerformanceParams['during'],
  { start, end }: { start: string; end: string },
): PerformanceParams['during'] =>
  during && during.toMs > Date.parse(start) && during.fromMs < Date.parse(end) ? during : undefined

/** Whether no filter is set. An empty list then means that no spans came. */
export const isPlain = ({ q, project, env, at, release }: PerformanceParams): boolean =>
  q === '' && project === '' && env === '' && at === 0 && release === ''

export type PerformanceChange = Partial<
  Record<
    | 'project'
    | 'env'
    | 't'
    | 'from'
    | 'to'
    | 'against'
    | 'q'
    | 'sort'
    | 'at'
    | 'release'
    | 'loads'
    | 'open'
    | 'cut'
    | 'brush'
    | 'during',
    string | null
  >
>

/** The changed query string with its `?`, or ''. Every change except of `at` and of selections returns to the first page. */
export function changedSearch(search: URLSearchParams, change: PerformanceChange): string {
  const isSelection = Object.keys(change).every((key) => key === 'open' || key === 'brush' || key === 'during')
  return searchWith(search, isSelection ? change : { at: null, ...change })
}

/** The parameters that all performance pages share: tabs and links between them keep these. */
export function scopeSearch(search: URLSearchParams): string {
  const kept = new URLSearchParams()
  for (const key of ['project', 'env', 't', 'from', 'to', 'against', 'cut']) {
    const value = search.get(key)
    if (value) kept.set(key, value)
  }
  return kept.size > 0 ? `?${kept}` : ''
}

/** The parameters of a REST call for a view. */
export function viewQueryOf(params: PerformanceParams, projectIds: readonly string[]) {
  const { range } = params
  return {
    project: projectIds.length ? projectIds : undefined,
    environment: params.env ? params.env.split(',') : undefined,
    against: params.against,
    cut: params.cut ? '1' : undefined,
    ...(range.kind === 'relative'
      ? { statsPeriod: range.period }
      : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }),
  }
}

/** The query string of the list of routes with one name: its page loads, navigations and requests. */
export function routeSearch(kept: string, route: string): string {
  const search = new URLSearchParams(kept)
  search.set('q', `route:${quoted(route)}`)
  return `?${search}`
}
