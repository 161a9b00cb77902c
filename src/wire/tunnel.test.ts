import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tunnelOf } from './tunnel.ts'

// Users copy the handlers, so the test writes them to files and runs them unchanged, in front of a server that records
// the requests.

type Arrived = { url: string; headers: IncomingMessage['headers']; body: string }
const key = { publicKey: '0123456789abcdef0123456789abcdef', projectId: 7 }
// Inside this tree, so that the handler finds express as in an application.
const out = join(import.meta.dirname, '../../e2e/out')
mkdirSync(out, { recursive: true })
const folder = mkdtempSync(join(out, 'tunnel-'))
const arrived: Arrived[] = []
const answer = { status: 200, headers: {} as Record<string, string> }
const open: (() => void)[] = []
const state = { url: '', next: '', express: '' }

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => void (server.closeAllConnections(), server.close()))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

const textOf = async (req: IncomingMessage) => {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

beforeAll(async () => {
  state.url = await listen(async (req, res) => {
    arrived.push({ url: req.url ?? '', headers: req.headers, body: await textOf(req) })
    res.writeHead(answer.status, answer.headers).end('{"id":"1"}')
  })
  const { servers, path } = tunnelOf(state.url, key)
  for (const name of ['nextjs', 'express'] as const) writeFileSync(join(folder, `${name}.ts`), servers[name].code)
  const { POST } = (await import(join(folder, 'nextjs.ts'))) as { POST(request: Request): Promise<Response> }
  // Like Next.js, builds the request with the socket's address if no proxy names one.
  state.next = `${await listen(async (req, res) => {
    const headers = new Headers({ 'x-forwarded-for': '203.0.113.9' })
    for (const [name, value] of Object.entries(req.headers)) headers.set(name, String(value))
    const said = await POST(new Request('http://shop.test/', { method: 'POST', headers, body: await textOf(req) }))
    res.writeHead(said.status, Object.fromEntries(said.headers)).end(await said.text())
  })}${path}`
  const used =
    "import express from 'express'\nimport { tunnel } from './express.ts'\nexport const app = express().use(tunnel)\n"
  writeFileSync(join(folder, 'app.ts'), used)
  const { app } = (await import(join(folder, 'app.ts'))) as { app: RequestListener }
  state.express = `${await listen(app)}${path}`
})
afterAll(() => {
  for (const close of open) close()
  rmSync(folder, { recursive: true, force: true })
})

const dsn = () => tunnelOf(state.url, key).dsn
const envelope = (header: unknown) => `${JSON.stringify(header)}\n{"type":"event"}\n{"message":"ünicode"}\n`
const handlers = ['next', 'express'] as const

describe.each(handlers)('the handler of %s', (name) => {
  const post = (body: string, headers: Record<string, string> = {}) => {
    arrived.length = 0
    return fetch(state[name], { method: 'POST', body, headers: { origin: 'https://shop.test', ...headers } })
  }

  test('passes an envelope on as it is, with who sent it and without cookies, and the answer back', async () => {
    Object.assign(answer, { status: 200, headers: { 'content-type': 'application/json', 'set-cookie': 'a=b' } })
    const sent = envelope({ dsn: dsn(), sdk: { name: 'x' } })
    const said = await post(sent, {
      cookie: 'session=secret',
      authorization: 'Bearer secret',
      'user-agent': 'Browser/1',
    })
    expect([said.status, await said.text(), said.headers.get('set-cookie')]).toEqual([200, '{"id":"1"}', null])
    expect(arrived).toMatchObject([
      {
        url: '/api/7/envelope/',
        body: sent,
        headers: {
          origin: 'https://shop.test',
          'user-agent': 'Browser/1',
          'content-type': 'application/x-sentry-envelope',
        },
      },
    ])
    expect(arrived[0]?.headers['x-forwarded-for']).toMatch(name === 'next' ? /^203\.0\.113\.9$/ : /127\.0\.0\.1$/)
    expect(arrived[0]?.headers).not.toHaveProperty('cookie')
    expect(arrived[0]?.headers).not.toHaveProperty('authorization')
  })

  test('passes a limit back, which the SDK follows', async () => {
    const headers = { 'retry-after': '60', 'x-sentry-rate-limits': '60:error:key' }
    Object.assign(answer, { status: 429, headers })
    const said = await post(envelope({ dsn: dsn() }))
    expect([said.status, said.headers.get('retry-after'), said.headers.get('x-sentry-rate-limits')]).toEqual([
      429,
      '60',
      '60:error:key',
    ])
  })

  test('does not follow a redirect', async () => {
    Object.assign(answer, { status: 307, headers: { location: 'http://127.0.0.1:1/' } })
    expect((await post(envelope({ dsn: dsn() }))).status).toBe(502)
  })

  test.each([
    ['another DSN', () => envelope({ dsn: 'https://k@evil.example/1' })],
    ['the same key elsewhere', () => envelope({ dsn: dsn().replace('127.0.0.1', 'evil.example') })],
    ['another project', () => envelope({ dsn: dsn().replace(/7$/, '8') })],
    ['no DSN', () => envelope({})],
    ['a name that every object has', () => envelope({ dsn: '__proto__' })],
    ['a DSN that is no text', () => envelope({ dsn: { a: 1 } })],
    ['null', () => envelope(null)],
    ['no envelope', () => 'hello'],
    ['nothing', () => ''],
    ['a header line of 1 MB', () => envelope({ more: 'x'.repeat(1_000_000), dsn: dsn() })],
  ])('refuses %s', async (_name, body) => {
    expect((await post(body())).status).toBe(403)
    expect(arrived).toEqual([])
  })

  test('refuses what is over 20 MB without passing any of it', async () => {
    const body = `${envelope({ dsn: dsn() })}${'x'.repeat(20 * 1024 * 1024)}`
    expect((await post(body)).status).toBe(413)
    expect(arrived).toEqual([])
  })
})

test('a server that is away is 502', async () => {
  const away = await listen(() => undefined)
  open.pop()?.()
  const file = join(folder, 'away.ts')
  writeFileSync(file, tunnelOf(away, key).servers.nextjs.code)
  const { POST } = (await import(file)) as { POST(request: Request): Promise<Response> }
  const body = envelope({ dsn: tunnelOf(away, key).dsn })
  const headers = { 'content-length': `${body.length}` }
  expect((await POST(new Request('http://shop.test/', { method: 'POST', headers, body }))).status).toBe(502)
})

test.each([
  ['https://mishap.example', '/bcdfghjklm', 'https://mishap.example/api/7/envelope/', 'mishap.example'],
  [
    'https://a.example:8443/tools/m/',
    '/bcdfghjklm',
    'https://a.example:8443/tools/m/api/7/envelope/',
    'a.example:8443',
  ],
])('under %s', (url, path, envelopes, host) => {
  const tunnel = tunnelOf(url, key)
  expect(tunnel.path).toBe(path)
  expect(tunnel.client.code).toBe(`dsn: '${tunnel.dsn}',\ntunnel: '${path}',`)
  expect(tunnel.servers.nextjs.where).toBe(`app${path}/route.ts`)
  for (const { code } of Object.values(tunnel.servers)) {
    expect(code).toContain(envelopes)
    expect(code).not.toContain('__')
  }
  expect(tunnel.servers.nginx.code).toContain(`proxy_set_header Host ${host};`)
})

test('another key has another path', () =>
  expect(tunnelOf('http://h', { publicKey: 'f'.repeat(32), projectId: 7 }).path).toBe('/tttttttttt'))
