import { expect, test } from 'vitest'
import type { Connection } from '../connection.ts'
import { createDetectorRows } from './detector-rows.ts'

const request = {
  sinceJpos: 100,
  fromJpos: 200,
  toJpos: 300,
  untilJpos: 400,
  limits: { repeatsMin: 5, repeatedUs: 1, statementUs: 1, requestsMin: 3, requestUs: 1, assetUs: 1 },
  max: 10,
  projectMax: 10,
}
const candidate = { project_id: '3', trace: 'ab', spans: '7', found: '1', came_ms: '5' }

test.each([
  ['no span came: one cheap question', [], [], { traces: [], total: 0 }],
  ['spans came', [{ one: 1 }], [candidate], { traces: [{ projectId: 3, traceId: 'ab', spans: 7 }], total: 1 }],
])('%s', async (_, any, found, expected) => {
  const asked: { sql: string; params: unknown }[] = []
  const connection = {
    rows: async (sql: string, params: unknown) => {
      asked.push({ sql, params })
      return sql.includes('GROUP BY') ? found : any
    },
  } as unknown as Connection
  expect(await createDetectorRows(connection, 'mishap').detectorCandidates(request)).toMatchObject(expected)
  expect(asked.map(({ sql }) => sql.includes('GROUP BY'))).toEqual(any.length > 0 ? [false, true] : [false])
  expect(asked[0]?.params).toEqual({ since: 100, until: 400 })
})
