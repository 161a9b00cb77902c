import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { createApi } from './api.ts'
import { appForFile } from './app.cases.ts'

const { made } = appForFile()

test('a call whose sender leaves in the middle is no error of ours', async () => {
  const lines: string[] = []
  const note = (level: string) => (_fields: Record<string, unknown>, sentence: string) => {
    lines.push(`${level}: ${sentence}`)
  }
  const observe = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
  const api = createApi({ ...made().app, observe })
  const server = createServer((req, res) => api.handle(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const head = `PUT /api/0/organizations/acme/issues/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${made().token}\r\nContent-Length: 99\r\n\r\n`
  for (const body of ['', '{"name":']) {
    const socket = connect(port, '127.0.0.1', () => socket.write(head + body))
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.destroy()
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  server.close()
  expect(lines.filter((line) => !line.startsWith('debug'))).toEqual([])
  expect(lines).toContain('debug: the client of an API call disconnected')
})

test('HEAD of a live stream leaves none behind', async () => {
  const api = createApi(made().app)
  const server = createServer((req, res) => api.handle(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const ask = (method: string, signal: AbortSignal | null = null) => {
    const headers = { authorization: `Bearer ${made().token}` }
    return fetch(`http://127.0.0.1:${port}/api/0/organizations/acme/live/`, { method, headers, signal })
  }
  for (let i = 0; i < 11; i++) {
    const { status, headers } = await ask('HEAD')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  }
  const leaves = new AbortController()
  expect((await ask('GET', leaves.signal)).status).toBe(200)
  leaves.abort()
  server.close()
})
