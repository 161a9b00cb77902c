import { expect, test } from 'vitest'
import type { Connection } from '../connection.ts'
import type { RouteFilter, RouteOrder } from '../performance-store.ts'
import { createRoutes } from './routes.ts'

const [fromMs, toMs] = [Date.UTC(2026, 10, 16), Date.UTC(2026, 10, 23)]
const compared = {
  scope: { projectIds: [1], environments: [], fromMs, toMs },
  beforeMs: { fromMs: fromMs - (toMs - fromMs), toMs: fromMs },
  withCut: false,
}
const change: RouteFilter = { op: 'compare', metric: 'change', compare: '>', number: 0.2 }
const slow: RouteFilter = { op: 'compare', metric: 'p95', compare: '>', number: 500 }

/** The starts of the times that the query of the list reads, ms since 1970. */
async function readFrom(order: RouteOrder, filter: RouteFilter | undefined): Promise<number> {
  let bound: Record<string, unknown> = {}
  const connection = {
    rows: async (_sql: string, values: Record<string, unknown>) => {
      bound = values
      return []
    },
  } as unknown as Connection
  const { routeStats } = createRoutes(connection, () => ({ database: 'x', nowMs: toMs }))
  await routeStats({ ...compared, order, filter, max: 100, offset: 0 })
  const times = Object.values(bound).filter((value) => typeof value === 'number' && value > 1e9)
  return Math.min(...times.map(Number)) * 1000
}

test.each<[RouteOrder, RouteFilter | undefined, boolean]>([
  ['lost', undefined, false],
  ['slow', slow, false],
  ['worse', undefined, true],
  ['lost', change, true],
  ['lost', { op: 'not', of: { op: 'or', of: [slow, change] } }, true],
  ['volume', { op: 'new', projectIds: [1] }, true],
])('the order %s with the condition %j reads the range before of all routes: %s', async (order, filter, reads) => {
  const from = await readFrom(order, filter)
  // Rows are searched from some time ahead of their range on.
  expect(from < compared.beforeMs.fromMs + 86_400_000).toBe(reads)
})
