import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { createProxy } from './proxy.ts'

const socketPath = join(tmpdir(), `mishap-hooks-${process.pid}.sock`)
const open: Server[] = []
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  rmSync(socketPath, { force: true })
})

const limited = '/api/0/trackers/7/webhook/'

/** A proxy before an app that answers calls of `limited` with 429. `seen`: path, bytes and mark of each request. */
async function rig() {
  const state = { nowMs: Date.now(), address: '192.0.2.1' }
  const seen: string[] = []
  const proxy = createProxy({
    socketPath,
    clock: { ...systemClock, now: () => state.nowMs },
    folder: tmpdir(),
    diskReserveBytes: 0,
    dev: false,
    known: { of: () => undefined },
    url: new URL('https://errors.example:8443'),
    clientOf: () => ({ address: state.address, proto: 'http', host: 'errors.example' }),
  })
  const upstream = createServer(async (req, res) => {
    let bytes = 0
    for await (const part of req) bytes += (part as Buffer).length
    seen.push(`${req.url} ${bytes} ${req.headers['x-body-unread'] ?? 'read'}`)
    const isLimited = req.url === limited
    res.writeHead(isLimited ? 429 : 200, isLimited ? { 'retry-after': '10' } : {}).end('there')
  })
  await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
  const server = createServer((req, res) => void proxy.handle(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(upstream, server)
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  const post = async (path: string, headers: Record<string, string>, body: BodyInit = 'x'.repeat(300_000)) => {
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    expect(await (await fetch(`http://127.0.0.1:${port}${path}`, init)).text()).toBe('there')
    return seen.at(-1)
  }
  return { state, post }
}

test.each([
  ['/api/0/trackers/8/webhook/', {}, '0 1'],
  ['/api/0/hooks/slack/acme?x=1', {}, '0 1'],
  ['/api/0/trackers/8/webhook', { 'x-gitlab-token': 'x' }, '300000 read'],
  ['/api/0/hooks/slack/acme/', { 'x-slack-signature': 'x' }, '300000 read'],
  // Nobody but the proxy says that a body was not read.
  ['/api/0/trackers/8/webhook', { 'x-gitlab-token': 'x', 'x-body-unread': '1' }, '300000 read'],
  ['/api/0/trackers/8/webhook/more', {}, '300000 read'],
])('a call of %s with %j brings app %s', async (path, headers, expected) => {
  const { post } = await rig()
  expect(await post(path, headers)).toBe(`${path} ${expected}`)
  const inChunks = new Blob(['x'.repeat(300_000)]).stream()
  expect(await post(path, headers, inChunks)).toBe(`${path} ${expected}`)
})

test('after a 429 of app no body of that path and address is read, until a second before its end', async () => {
  const { state, post } = await rig()
  const signed = { 'x-gitlab-token': 'x' }
  const other = '/api/0/trackers/8/webhook/'
  expect(await post(limited, signed)).toBe(`${limited} 300000 read`)
  expect(await post(limited, signed)).toBe(`${limited} 0 1`)
  expect(await post(other, signed)).toBe(`${other} 300000 read`)
  state.address = '192.0.2.2'
  expect(await post(limited, signed)).toBe(`${limited} 300000 read`)
  state.address = '192.0.2.1'
  state.nowMs += 8_999
  // This answer has the same pause again.
  expect(await post(limited, signed)).toBe(`${limited} 0 1`)
  state.nowMs += 9_000
  expect(await post(limited, signed)).toBe(`${limited} 300000 read`)
})
