import { expect, test } from 'vitest'
import { testClock } from '../../../base/clock.ts'
import { type Connection, openSqlite } from '../database/connection.ts'
import { sqliteDialect } from '../database/dialect.ts'
import { migrate } from '../database/migrate.ts'
import type { Store } from '../database/store.ts'
import { decisionPart } from './decisions.ts'
import { firingPart } from './firings.ts'

/** Returns a line for each table that the statements of `work` read: how SQLite reads it. */
async function plansOf(work: (store: Store) => Promise<unknown>): Promise<string[]> {
  const file = openSqlite(':memory:')
  const dialect = sqliteDialect()
  await migrate(file, dialect, 0)
  const lines: string[] = []
  const explained: Connection = {
    ...file,
    all: async (query) => {
      const { sql, parameters } = query.compile()
      const { rows } = await file.statement(`explain query plan ${sql}`, parameters)
      lines.push(...(rows as { detail: string }[]).map((row) => row.detail))
      return file.all(query)
    },
  }
  await work({ write: explained, read: explained, dialect, clock: testClock() })
  await file.close()
  return lines
}

// Each decision asks these. The index by organization has the firings of 90 days: millions, of which few are undecided.
test.each<[string, (store: Store) => Promise<unknown>]>([
  ['firings of all organizations', (store) => firingPart(store).firingsUndecided(100)],
  ['firings of one organization', (store) => firingPart(store).firingsUndecided(100, 7)],
  ['organizations with firings', (store) => decisionPart(store).organizationsDue(0)],
])('undecided %s are read by their own index', async (_, work) => {
  const ofFirings = (await plansOf(work)).filter((line) => line.includes('alert_firing'))
  expect(ofFirings).toHaveLength(1)
  expect(ofFirings[0]).toContain('INDEX alert_firing_undecided')
})
