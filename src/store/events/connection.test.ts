import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { connect } from './connection.ts'

// An engine that does not answer until the test does.
const answers: ServerResponse[] = []
const server = createServer((_request, response) => void answers.push(response))
const state: { url: string } = { url: '' }

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('who is gone is waited for no longer, and the engine hears of it', async () => {
  const connection = connect({ url: state.url, database: 'mishap', clock: systemClock })
  const gone = new AbortController()
  const asked = connection.rows('SELECT 1', {}, { signal: gone.signal }).catch((error: unknown) => error)
  await once(server, 'request')
  const [answer] = answers
  if (!answer) throw new Error('nothing was asked')
  const closed = once(answer, 'close')
  gone.abort()
  expect(await asked).toMatchObject({ code: 'QUERY_TIMEOUT' })
  await closed
  // A request that is aborted before its turn sends nothing.
  await expect(connection.rows('SELECT 2', {}, { signal: gone.signal })).rejects.toMatchObject({
    code: 'QUERY_TIMEOUT',
  })
  expect(answers).toHaveLength(1)
  await connection.close()
})
