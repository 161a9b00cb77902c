import type { Clock } from '../../../base/clock.ts'
import type { Connection } from '../connection.ts'
import type { PerformanceStore } from '../performance-store.ts'
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
  const table = `${database}.spans`
  return {
    ...createRoutes(connection, sourceOf),
    ...createCounts(connection, sourceOf),
    ...createVitals(connection, table, sourceOf),
    ...createRoute(connection, table),
    ...createSlow(connection, table),
    ...createStatements(connection, table, sourceOf),
    ...createNavigation(connection, database),
  }
}
