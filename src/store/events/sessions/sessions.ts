import type { Connection } from '../connection.ts'
import type { SessionStore } from '../session-store.ts'
import { createSessionClosing } from './close.ts'
import { createSessionCounts } from './counts.ts'

/** Creates the session queries and the rollup of their days. */
export const createSessions = (connection: Connection, database: string): SessionStore => ({
  ...createSessionCounts(connection, database),
  ...createSessionClosing(connection, database),
})
