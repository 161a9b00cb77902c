// The whole product on PostgreSQL with a synchronous standby, a ClickHouse node and S3: the primary is killed under load.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPostgres, type TestServer } from '../../src/store/meta/database/postgres/server.cases.ts'
import { faultsOf, send, settled, verifyFaults } from '../crash/traffic.ts'
import { bootstrap, discard, type Product, type Project, start } from '../product.ts'
import { runsAll } from './all.ts'
import { noStores, type Stores, startStores } from './stores.ts'

const skipped = noStores()
if (skipped) console.warn(`skipped: ${skipped}`)

const state = {} as { stores: Stores; standby: TestServer; product: Product; project: Project }

/** Both servers in one URL: Mishap uses the one that takes writes. */
function settings(): Record<string, string> {
  const { stores, standby } = state
  const env = stores.settings(false)
  const pair = env.MISHAP_META?.replace(/@([^/]+)/, `@$1,127.0.0.1:${standby.port}`)
  return { ...env, MISHAP_META: `${pair}?target_session_attrs=read-write` }
}

describe.skipIf(skipped || !runsAll)('a primary with a synchronous standby, a ClickHouse node and S3', () => {
  beforeAll(async () => {
    state.stores = await startStores()
    const { postgres } = state.stores
    state.standby = await startPostgres({ safe: true, standbyOf: postgres })
    await postgres.configure({ 'postgresql.auto.conf': "synchronous_standby_names = '*'\n" })
    state.product = await start({ env: settings() })
    state.project = bootstrap(state.product)
    await settled(state.product, state.project)
  }, 180_000)

  afterAll(async () => {
    if (state.product) await discard(state.product)
    await state.standby?.remove()
    await state.stores?.remove()
  })

  test('the standby is promoted: nothing acknowledged is lost or stored twice', { timeout: 240_000 }, async () => {
    const { stores, standby, product, project } = state
    const traffic = send(product, project, ['FailoverError'], 8, true)
    await pause(2500)
    const before = traffic.acknowledged.length
    await stores.postgres.kill()
    // Ingest answers while no database takes writes.
    await pause(2000)
    const between = traffic.acknowledged.length
    await standby.sql('postgres', 'select pg_promote()')
    await pause(4000)
    await traffic.stop()
    expect([before > 5, between > before, traffic.acknowledged.length > between]).toEqual([true, true, true])
    expect(Object.keys(traffic.refused).filter((status) => status !== '400')).toEqual([])
    await settled(product, project, 120_000)
    expect(await faultsOf(product, project, ['FailoverError'], traffic.acknowledged, true)).toEqual([])
    await product.stop()
    expect(await verifyFaults(product.data, settings())).toBe('')
  })
})
