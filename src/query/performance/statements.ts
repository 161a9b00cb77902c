import { MishapError } from '../../base/errors.ts'
import type { RestStatement, RestStatementCallers, RestStatements } from '../../contract/explore/performance.ts'
import type { Compared, StatementKind, StatementStats } from '../../store/events/performance-store.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { comparedOf, nameOf, type PerformanceView, rateOf, timesOf, wholeBeforeOf } from './compared.ts'
import { projectOfView, statementIdOf, statementOfId } from './ids.ts'

type Deps = Pick<QueryDeps, 'events'>

export const statementOrders = ['total', 'slow', 'count', 'failing'] as const
type StatementOrder = (typeof statementOrders)[number]

const callersMax = 50

const toRestStatement = (
  found: StatementStats,
  project: Project,
  before: StatementStats | undefined,
): RestStatement => ({
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
  previous: {
    samples: before?.samples ?? 0,
    count: before?.count ?? 0,
    totalMs: before?.totalMs ?? 0,
    p75: before?.p75Ms ?? null,
    p95: before?.p95Ms ?? null,
    failureRate: before ? rateOf(before.failed, before.count) : null,
  },
})

/** These statements in the range before, by their ids. */
async function beforeOf(
  { events }: Deps,
  compared: Compared,
  kind: StatementKind,
  statements: readonly StatementStats[],
): Promise<Map<string, StatementStats>> {
  if (statements.length === 0) return new Map()
  const found = await events.statementStats({
    scope: { ...compared.scope, ...wholeBeforeOf(compared) },
    kind,
    text: '',
    only: [...new Set(statements.map(({ statement }) => statement))],
    order: 'total',
    // The same statement can run in each project.
    max: statements.length * compared.scope.projectIds.length,
    offset: 0,
  })
  return new Map(found.statements.map((statement) => [statementIdOf(statement), statement]))
}

/** Returns database statements, sent requests or assets in an order, each with the range before. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function performanceStatements(
  deps: Deps,
  view: PerformanceView,
  request: { kind: StatementKind; text: string; order: StatementOrder; max: number; offset: number },
): Promise<RestStatements> {
  const compared = comparedOf(view)
  const { statements, all } = await deps.events.statementStats({ scope: compared.scope, ...request })
  const before = await beforeOf(deps, compared, request.kind, statements)
  const projects = new Map(view.projects.map((project) => [project.id, project]))
  return {
    ...timesOf(compared),
    all,
    rows: statements.flatMap((found) => {
      const project = projects.get(found.projectId)
      return project ? [toRestStatement(found, project, before.get(statementIdOf(found)))] : []
    }),
  }
}

/** Returns the routes that a statement runs in. Throws NOT_FOUND, QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function statementCallers(
  deps: Deps,
  view: PerformanceView,
  kind: StatementKind,
  id: string,
): Promise<RestStatementCallers> {
  const named = statementOfId(id)
  const project = projectOfView(view.projects, named?.projectId)
  const all = comparedOf(view)
  const scope = { ...all.scope, projectIds: [project.id] }
  const { events } = deps
  const hash = named?.hash ?? ''
  const { statements } = await events.statementStats({ scope, kind, text: '', hash, order: 'total', max: 1, offset: 0 })
  const [found] = statements
  if (!found) throw new MishapError('NOT_FOUND')
  const [callers, before] = await Promise.all([
    events.statementCallers({ scope, kind, statement: found.statement, max: callersMax }),
    beforeOf(deps, { ...all, scope }, kind, [found]),
  ])
  return {
    ...timesOf(all),
    statement: toRestStatement(found, project, before.get(statementIdOf(found))),
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
