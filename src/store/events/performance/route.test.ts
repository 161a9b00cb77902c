import { expect, test } from 'vitest'
import type { Connection } from '../connection.ts'
import { createRoute } from './route.ts'

const key = { projectId: 1, op: 'pageload', route: '/a' }
const scope = { projectIds: [1], environments: [], fromMs: Date.UTC(2026, 10, 16), toMs: Date.UTC(2026, 10, 23) }
const request = { key, scope, withCut: false }

/** Queries over a connection that answers its statements with these rows, one list each, and counts them. */
function asking(...answers: object[][]) {
  const asked: string[] = []
  const connection = {
    rows: async (sql: string) => {
      asked.push(sql)
      return answers[asked.length - 1] ?? []
    },
  } as unknown as Connection
  return { asked, route: createRoute(connection, { spans: 'x.spans', segments: 'x.segments' }) }
}

const part = { category: 'db', op: 'db', statement: 'SELECT 1', spans: '4', segments: '2', self: 3000, total: 4000 }

test.each([
  [
    'one statement, which reads the segments once',
    [[{ ...part, after: 1000, n: '2', all: 9000 }]],
    [part.statement],
    1,
  ],
  ['a second statement only without children', [[], [{ n: '2', all: 9000 }]], [], 2],
])('where the time goes is asked by %s', async (_what, answers, statements, times) => {
  const { asked, route } = asking(...answers)
  const found = await route.routeParts({ ...request, segmentsMax: 2000, max: 20 })
  expect([found.segments, found.totalMs]).toEqual([2, 9])
  expect(found.parts.map(({ statement }) => statement)).toEqual(statements)
  expect(asked.map((sql) => sql.split('FROM x.segments').length - 1)).toEqual(Array(times).fill(1))
})
