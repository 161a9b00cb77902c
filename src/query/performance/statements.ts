import { MishapError } from '../../base/errors.ts'
import type { RestStatement, RestStatementCallers, RestStatements } from '../../contract/explore/performance.ts'
import type { StatementKind, StatementStats } from '../../store/events/performance-store.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { isoOf, nameOf, type PerformanceView, rateOf, scopeOf } from './compared.ts'
import { projectOfView, statementIdOf, statementOfId } from './ids.ts'

type Deps = Pick<QueryDeps, 'events'>

export const statementOrders = ['total', 'slow', 'count', 'failing'] as const
type StatementOrder = (typeof statementOrders)[number]

const callersMax = 50

const toRestStatement = (found: StatementStats, project: Project): RestStatement => ({
  id: statementIdOf(found),
  project: nameOf(project),
  statement: found.statement,
  samples: found.samples,
  count: found.count,
  totalMs: found.totalMs,
  p75: found.p75Ms,
  p95: found.p95Ms,
  failureRate: rateOf(found.failed, found.count),
  callers: found.callers,
  bytes: found.bytes,
  blocking: found.blocking,
})

/** Returns database statements, sent requests or assets in an order. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function performanceStatements(
  { events }: Deps,
  view: PerformanceView,
  request: { kind: StatementKind; text: string; order: StatementOrder; max: number; offset: number },
): Promise<RestStatements> {
  const scope = scopeOf(view)
  const { statements, all } = await events.statementStats({ scope, ...request })
  const projects = new Map(view.projects.map((project) => [project.id, project]))
  return {
    start: isoOf(scope.fromMs),
    end: isoOf(scope.toMs),
    all,
    rows: statements.flatMap((found) => {
      const project = projects.get(found.projectId)
      return project ? [toRestStatement(found, project)] : []
    }),
  }
}

/** Returns the routes that a statement runs in. Throws NOT_FOUND, QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function statementCallers(
  { events }: Deps,
  view: PerformanceView,
  kind: StatementKind,
  id: string,
): Promise<RestStatementCallers> {
  const named = statementOfId(id)
  const project = projectOfView(view.projects, named?.projectId)
  const scope = { ...scopeOf(view), projectIds: [project.id] }
  const hash = named?.hash ?? ''
  const { statements } = await events.statementStats({ scope, kind, text: '', hash, order: 'total', max: 1, offset: 0 })
  const [found] = statements
  if (!found) throw new MishapError('NOT_FOUND')
  const callers = await events.statementCallers({ scope, kind, statement: found.statement, max: callersMax })
  return {
    start: isoOf(scope.fromMs),
    end: isoOf(scope.toMs),
    statement: toRestStatement(found, project),
    callers: callers.map((caller) => ({
      project: nameOf(project),
      route: caller.route,
      samples: caller.samples,
      count: caller.count,
      totalMs: caller.totalMs,
      p95: caller.p95Ms,
      failureRate: rateOf(caller.failed, caller.count),
      slowest: caller.slowest,
    })),
  }
}
