import type { Plan } from '../../../contract/explore/explore.ts'
import { planLimits } from '../../../domain/datasets.ts'
import { isRelativeRange } from '../../../domain/time-ranges.ts'
import type { ExploreMode, ExploreSort } from '../../../query/traces/span-explore.ts'
import { searchWith } from '../../client/search-with.ts'
import { type Range, rangeOf } from '../search/range.ts'

// Server page and browser both use this module, so that they read a URL the same way.

const modes: readonly ExploreMode[] = ['traces', 'spans']
export const traceSorts: readonly ExploreSort[] = ['newest', 'slowest', 'fastest']
const offsetMax = 10_000
/** The range of the list without a parameter. */
export const tracesPeriod = '24h'
/** Limits of a query: between 1970 and 2106, at most ten years. */
const momentMsMax = 4_294_967_295_000
const rangeMsMax = 3650 * 86_400_000
const queryCharactersMax = 4096

/** The state of the screen, as in its URL. */
export type TraceParams = {
  q: string
  project: string
  env: string
  range: Range
  mode: ExploreMode
  sort: ExploreSort
  /** Number of spans before the page's first. */
  at: number
}

export type TraceChange = Partial<
  Record<'q' | 'project' | 'env' | 't' | 'from' | 'to' | 'mode' | 'sort' | 'at', string | null>
>

/** Reads the query string. Unknown values fall back to the defaults: traces of the last 24 hours, newest first. */
export function traceParams(search: URLSearchParams): TraceParams {
  const at = /^\d{1,5}$/.test(search.get('at') ?? '') ? Number(search.get('at')) : 0
  const period = search.get('t') ?? ''
  const range = rangeOf({
    t: isRelativeRange(period) ? period : tracesPeriod,
    from: search.get('from'),
    to: search.get('to'),
  })
  const fits =
    range.kind === 'relative' ||
    (range.fromMs >= 0 && range.toMs <= momentMsMax && range.toMs - range.fromMs <= rangeMsMax)
  return {
    q: (search.get('q') ?? '').trim().slice(0, queryCharactersMax),
    project: search.get('project') ?? '',
    env: search.get('env') ?? '',
    range: fits ? range : { kind: 'relative', period: tracesPeriod },
    mode: modes.find((mode) => mode === search.get('mode')) ?? 'traces',
    sort: traceSorts.find((sort) => sort === search.get('sort')) ?? 'newest',
    at: Math.min(at, offsetMax),
  }
}

/**
 * The changed query string with its `?`. Every change except of `at` returns to the first page. Without any parameter the
 * list would open with the reader's default view, so an empty search stays in the address.
 */
export const changedSearch = (search: URLSearchParams, change: TraceChange): string =>
  searchWith(search, { at: null, ...change }) || '?q='

/** Whether nothing limits the spans but the range. An empty list then means that none came in it. */
export const isPlain = ({ q, project, env, at }: TraceParams): boolean =>
  q === '' && project === '' && env === '' && at === 0

/** Rounds a duration for a search: three digits are enough to select bars. */
const rounded = (ms: number): string => {
  const [value, unit] = ms >= 1000 ? [ms / 1000, 's'] : [ms, 'ms']
  return `${Number(value.toPrecision(3))}${unit}`
}

const durationTerms = /(^|\s)!?span\.duration:(?:[<>]=?)?[\w.]+(?=\s|$)/g

/** The search with a duration between two limits, in place of those that it has. */
export function withDuration(q: string, fromMs: number, toMs: number): string {
  const rest = q.replace(durationTerms, ' ').replace(/\s+/g, ' ').trim()
  return `${rest} span.duration:>=${rounded(fromMs)} span.duration:<${rounded(toMs)}`.trim()
}

/** The search without its terms of durations. */
export const withoutDuration = (q: string): string => q.replace(durationTerms, ' ').replace(/\s+/g, ' ').trim()

/** The spans of a search as rows to export, newest first as every export. A trace is the spans that match in it. */
export const spanPlan = ({ q }: Pick<TraceParams, 'q'>): Plan => ({
  dataset: 'spans',
  query: q,
  columns: ['timestamp', 'trace', 'span_id', 'span.op', 'span.description', 'span.duration', 'project', 'release'],
  groupBy: [],
  series: [],
  formulas: [],
  order: '-timestamp',
  limit: planLimits.rows,
})
