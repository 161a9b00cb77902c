import { afterAll, beforeAll, describe } from 'vitest'
import { noPostgres } from './database/postgres/server.cases.ts'
import { metaCases } from './meta.cases.ts'
import { type PostgresRig, startPostgresRig } from './postgres-rig.cases.ts'

const why = noPostgres()
if (why) console.warn(`skipped: ${why}`)

describe.skipIf(why)('on PostgreSQL', () => {
  let rig: PostgresRig
  beforeAll(async () => {
    rig = await startPostgresRig()
  }, 120_000)
  afterAll(() => rig.close())

  metaCases('PostgreSQL', (clock) => rig.open(clock))
})
