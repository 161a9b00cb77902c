import { createServer, type Server } from 'node:http'
import { createServer as createTcp } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { checkServer, isRecent, oldestVersion, serverAway } from './server-check.ts'

const open: { close(): unknown }[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

type Answers = (sql: string) => { status?: number; code?: number; text?: string }

/** Starts a server that answers each statement as `answers` says, with ClickHouse's headers. */
async function serve(answers: Answers): Promise<Parameters<typeof checkServer>[0]> {
  const server: Server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      const { status = 200, code, text = '' } = answers(Buffer.concat(parts).toString())
      res.writeHead(status, {
        'x-clickhouse-server-display-name': 'test',
        ...(code ? { 'x-clickhouse-exception-code': String(code) } : {}),
      })
      res.end(`${text}\n`)
    })
  })
  open.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const host = `127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  return { url: `http://${host}`, host, user: 'ada', password: 'secret', database: 'errors' }
}

/** A server that is as it should be, except for what `changed` answers. */
const healthy =
  (changed: Answers = () => ({})): Answers =>
  (sql) => {
    const own = changed(sql)
    if (own.text !== undefined || own.code !== undefined) return own
    if (sql.includes('version()')) return { text: `${oldestVersion}.1.1` }
    if (sql.startsWith('SELECT min(free_space)')) return { text: String(10 ** 12) }
    return { text: '1' }
  }

describe('at a start', () => {
  test('a server that has all is ready', async () => {
    expect(await checkServer(await serve(healthy()))).toBe('ready')
  })

  test.each<[string, Answers, string, string[]]>([
    ['wrong credentials', () => ({ status: 403, code: 516 }), 'START_EVENTS_CREDENTIALS', ['"ada"']],
    [
      'an old version',
      healthy((sql) => (sql.includes('version()') ? { text: '25.8.3.1' } : {})),
      'START_EVENTS_VERSION',
      ['25.8.3.1', oldestVersion],
    ],
    [
      'missing grants',
      healthy((sql) =>
        sql === 'CHECK GRANT INSERT ON errors.*' || (sql.includes('system.parts') && sql.startsWith('CHECK'))
          ? { text: '0' }
          : {},
      ),
      'START_EVENTS_GRANTS',
      ['INSERT ON errors.*; SELECT ON system.parts'],
    ],
    [
      'a missing database that it may not create',
      healthy((sql) =>
        (sql.includes('system.databases') && !sql.startsWith('CHECK')) || sql.includes('CREATE DATABASE')
          ? { text: '0' }
          : {},
      ),
      'START_EVENTS_DATABASE',
      ['CREATE DATABASE errors'],
    ],
    [
      'a full disk',
      healthy((sql) => (sql.startsWith('SELECT min(free_space)') ? { text: String(3 * 2 ** 20) } : {})),
      'START_EVENTS_DISK',
      ['3 MiB'],
    ],
  ])('%s ends it, and says so', async (_name, answers, code, parts) => {
    const access = await serve(answers)
    const error = await checkServer(access).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code, status: 78 })
    for (const part of [access.host, ...parts]) expect(String(error)).toContain(part)
    expect(String(error)).not.toContain('secret')
  })

  test('a missing database that it may create is no fault', async () => {
    const missing = healthy((sql) => (sql.startsWith('SELECT count() FROM system.databases') ? { text: '0' } : {}))
    expect(await checkServer(await serve(missing))).toBe('ready')
  })

  test('another web server is no ClickHouse server', async () => {
    const server = createServer((_req, res) => res.end('<html>'))
    open.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    const host = `127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
    const access = { url: `http://${host}`, host, user: 'u', password: '', database: 'm' }
    await expect(checkServer(access)).rejects.toMatchObject({ code: 'START_EVENTS_STRANGER' })
    await expect(checkServer({ ...access, url: `https://${host}` })).rejects.toMatchObject({ code: 'START_EVENTS_TLS' })
  })

  test('a server that does not speak HTTP, such as its native port, is no fault of the network', async () => {
    const server = createTcp((socket) => socket.end('\x02\x00Code: 1'))
    open.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
    const address = server.address()
    const host = `127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
    const access = { url: `http://${host}`, host, user: 'u', password: '', database: 'm' }
    await expect(checkServer(access)).rejects.toMatchObject({ code: 'START_EVENTS_STRANGER' })
  })

  test('a server that does not answer may come back', async () => {
    const access = { url: 'http://127.0.0.1:1', host: '127.0.0.1:1', user: 'u', password: '', database: 'm' }
    expect([await checkServer(access), await serverAway(access)]).toEqual(['silent', 'silent'])
  })
})

test.each([
  ['a proxy without its server', 502, undefined, 'silent'],
  ['a server with too many queries', 503, 202, 'refused'],
])('%s is no fault of the settings', async (_name, status, code, expected) => {
  const server = createServer((_req, res) => {
    res.writeHead(status, code ? { 'x-clickhouse-exception-code': String(code) } : {}).end()
  })
  open.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const host = `127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  expect(await checkServer({ url: `http://${host}`, host, user: 'u', password: '', database: 'm' })).toBe(expected)
})

test('later, a server that answers with an error refuses', async () => {
  expect(await serverAway(await serve(() => ({ status: 403, code: 516 })))).toBe('refused')
  expect(await serverAway(await serve(healthy()))).toBeUndefined()
})

test.each([
  ['26.7.2.1', '26.7', true],
  ['26.7.2.1', '26.8', false],
  ['26.10.1.1', '26.7', true],
  ['27.1.1.1', '26.7', true],
  ['25.12.9.61', '26.1', false],
  ['<html>', '26.1', false],
])('%s is at least %s: %s', (version, oldest, expected) => {
  expect(isRecent(version, oldest)).toBe(expected)
})
