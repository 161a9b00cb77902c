import { noJobOps } from '../../../domain/traces/job-ops.ts'
import type { Scope } from '../events.ts'
import type { RouteFilter, RouteMetric } from '../performance-store.ts'
import { likePattern, type Values } from '../reading/filter.ts'
import { compares } from '../searching/filter.ts'

/** Fewer segments in one of the periods give no stable change of a percentile. */
export const comparedMin = 50
const dayMs = 86_400_000
const minuteMs = 60_000

/** Whether the op of a segment is one of a job. */
export const isJob = (values: Values): string =>
  `splitByChar('.', toString(op))[1] NOT IN ${values.add('Array(String)', [...noJobOps])}`

/** The figures as expressions over the columns of `routeStats`, and the condition that a route has them. */
const metrics = (values: Values, scope: Scope): Record<RouteMetric, readonly [has: string, value: string]> => {
  const days = values.add('Float64', (scope.toMs - scope.fromMs) / dayMs)
  const minutes = values.add('Float64', (scope.toMs - scope.fromMs) / minuteMs)
  return {
    requests: ['1', 'c'],
    throughput: ['1', `c / ${minutes}`],
    samples: ['1', 'n'],
    lost: ['1', `lost_own / 1000 / ${days}`],
    p50: ['measured_c > 0', 'p[1] / 1000'],
    p75: ['measured_c > 0', 'p[2] / 1000'],
    p95: ['measured_c > 0', 'p[3] / 1000'],
    failureRate: ['1', 'failed_c / c'],
    apdex: ['measured_c > 0', 'apdex / measured_c'],
    change: [`n >= ${comparedMin} AND n_before >= ${comparedMin}`, 'p[2] / p_before[2] - 1'],
  }
}

/** Whether a condition reads only the name of a route, which every row has. */
function isOfName(filter: RouteFilter): boolean {
  if (filter.op === 'not') return isOfName(filter.of)
  if ('of' in filter) return filter.of.every(isOfName)
  return filter.op === 'match' || filter.op === 'projects' || filter.op === 'job'
}

/** Splits a condition: names are compared before rows are grouped, so that other routes cost no percentiles. */
export function splitRouteFilter(filter: RouteFilter | undefined): { names: RouteFilter; metrics: RouteFilter } {
  const parts = filter === undefined ? [] : filter.op === 'and' ? filter.of : [filter]
  return {
    names: { op: 'and', of: parts.filter(isOfName) },
    metrics: { op: 'and', of: parts.filter((part) => !isOfName(part)) },
  }
}

/** Whether a condition reads the range before: the change of a p75, or whether a route is new. */
export function readsBefore(filter: RouteFilter): boolean {
  if (filter.op === 'not') return readsBefore(filter.of)
  if ('of' in filter) return filter.of.some(readsBefore)
  return filter.op === 'new' || (filter.op === 'compare' && filter.metric === 'change')
}

/** Compiles a condition on routes to SQL in parentheses. Its values are added to `values`. */
export function compileRouteFilter(values: Values, filter: RouteFilter, scope: Scope): string {
  switch (filter.op) {
    case 'and':
    case 'or': {
      if (filter.of.length === 0) return filter.op === 'and' ? '(1)' : '(0)'
      const parts = filter.of.map((part) => compileRouteFilter(values, part, scope))
      return `(${parts.join(filter.op === 'and' ? ' AND ' : ' OR ')})`
    }
    case 'not':
      return `(NOT ${compileRouteFilter(values, filter.of, scope)})`
    case 'match':
      return filter.match === 'is'
        ? `(toString(${filter.column}) = ${values.add('String', filter.text)})`
        : `(toString(${filter.column}) ILIKE ${values.add('String', likePattern(filter.text))})`
    case 'projects':
      return `(project_id IN ${values.add('Array(UInt64)', filter.ids)})`
    case 'compare': {
      const [has, value] = metrics(values, scope)[filter.metric]
      return `(${has} AND ${value} ${compares[filter.compare]} ${values.add('Float64', filter.number)})`
    }
    case 'new':
      return `(n_before = 0 AND project_id IN ${values.add('Array(UInt64)', filter.projectIds)})`
    case 'job':
      return `(${isJob(values)})`
  }
}
