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

/** Queries over a connection that answers each statement with these rows, and the statements that were asked. */
function asking(rows: readonly object[]) {
  const asked: { sql: string; bound: Record<string, unknown> }[] = []
  const connection = {
    rows: async (sql: string, bound: Record<string, unknown>) => {
      asked.push({ sql, bound })
      return rows
    },
  } as unknown as Connection
  return { asked, routes: createRoutes(connection, () => ({ database: 'x', nowMs: toMs })) }
}

/** The starts of the times that the query of the list reads, ms since 1970. */
async function readFrom(order: RouteOrder, filter: RouteFilter | undefined): Promise<number> {
  const { asked, routes } = asking([])
  await routes.routeStats({ ...compared, order, filter, max: 100, offset: 0 })
  const bound = asked[0]?.bound ?? {}
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

const keys = [
  { projectId: 1, op: 'pageload', route: '/a' },
  { projectId: 2, op: 'http.server', route: '/b' },
]
// As the engine answers: also the other combinations of these projects, ops and routes.
const rows = [1, 2, 3].flatMap((id) =>
  ['pageload', 'http.server'].flatMap((op) =>
    ['/a', '/b'].map((route) => ({ project_id: `${id}`, op, route, p: [1, 2, 3], start_ms: '0' })),
  ),
)
const many = { ...compared, scope: { ...compared.scope, projectIds: [1, 2, 3] } }

test.each([
  ['the range before', (routes: ReturnType<typeof createRoutes>) => routes.routesBefore({ ...many, keys })],
  ['a chart', (routes: ReturnType<typeof createRoutes>) => routes.routeSeries({ ...many, keys, bucketMs: 14_400_000 })],
])('%s of some routes has no other ones, and its statement asks only for lists', async (_what, ask) => {
  const { asked, routes } = asking(rows)
  expect((await ask(routes)).map(({ projectId, op, route }) => ({ projectId, op, route }))).toEqual(keys)
  // Each part of the condition is one that the order of the table can be searched by.
  expect(asked.map(({ sql }) => /HAVING|arrayZip/.test(sql))).toEqual([false])
  const lists = Object.values(asked[0]?.bound ?? {}).filter(Array.isArray)
  expect(lists).toContainEqual([1, 2])
  expect(lists).toContainEqual(['/a', '/b'])
})

test('one project is compared, not looked for in a set', async () => {
  const { asked, routes } = asking([])
  await routes.routesBefore({ ...many, keys: keys.slice(0, 1) })
  expect(asked[0]?.sql).toMatch(/WHERE project_id = \{\w+:UInt64\} AND/)
})
