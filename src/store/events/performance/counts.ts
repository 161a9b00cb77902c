import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import { type PerformanceStore, statementKinds } from '../performance-store.ts'
import { createValues } from '../reading/filter.ts'
import { isRolled, type Source, segmentFacts, statementFacts } from './facts.ts'
import { isJob } from './route-filter.ts'
import { categories } from './statements.ts'

type StoredSegments = { routes: string; jobs: string; samples: string; c: number }

/** Creates the query of the numbers beside the tabs. */
export function createCounts(
  connection: Connection,
  sourceOf: () => Source,
): Pick<PerformanceStore, 'performanceCounts'> {
  const segmentsOf = async (scope: Scope) => {
    const values = createValues()
    const facts = segmentFacts(values, sourceOf(), { scope }, true, isRolled(scope))
    const [row] = await connection.rows<StoredSegments>(
      `SELECT uniqExact(project_id, op, route) AS routes, uniqExactIf(project_id, op, route, ${isJob(values)}) AS jobs,
         sum(n) AS samples, sum(weight) AS c
       FROM ${facts} AS facts WHERE own`,
      values.bound,
    )
    return row
  }
  const statementsOf = async (scope: Scope, category: string) => {
    const values = createValues()
    const facts = statementFacts(values, sourceOf(), scope, category, isRolled(scope))
    const [row] = await connection.rows<{ n: string }>(
      `SELECT uniqExact(project_id, statement) AS n FROM ${facts} AS facts`,
      values.bound,
    )
    return Number(row?.n ?? 0)
  }
  return {
    async performanceCounts(scope) {
      const nothing = { routes: 0, jobs: 0, queries: 0, requests: 0, assets: 0, samples: 0, count: 0 }
      if (scope.projectIds.length === 0) return nothing
      const [segments, queries = 0, requests = 0, assets = 0] = await Promise.all([
        segmentsOf(scope),
        ...statementKinds.map((kind) => statementsOf(scope, categories[kind])),
      ])
      if (!segments) return nothing
      return {
        routes: Number(segments.routes),
        jobs: Number(segments.jobs),
        queries,
        requests,
        assets,
        samples: Number(segments.samples),
        count: segments.c,
      }
    },
  }
}
