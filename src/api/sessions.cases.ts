import type { SessionRow } from '../store/events/session-store.ts'
import { encodeSessionRow } from '../store/events/sessions/encode.ts'
import type { TestApp } from './app.cases.ts'

const hourMs = 3_600_000

/** A session that ended an hour before `receivedMs`, of `web@2.0.0`, with these changes. */
export const sessionRow = (
  of: Pick<SessionRow, 'projectId' | 'receivedMs' | 'place'>,
  changes: Partial<SessionRow> = {},
): SessionRow => ({
  sid: `session ${of.place}`,
  startedMs: of.receivedMs - hourMs,
  release: 'web@2.0.0',
  environment: 'production',
  seq: 0,
  status: 'exited',
  hasErrors: false,
  isInit: true,
  quantity: 1,
  userHash: '',
  durationS: -1,
  jpos: 5_000_000,
  entries: 1,
  ...of,
  ...changes,
})

/** Stores sessions of the project of a test, received now. */
export async function storeSessions(
  { app, project }: TestApp,
  changes: readonly Partial<SessionRow>[],
  jpos = 5_000_000,
): Promise<void> {
  const receivedMs = Date.now()
  const rows = changes.map((change, place) =>
    sessionRow({ projectId: project.id, receivedMs, place }, { sid: `session ${jpos} ${place}`, jpos, ...change }),
  )
  await app.events.insert('sessions', Buffer.from(rows.map(encodeSessionRow).join('')), `sessions:${jpos}`)
}
