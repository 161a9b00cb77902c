import { rmSync } from 'node:fs'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { contentPolicy, createProxy } from './proxy.ts'

const socketPath = join(tmpdir(), `mishap-proxy-${process.pid}.sock`)
const open: Server[] = []
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  rmSync(socketPath, { force: true })
})

async function front(
  answer?: (req: IncomingMessage) => { status?: number; headers?: Record<string, string>; body: string },
): Promise<string> {
  const proxy = createProxy({
    socketPath,
    dev: false,
    url: new URL('https://errors.example:8443'),
    clientOf: () => ({ address: '1.2.3.4', proto: 'http', host: 'errors.example' }),
  })
  if (answer) {
    const upstream = createServer((req, res) => {
      const { status = 200, headers = {}, body } = answer(req)
      res.writeHead(status, headers).end(body)
    })
    await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
    open.push(upstream)
  }
  const server = createServer(proxy.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(server)
  const address = server.address()
  return `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
}

test('what a client could pretend is replaced; pages get the policy whose nonce the app was told', async () => {
  const url = await front((req) => ({
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: JSON.stringify(req.headers),
  }))
  const forged = {
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-host': 'evil',
    'x-nonce': 'known',
    'content-security-policy': 'default-src *',
    'x-real-ip': '6.6.6.6',
  }
  const answer = await fetch(url, { headers: forged })
  const seen = (await answer.json()) as Record<string, string>
  expect(seen).toMatchObject({
    'x-forwarded-for': '1.2.3.4',
    'x-forwarded-host': 'errors.example',
    'x-forwarded-proto': 'http',
  })
  expect(seen['x-nonce']).not.toBe('known')
  expect(seen['x-real-ip']).toBeUndefined()
  expect(answer.headers.get('content-security-policy')).toBe(contentPolicy(String(seen['x-nonce']), false))
  expect(seen['content-security-policy']).toBe(answer.headers.get('content-security-policy'))
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
})

test.each([
  [
    'a form of the configured address, whatever Host the proxy in front passes',
    'https://errors.example:8443',
    'errors.example:8443',
  ],
  ['a form of the host that was asked', 'http://errors.example', 'errors.example'],
  ['no form', undefined, 'errors.example'],
])('the host that Next holds an action against: %s', async (_name, origin, host) => {
  const url = await front((req) => ({ body: JSON.stringify(req.headers) }))
  const answer = await fetch(url, { method: 'POST', headers: origin === undefined ? {} : { origin } })
  expect(await answer.json()).toMatchObject({ 'x-forwarded-host': host })
})

test('each page has a nonce of its own, and what is no page has no policy', async () => {
  const url = await front((req) => ({
    headers: { 'content-type': req.url === '/page' ? 'text/html' : 'application/json' },
    body: '{}',
  }))
  const [one, two, data] = await Promise.all([fetch(`${url}/page`), fetch(`${url}/page`), fetch(`${url}/data`)])
  expect(one.headers.get('content-security-policy')).not.toBe(two.headers.get('content-security-policy'))
  expect(data.headers.get('content-security-policy')).toBeNull()
})

test.each([
  ['text/html', 'text/html; charset=utf-8', /is starting/],
  ['application/json', 'application/json', /STORE_UNAVAILABLE/],
])('while the app is away, %s gets 503 and a time to come back', async (accept, type, body) => {
  const url = await front()
  const answer = await fetch(url, { headers: { accept } })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(answer.headers.get('content-type')).toBe(type)
  expect(await answer.text()).toMatch(body)
})

test('the policy allows no foreign source and no inline script', () => {
  const policy = contentPolicy('abc', false)
  expect(policy).toContain("script-src 'self' 'nonce-abc' 'strict-dynamic'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe-eval')
  expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe-inline')
})

const smuggled = 'POST /smuggled HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'

test.each(
  ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST'].flatMap((method) => [
    [
      `${method} in chunks`,
      `${method} /asked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
    ],
    [
      `${method} that wants its length dropped`,
      `${method} /asked HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Content-Length\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    ],
  ]),
)('a body never becomes a request of its own: %s', async (_name, text) => {
  const seen: string[] = []
  const url = new URL(
    await front((req) => {
      seen.push(`${req.method} ${req.url}`)
      req.resume()
      return { body: 'ok' }
    }),
  )
  const socket = connect(Number(url.port), '127.0.0.1', () => socket.write(text))
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('data', resolve))
  await new Promise((resolve) => setTimeout(resolve, 30))
  socket.destroy()
  expect(seen).toEqual([expect.stringMatching(/ \/asked$/)])
})

test('an answer may have longer headers than Node takes by itself: a Link repeats the URL', async () => {
  const link = `<http://a/?query=${'x'.repeat(15_000)}>; rel="previous", <http://a/?query=${'x'.repeat(15_000)}>`
  const url = new URL(await front(() => ({ headers: { link }, body: 'ok' })))
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ port: url.port, host: '127.0.0.1', maxHeaderSize: 65_536 }, resolve).on('error', reject),
  )
  answer.resume()
  expect([answer.statusCode, answer.headers.link]).toEqual([200, link])
})
