import { rmSync } from 'node:fs'
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { durableHeader } from '../base/network.ts'
import { gateLimits } from './gate.ts'
import { incomingLimits } from './incoming.ts'
import { contentPolicy, reportPathOf } from './policy.ts'
import { createProxy, type ProxyOptions } from './proxy.ts'

const socketPath = join(tmpdir(), `mishap-proxy-${process.pid}.sock`)
const open: Server[] = []
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  rmSync(socketPath, { force: true })
})

const optionsOf = (more: Partial<ProxyOptions>): ProxyOptions => ({
  socketPath,
  clock: systemClock,
  folder: tmpdir(),
  diskReserveBytes: 0,
  dev: false,
  known: { of: ({ authorization }) => (authorization === 'Bearer good' ? 'good' : undefined) },
  url: new URL('https://errors.example:8443'),
  clientOf: () => ({ address: '1.2.3.4', proto: 'http', host: 'errors.example' }),
  ...more,
})

async function front(
  answer?: (req: IncomingMessage) => { status?: number; headers?: Record<string, string>; body: string },
  more: Partial<ProxyOptions> = {},
): Promise<string> {
  const proxy = createProxy(optionsOf(more))
  if (answer) {
    const upstream = createServer((req, res) => {
      const { status = 200, headers = {}, body } = answer(req)
      res.writeHead(status, headers).end(body)
    })
    await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
    open.push(upstream)
  }
  const server = createServer((req, res) => void proxy.handle(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(server)
  const address = server.address()
  return `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
}

test.each([
  ['the end of the journal', { durable: () => 4711 }, '4711'],
  ['nothing, where it is not known', {}, undefined],
])('app is told %s, whatever a client says', async (_name, more, expected) => {
  const url = await front((req) => ({ body: JSON.stringify(req.headers) }), more)
  const answer = await fetch(url, { headers: { [durableHeader]: '1' } })
  expect(((await answer.json()) as Record<string, string>)[durableHeader]).toBe(expected)
})

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

test('a form from another loopback name of this machine has that name', async () => {
  const url = await front((req) => ({ body: JSON.stringify(req.headers) }), { url: new URL('http://localhost:9000') })
  const answer = await fetch(url, { method: 'POST', headers: { origin: 'http://[::1]:9000' } })
  expect(await answer.json()).toMatchObject({ 'x-forwarded-host': '[::1]:9000' })
})

test('each page has a nonce of its own, and what is no page has no policy', async () => {
  const url = await front((req) => ({
    headers: { 'content-type': req.url === '/page' ? 'text/html' : 'application/json' },
    body: '{}',
  }))
  const [entry, two, data] = await Promise.all([fetch(`${url}/page`), fetch(`${url}/page`), fetch(`${url}/data`)])
  expect(entry.headers.get('content-security-policy')).not.toBe(two.headers.get('content-security-policy'))
  expect(data.headers.get('content-security-policy')).toBeNull()
})

test.each([
  ['text/html', 'text/html; charset=utf-8', /is starting/],
  ['application/json', 'application/json', /STORE_UNAVAILABLE/],
])('while the app is away for 10 s, %s gets 503 and a time to come back', async (accept, type, body) => {
  const clock = testClock()
  const answered = { status: 0 }
  const url = await front(undefined, { clock, answered: (status) => Object.assign(answered, { status }) })
  const asked = fetch(url, { headers: { accept } })
  for (let ms = 0; ms < 9900; ms += 100) {
    await settle()
    clock.advance(100)
  }
  await settle()
  expect(answered.status).toBe(0)
  // The request reaches the proxy some turns after it was sent, so its 10 s can end later than those of the clock.
  const state = { answer: undefined as Response | undefined }
  void asked.then((response) => Object.assign(state, { answer: response }))
  for (let steps = 0; !state.answer && steps < 200; steps++) {
    clock.advance(100)
    await settle()
  }
  const answer = await asked
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(answer.headers.get('content-type')).toBe(type)
  expect(await answer.text()).toMatch(body)
})

test.each<[string, RequestInit, string]>([
  ['a question', {}, 'GET 0'],
  ['a small body', { method: 'POST', body: 'x'.repeat(10) }, 'POST 10'],
  ['a body in a file', { method: 'PUT', body: 'x'.repeat(300_000) }, 'PUT 300000'],
])('%s waits for the app that is starting, and is passed on once', async (_what, init, expected) => {
  const url = await front()
  const asked = fetch(url, init)
  await systemClock.sleep(350)
  const seen: string[] = []
  const upstream = createServer(async (req, res) => {
    let bytes = 0
    for await (const part of req) bytes += (part as Buffer).length
    seen.push(`${req.method} ${bytes}`)
    res.end('there')
  })
  await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
  open.push(upstream)
  expect([(await asked).status, seen]).toEqual([200, [expected]])
})

test('a client that leaves while the app is starting is forgotten', async () => {
  const url = await front()
  const stop = new AbortController()
  const asked = fetch(url, { signal: stop.signal }).catch(() => 'left')
  await systemClock.sleep(150)
  stop.abort()
  expect(await asked).toBe('left')
  await settle()
  const seen: (string | undefined)[] = []
  const upstream = createServer((req, res) => {
    seen.push(req.url)
    res.end()
  })
  await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
  open.push(upstream)
  await systemClock.sleep(250)
  expect(seen).toEqual([])
})

test('an app that ends amid a request is not asked a second time', async () => {
  const seen: string[] = []
  const upstream = createServer((req) => {
    seen.push(req.method ?? '')
    req.socket.destroy()
  })
  await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
  open.push(upstream)
  const url = await front()
  expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(503)
  expect(seen).toEqual(['POST'])
})

test.each([
  ['http://localhost:9000', false],
  ['https://errors.example', true],
])('what the policy keeps from a page of %s is reported to our own project', async (address, isSecure) => {
  const path = reportPathOf('https://abc@errors.example/tools/7', '/tools', '1.2.3')
  expect(path).toBe(
    '/tools/api/7/csp-report/?sentry_key=abc&sentry_environment=production&sentry_release=mishap%401.2.3',
  )
  const more = { url: new URL(address), reportPath: () => path }
  const url = await front(() => ({ headers: { 'content-type': 'text/html' }, body: '' }), more)
  const { headers } = await fetch(url)
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy.split('; ')).toContain(`report-uri ${path}`)
  expect(policy.includes('report-to mishap')).toBe(isSecure)
  expect(headers.get('reporting-endpoints')).toBe(isSecure ? `mishap="${path}"` : null)
})

test('without a project of our own nothing is reported', () => {
  expect(reportPathOf(undefined, '', '1')).toBeUndefined()
  expect(contentPolicy('abc', false)).not.toContain('report')
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

/** Opens a connection that sends `text` and stalls. Resolves with the received text when it is closed. */
function stalls(url: string, text: string): { closed: Promise<string>; leave(): void } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
  let back = ''
  socket.on('data', (piece) => {
    back += piece.toString('latin1')
  })
  socket.on('error', () => undefined)
  return {
    closed: new Promise((resolve) => socket.on('close', () => resolve(back))),
    leave: () => socket.destroy(),
  }
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 50))
const begun = 'POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf'

test('app hears of a request when its body is whole, however it came', async () => {
  const seen: (string | undefined)[] = []
  const url = await front((req) => {
    seen.push(req.headers['content-length'])
    return { body: 'ok' }
  })
  const { leave } = stalls(url, begun)
  const chunks = stalls(url, 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n')
  await settle()
  expect(seen).toEqual(['3'])
  leave()
  await settle()
  expect(seen).toEqual(['3'])
  chunks.leave()
})

test('a body that is too long for memory arrives whole', async () => {
  const sizes: number[] = []
  const upstream = createServer((req, res) => {
    let bytes = 0
    req.on('data', (piece: Buffer) => {
      bytes += piece.length
    })
    req.on('end', () => {
      sizes.push(bytes, Number(req.headers['content-length']))
      res.end('ok')
    })
  })
  await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
  open.push(upstream)
  const url = await front()
  const answer = await fetch(`${url}/api/0/organizations/a/chunk-upload/`, {
    method: 'POST',
    body: Buffer.alloc(20 * 1024 * 1024),
  })
  expect([answer.status, await answer.text(), ...sizes]).toEqual([200, 'ok', 20 * 1024 * 1024, 20 * 1024 * 1024])
})

/** File space for one long body per kind of caller. */
const narrow = { incoming: { ...incomingLimits, fileBytes: 16 * 1024 * 1024 } }
const long = 'a'.repeat(200 * 1024)

test('a body holds no room while app answers', async () => {
  const slow = Promise.withResolvers<ServerResponse>()
  const upstream = createServer((req, res) => {
    req.resume().on('end', () => void (req.url === '/slow' ? slow.resolve(res) : res.end('ok')))
  })
  await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
  open.push(upstream)
  const url = await front(undefined, { limits: narrow })
  const first = fetch(`${url}/slow`, { method: 'POST', body: long })
  const held = await slow.promise
  await settle()
  const second = await fetch(url, { method: 'POST', body: long })
  expect([second.status, await second.text()]).toEqual([200, 'ok'])
  held.end('slow')
  expect(await (await first).text()).toBe('slow')
})

test('bodies of nobody who is known leave room for those of the others', async () => {
  const url = await front(() => ({ body: 'ok' }), { limits: narrow })
  const stalled = stalls(url, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\n${long}`)
  await settle()
  const send = (headers: Record<string, string>) => fetch(url, { method: 'POST', body: long, headers })
  expect((await send({})).status).toBe(503)
  expect((await send({ authorization: 'Bearer good' })).status).toBe(200)
  stalled.leave()
})

