import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock, testClock } from './clock.ts'
import { isPublic, isWithin } from './network.ts'
import { createOutgoing, type Lookup, type OutgoingRequest } from './outgoing.ts'

const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const at =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
const post = (url: string): OutgoingRequest => ({ method: 'POST', url, body: '{}' })
const get = (url: string): OutgoingRequest => ({ method: 'GET', url })
const local = (more: Partial<Parameters<typeof createOutgoing>[0]> = {}) =>
  createOutgoing({ clock: systemClock, allowedNetworks: ['127.0.0.0/8'], lookup: at('127.0.0.1'), ...more })

describe('addresses', () => {
  test.each([
    ['93.184.216.34', true],
    ['2606:2800:220:1::1', true],
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['172.16.0.1', false],
    ['192.168.1.1', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['198.18.0.1', false],
    ['::1', false],
    ['::', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:93.184.216.34', true],
    ['fe80::1', false],
    ['fd00::1', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['2001:0:1::', false],
    ['nonsense', false],
  ])('%s is public: %s', (address, expected) => expect(isPublic(address)).toBe(expected))

  test.each([
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
    ['11.1.2.3', ['10.0.0.0/8'], false],
    ['fd00::5', ['10.0.0.0/8', 'fd00::/8'], true],
    ['10.0.0.1', ['10.0.0.1'], true],
    ['10.0.0.1', ['x'], false],
  ])('%s within %j: %s', (address, networks, expected) => expect(isWithin(address, networks)).toBe(expected))
})

describe('refused before a connection', () => {
  test.each([
    ['http://127.0.0.1/', undefined],
    ['http://2130706433/', undefined],
    ['http://0x7f.1/', undefined],
    ['http://[::1]/', undefined],
    ['http://[::ffff:169.254.169.254]/', undefined],
    ['http://inside.example/', at('10.0.0.1')],
    ['http://mixed.example/', at('93.184.216.34', '127.0.0.1')],
    ['ftp://a.example/', undefined],
    ['file:///etc/passwd', undefined],
    ['http://user:pass@a.example/', undefined],
    ['no url', undefined],
  ])('%s', async (url, lookup) => {
    const out = createOutgoing({ clock: testClock(), allowedNetworks: [], ...(lookup ? { lookup } : {}) })
    await expect(out.send(post(url))).rejects.toMatchObject({ code: 'OUTGOING_REFUSED' })
    // The error does not reveal the internal address of a name.
    if (lookup) await expect(out.send(post(url))).rejects.not.toThrow(/\d+\.\d+\.\d+\.\d+|::/)
  })

  test('a name that does not resolve', async () => {
    const out = local({ lookup: async () => Promise.reject(new Error('ENOTFOUND')) })
    await expect(out.send(get('http://nope.example/'))).rejects.toMatchObject({ code: 'OUTGOING_FAILED' })
  })
})

describe('a call', () => {
  test('goes to the resolved address with the name as host, once resolved', async () => {
    const seen: unknown[] = []
    const port = await listen((req, res) => {
      seen.push(req.method, req.headers.host, req.headers['x-a'], req.headers['accept-encoding'])
      res.writeHead(201, { 'x-b': '2' }).end('done')
    })
    let looked = 0
    const out = local({
      lookup: async () => {
        looked++
        return looked === 1 ? [{ address: '127.0.0.1', family: 4 }] : [{ address: '10.9.9.9', family: 4 }]
      },
    })
    const answer = await out.send({ ...post(`http://hook.example:${port}/x?y=1`), headers: { 'x-a': '1' } })
    expect([answer.status, answer.headers['x-b'], answer.body.toString(), answer.address]).toEqual([
      201,
      '2',
      'done',
      '127.0.0.1',
    ])
    expect(seen).toEqual(['POST', `hook.example:${port}`, '1', 'gzip'])
    expect(looked).toBe(1)
  })

  test('each redirect is checked, a redirected POST is not followed', async () => {
    const port = await listen((req, res) => {
      if (req.url === '/in') res.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end()
      else if (req.url === '/round') res.writeHead(302, { location: '/round' }).end()
      else if (req.url === '/on') res.writeHead(307, { location: '/end' }).end()
      else res.end('end')
    })
    const base = `http://127.0.0.1:${port}`
    const out = local()
    await expect(out.send(get(`${base}/in`))).rejects.toMatchObject({ code: 'OUTGOING_REFUSED' })
    await expect(out.send(get(`${base}/round`))).rejects.toThrow('More than 5 redirects')
    expect(await out.send(get(`${base}/on`))).toMatchObject({ status: 200, url: `${base}/end` })
    expect(await out.send(post(`${base}/on`))).toMatchObject({ status: 307 })
  })

  test('time, size and encoding are capped', async () => {
    const port = await listen((req, res) => {
      if (req.url === '/large') res.end(Buffer.alloc(2000))
      else if (req.url === '/bomb')
        res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100_000)))
      else if (req.url === '/gzip') res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'))
      else if (req.url === '/br') res.writeHead(200, { 'content-encoding': 'br' }).end('x')
      else if (req.url === '/slow') res.write('a')
    })
    const base = `http://127.0.0.1:${port}`
    const out = local({ bytesMax: 1000 })
    await expect(out.send(get(`${base}/large`))).rejects.toMatchObject({ code: 'OUTGOING_TOO_LARGE' })
    await expect(out.send(get(`${base}/bomb`))).rejects.toMatchObject({ code: 'OUTGOING_TOO_LARGE' })
    await expect(out.send(get(`${base}/br`))).rejects.toMatchObject({ code: 'OUTGOING_REFUSED' })
    expect((await out.send(get(`${base}/gzip`))).body.toString()).toBe('packed')
    const late = local({ timeoutMs: 100 })
    for (const path of ['/silent', '/slow'])
      await expect(late.send(get(base + path))).rejects.toMatchObject({ code: 'OUTGOING_TIMEOUT' })
  })

  test('a closed port is named by its cause only', async () => {
    await expect(local().send(post('http://127.0.0.1:1/secret-path'))).rejects.toThrow(
      /^The call failed \(ECONNREFUSED\)\.$/,
    )
  })
})

describe('a call that says where it may go', () => {
  test('asks before each hop, and carries nothing to where it may not', async () => {
    const seen: string[] = []
    const port = await listen((req, res) => {
      seen.push(`${req.headers.host} ${req.url} ${req.headers['x-sentry-token'] ?? ''}`)
      if (req.url === '/a.js') res.writeHead(302, { location: `http://evil.test:${port}/b.js` }).end()
      else res.end('x()')
    })
    const allows = (url: URL) => url.hostname === 'cdn.test'
    const headers = { 'x-sentry-token': 's3cret' }
    const send = (path: string) => local().send({ ...get(`http://cdn.test:${port}${path}`), headers, allows })
    expect((await send('/c.js')).status).toBe(200)
    await expect(send('/a.js')).rejects.toMatchObject({ code: 'OUTGOING_REFUSED' })
    await expect(local().send({ ...get(`http://evil.test:${port}/`), allows })).rejects.toMatchObject({
      code: 'OUTGOING_REFUSED',
    })
    expect(seen).toEqual([`cdn.test:${port} /c.js s3cret`, `cdn.test:${port} /a.js s3cret`])
  })
})
