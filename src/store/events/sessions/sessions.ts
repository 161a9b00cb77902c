import type { Connection } from '../connection.ts'
import type { SessionStore } from '../session-store.ts'
import { createSessionClosing } from './close.ts'
import { createSessionCounts } from './counts.ts'

/** What is asked of sessions, and the closing of their days. */
export const createSessions = (connection: Connection, database: string): SessionStore => ({
  ...createSessionCounts(connection, database),
  ...createSessionClosing(connection, database),
})