test.each<[string, Record<string, string>, number, string]>([
  ['nobody', {}, 429, 'REQUEST_TOO_MANY'],
  ['somebody with a made-up token', { authorization: 'Bearer made-up' }, 429, 'REQUEST_TOO_MANY'],
  ['somebody who is known', { authorization: 'Bearer good' }, 200, 'ok'],
])('while an address stalls, a body of %s', async (_name, headers, status, text) => {
  const bound = { perAddress: 3, total: 10 }
  const url = await front(() => ({ body: 'ok' }), {
    limits: { gate: { ...gateLimits, bodies: { known: bound, unknown: bound } } },
  })
  const stalled = Array.from({ length: 3 }, () => stalls(url, begun))
  await settle()
  const answer = await fetch(url, { method: 'POST', body: 'whole', headers })
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(text)])
  expect(answer.headers.get('retry-after')).toBe(status === 429 ? '5' : null)
  // Requests without a body are not affected.
  expect((await fetch(url)).status).toBe(200)
  for (const entry of stalled) entry.leave()
})

test('a body that has stalled for two seconds gives way to the next one', async () => {
  const clock = testClock()
  const bound = { perAddress: 1, total: 1 }
  const limits = { gate: { ...gateLimits, bodies: { known: bound, unknown: bound } } }
  const url = await front(() => ({ body: 'ok' }), { clock, limits })
  const { closed } = stalls(url, begun)
  await settle()
  clock.advance(2000)
  expect((await fetch(url, { method: 'POST', body: 'whole' })).status).toBe(200)
  expect(await closed).toMatch(/^HTTP\/1\.1 408[\s\S]*ACCEPT_TIMEOUT/)
})

