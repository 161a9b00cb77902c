import type { Clock } from '../../../base/clock.ts'
import type { Connection } from '../connection.ts'
import type { PerformanceStore } from '../performance-store.ts'
import { segmentsName } from '../schema/segments.ts'
import { createCounts } from './counts.ts'
import { createNavigation } from './navigation.ts'
import { createRoute } from './route.ts'
import { createRoutes } from './routes.ts'
import { createSlow } from './slow.ts'
import { createStatements } from './statements.ts'
import { createVitals } from './vitals.ts'

/** Creates the queries of the performance pages. */
export function createPerformance(connection: Connection, database: string, clock: Clock): PerformanceStore {
  const sourceOf = () => ({ database, nowMs: clock.now() })
  const tables = { spans: `${database}.spans`, segments: `${database}.${segmentsName}` }
  return {
    ...createRoutes(connection, sourceOf),
    ...createCounts(connection, sourceOf),
    ...createVitals(connection, tables.segments, sourceOf),
    ...createRoute(connection, tables),
    ...createSlow(connection, tables),
    ...createStatements(connection, tables.spans, sourceOf),
    ...createNavigation(connection, database, tables.segments),
  }
}
