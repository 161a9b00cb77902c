import type { Connection } from '../../connection.ts'
import { createNavigation } from './navigation.ts'
import type { PerformanceStore } from './performance-store.ts'
import { createRoute } from './route.ts'
import { createRoutes } from './routes.ts'
import { createSlow } from './slow.ts'
import { createStatements } from './statements.ts'
import { createVitals } from './vitals.ts'

/** Creates the queries of the performance pages. */
export function createPerformance(connection: Connection, database: string): PerformanceStore {
  const table = `${database}.spans`
  return {
    ...createRoutes(connection, table),
    ...createVitals(connection, table),
    ...createRoute(connection, table),
    ...createSlow(connection, table),
    ...createStatements(connection, table),
    ...createNavigation(connection, database),
  }
}