test('a sender that is too slow is told so and cut off', async () => {
  const clock = testClock()
  const url = await front(() => ({ body: 'ok' }), { clock })
  const { closed } = stalls(url, begun)
  await settle()
  clock.advance(31_000)
  expect(await closed).toMatch(/^HTTP\/1\.1 408[\s\S]*ACCEPT_TIMEOUT/)
})

test('a refused sender that does not end its body is cut off', async () => {
  const clock = testClock()
  const url = await front(() => ({ body: 'ok' }), { clock })
  const { closed } = stalls(url, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\nhalf')
  await settle()
  clock.advance(5000)
  expect(await closed).toMatch(/^HTTP\/1\.1 413[\s\S]*ACCEPT_TOO_LARGE/)
})

test('an address has a number of live streams, which do not count as requests', async () => {
  const entry = { perAddress: 1, total: 1 }
  const held: ServerResponse[] = []
  const upstream = createServer((req, res) => {
    if (req.url !== '/live') return void res.end('ok')
    held.push(res)
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begins\n\n')
  })
  await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
  open.push(upstream)
  const url = await front(undefined, {
    limits: {
      gate: { ...gateLimits, requests: { known: entry, unknown: entry }, streams: { perAddress: 2, total: 9 } },
    },
  })
  const streams = [await fetch(`${url}/live`), await fetch(`${url}/live`)]
  expect(streams.map(({ status }) => status)).toEqual([200, 200])
  const refused = await fetch(`${url}/live`)
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('REQUEST_TOO_MANY_STREAMS')])
  expect((await fetch(url)).status).toBe(200)
  await streams[0]?.body?.cancel()
  await settle()
  expect((await fetch(`${url}/live`)).status).toBe(200)
})

test('what asks app in its own way has the same limits', async () => {
  const entry = { perAddress: 1, total: 1 }
  const limits = { gate: { ...gateLimits, requests: { known: entry, unknown: entry } } }
  const proxy = createProxy(optionsOf({ limits }))
  const held: ServerResponse[] = []
  const server = createServer(async (req, res) => {
    if (await proxy.admits(req, res)) held.push(res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(server)
  const address = server.address()
  const url = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  const first = fetch(url)
  await settle()
  expect((await fetch(url)).status).toBe(429)
  held[0]?.end('ok')
  expect(await (await first).text()).toBe('ok')
  await settle()
  const third = fetch(url)
  await settle()
  held[1]?.end('ok')
  expect((await third).status).toBe(200)
})

test.each<[string, boolean, boolean]>([
  ['answers', true, true],
  ['is not there', false, false],
])('asked on the way of all others, app %s', async (_name, isThere, expected) => {
  if (isThere) {
    const upstream = createServer((_req, res) => void res.writeHead(401).end())
    await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
    open.push(upstream)
  }
  const proxy = createProxy(optionsOf({}))
  expect(await proxy.answers()).toBe(expected)
  proxy.close()
})

test('asked on the way of all others, app that hangs does not answer', async () => {
  const asked = Promise.withResolvers<void>()
  const upstream = createServer(() => asked.resolve())
  await new Promise<void>((resolve) => upstream.listen(socketPath, resolve))
  open.push(upstream)
  const clock = testClock()
  const proxy = createProxy(optionsOf({ clock }))
  const answers = proxy.answers()
  await asked.promise
  clock.advance(3000)
  expect(await answers).toBe(false)
  proxy.close()
})
