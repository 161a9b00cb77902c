import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import { createEventStore } from './clickhouse.ts'
import { connect } from './connection.ts'
import { startTestEngine } from './engine.cases.ts'
import type { EventStore } from './event-store.ts'
import { logTextCases } from './log-text.cases.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-log-text-'))
const access = {
  url: 'http://localhost',
  socketPath: join(folder, 'engine.sock'),
  database: 'mishap',
  clock: systemClock,
}
const connection = connect(access)
const state: { stop?: () => Promise<void>; store?: EventStore } = {}

function store(): EventStore {
  if (!state.store) throw new Error('not started')
  return state.store
}

beforeAll(async () => {
  const engine = await startTestEngine(join(folder, 'data'), access.socketPath)
  state.store = createEventStore({ ...access, observe: silent })
  state.stop = async () => {
    await state.store?.close()
    engine.kill('SIGTERM')
    await once(engine, 'exit')
  }
  await state.store.migrate()
}, 20_000)

afterAll(async () => {
  await connection.close()
  await state.stop?.()
  rmSync(folder, { recursive: true, force: true })
})

describe('texts of log lines', () => {
  const merge = (table: string) => connection.command(`OPTIMIZE TABLE mishap.${table} FINAL`, {}, { seconds: 60 })
  logTextCases(store, () => ({ connection, name: 'mishap', merge }))
})
