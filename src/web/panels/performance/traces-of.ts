import { spanKeyOf, spanKeys } from '../../../query/traces/span-keys.ts'
import { keyOfTag, quoted } from '../search/terms.ts'

type Selected = {
  route: string
  op: string
  /** Slug of the route's project. */
  project: string
  /** The selected durations in ms; `toMs` undefined: to the longest. */
  fromMs: number
  toMs: number | undefined
  /** The selected part of the range, ms since 1970. */
  during: { fromMs: number; toMs: number } | undefined
  /** A value that the segments must have. */
  having: { key: string; value: string } | undefined
}

/** A column of segments that spans do not have. */
const unsearched = 'browser'

/** The term of a value: a column such as the release, or an attribute. */
const termOf = ({ key, value }: { key: string; value: string }): string =>
  `${spanKeys.some(({ name }) => name === key) || key === 'http.status' ? key : keyOfTag(key, spanKeyOf)}:${quoted(value)}`

/** Limits of a search need no more digits. */
const rounded = (ms: number): string => `${Math.round(ms * 1000) / 1000}ms`

/**
 * The query string of the page Traces with the selected segments of a route, in the scope of `kept`. Undefined if the
 * search over spans cannot name the value.
 */
export function tracesOf(kept: string, { route, op, project, fromMs, toMs, during, having }: Selected) {
  if (having?.key === unsearched) return undefined
  const from = new URLSearchParams(kept)
  const search = new URLSearchParams()
  for (const name of ['env', 't', 'from', 'to']) {
    const value = from.get(name)
    if (value) search.set(name, value)
  }
  // A week is the default of the performance pages only.
  if (!search.has('t') && !search.has('from')) search.set('t', '7d')
  if (during) {
    search.delete('t')
    search.set('from', new Date(during.fromMs).toISOString())
    search.set('to', new Date(during.toMs).toISOString())
  }
  search.set('project', project)
  search.set(
    'q',
    [
      'is_transaction:true',
      ...(op ? [`span.op:${quoted(op)}`] : []),
      ...(route ? [`route:${quoted(route)}`] : []),
      ...(fromMs > 0 ? [`span.duration:>=${rounded(fromMs)}`] : []),
      ...(toMs === undefined ? [] : [`span.duration:<${rounded(toMs)}`]),
      ...(having ? [termOf(having)] : []),
    ].join(' '),
  )
  return `?${search}`
}
