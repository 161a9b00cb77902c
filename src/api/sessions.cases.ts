import type { SessionRow } from '../store/events/session-store.ts'
import { encodeSessionRow } from '../store/events/sessions/encode.ts'
import type { TestApp } from './app.cases.ts'

const hourMs = 3_600_000

/** Stores sessions of the project of a test. Each is one that ended an hour ago, of `web@2.0.0`, with these changes. */
export async function storeSessions(
  { app, project }: TestApp,
  changes: readonly Partial<SessionRow>[],
  jpos = 5_000_000,
): Promise<void> {
  const nowMs = Date.now()
  const rows = changes.map(
    (change, place): SessionRow => ({
      projectId: project.id,
      sid: `session ${jpos} ${place}`,
      startedMs: nowMs - hourMs,
      release: 'web@2.0.0',
      environment: 'production',
      seq: 0,
      status: 'exited',
      hasErrors: false,
      isInit: true,
      quantity: 1,
      userHash: '',
      durationS: -1,
      receivedMs: nowMs,
      jpos,
      place,
      entries: 1,
      ...change,
    }),
  )
  await app.events.insert('sessions', Buffer.from(rows.map(encodeSessionRow).join('')), `sessions:${jpos}`)
}
