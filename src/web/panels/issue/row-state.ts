import type { RestIssue, RestPoint } from '../../../contract/issues.ts'
import { trendBars } from '../../ui/chart/bars.ts'
import { pointsOf } from '../../ui/chart/trend.tsx'

/** The one state that a row names. `times`: how many times the usual events of a bar an escalating issue has. */
export type RowState =
  | { kind: 'resolved' | 'archived' | 'noise' | 'new' | 'regressed' | 'escalating' }
  | { kind: 'times'; times: number }

/** Bars before the newest two that are needed to call their mean usual. */
const usualBarsMin = 3

/**
 * The larger of the newest two bars as a multiple of the mean of the earlier bars, from the first bar with events on.
 * The newest bar alone has only begun. Undefined below 2, and if there are too few earlier bars.
 */
export function timesUsual(points: readonly RestPoint[]): number | undefined {
  const { values } = trendBars(points)
  const earlier = values.slice(0, -2)
  const since = earlier.slice(
    Math.max(
      0,
      earlier.findIndex((value) => value > 0),
    ),
  )
  const sum = since.reduce((total, value) => total + value, 0)
  if (since.length < usualBarsMin || sum === 0) return undefined
  const times = Math.round(Math.max(...values.slice(-2)) / (sum / since.length))
  return times >= 2 ? times : undefined
}

/** The state word of a row: never two, because two draw more attention than the message. */
export function rowState(issue: Pick<RestIssue, 'status' | 'substatus' | 'noise' | 'stats'>): RowState | undefined {
  if (issue.status === 'resolved') return { kind: 'resolved' }
  if (issue.status === 'ignored') return { kind: 'archived' }
  if (issue.noise) return { kind: 'noise' }
  if (issue.substatus === 'new' || issue.substatus === 'regressed') return { kind: issue.substatus }
  if (issue.substatus !== 'escalating') return undefined
  const times = timesUsual(pointsOf(issue.stats))
  return times === undefined ? { kind: 'escalating' } : { kind: 'times', times }
}
