import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClickHouseNode, noNodeReason, startClickHouseNode } from '../../../e2e/engines/clickhouse-node/node.ts'
import { systemClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import { createEventStore } from './clickhouse.ts'
import { connect } from './connection.ts'
import { createFences } from './control.ts'
import { encodeEventRow } from './encode.ts'
import type { EventStore } from './event-store.ts'
import { eventsCases, row } from './events.cases.ts'
import { serverKind } from './kind.ts'

const skipped = noNodeReason()
const state: { node?: ClickHouseNode; store?: EventStore } = {}
const user = { name: 'mishap', password: 'a:b/c', database: 'errors' }

function node(): ClickHouseNode {
  if (!state.node) throw new Error('not started')
  return state.node
}
function store(): EventStore {
  if (!state.store) throw new Error('not started')
  return state.store
}
const access = () => ({
  url: node().url,
  kind: serverKind,
  user: user.name,
  password: user.password,
  clock: systemClock,
})
const open = (more: { installation?: string; password?: string; requestTimeoutMs?: number } = {}) =>
  createEventStore({ ...access(), database: user.database, installation: 'one', observe: silent, ...more })
const connection = () => connect({ ...access(), database: user.database })
const bytes = (n: number, projectId: number) => Buffer.from(encodeEventRow(row(n, { projectId })))

describe.skipIf(skipped)('a ClickHouse server, as a user with the grants of `mishap events grants`', () => {
  beforeAll(async () => {
    state.node = await startClickHouseNode({ users: [user] })
    await node().ask(`CREATE DATABASE ${user.database}`)
    state.store = open()
    await store().migrate()
  }, 90_000)

  afterAll(async () => {
    await state.store?.close()
    await state.node?.discard()
  })

  describe('holds what every events store does', () => eventsCases(store))
})
