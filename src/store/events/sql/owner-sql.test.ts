import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { silent } from '../../../base/observe.ts'
import { createEventStore } from '../clickhouse.ts'
import { type Connection, connect } from '../connection.ts'
import { startTestEngine } from '../engine.cases.ts'
import type { EventStore } from '../event-store.ts'
import { ownerSqlCases } from './owner-sql.cases.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-sql-'))
const access = {
  url: 'http://localhost',
  socketPath: join(folder, 'engine.sock'),
  database: 'mishap',
  clock: systemClock,
  observe: silent,
}
const state: { engine?: ChildProcess; store?: EventStore; connection?: Connection } = {}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('not started')
  return part
}

beforeAll(async () => {
  state.engine = await startTestEngine(join(folder, 'data'), access.socketPath)
  state.store = createEventStore(access)
  state.connection = connect(access)
  await state.store.migrate()
}, 60_000)

afterAll(async () => {
  await state.store?.close()
  await state.connection?.close()
  state.engine?.disconnect()
  if (state.engine) await once(state.engine, 'exit')
  rmSync(folder, { recursive: true, force: true })
})

describe('the SQL of owners on the embedded engine', () =>
  ownerSqlCases(
    () => started(state.store),
    () => ({ connection: started(state.connection), name: 'mishap' }),
  ))
