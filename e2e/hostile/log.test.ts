// The product's own log must not contain event content. Send events with a marker in every field, then search the log.
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  type Project,
  ready,
  start,
  until,
} from '../product.ts'

const mark = 'mark0f4n3v3nt'
let product: Product
let project: Project
beforeAll(async () => {
  product = await start({ env: { MISHAP_LOG_LEVEL: 'debug' } })
  project = bootstrap(product, 'logs', 'web')
  await ready(product)
})
afterAll(() => discard(product))

const all = (value: unknown) => ({
  ...errorEvent(`${mark}Type`, `${mark} value`),
  message: value,
  tags: { [mark]: mark },
  user: { id: mark, ip_address: mark },
  request: { url: `http://${mark}/`, headers: [[mark, mark]], data: mark },
  contexts: { [mark]: { [mark]: value } },
  breadcrumbs: { values: [{ message: mark, data: { [mark]: value } }] },
  timestamp: mark,
  fingerprint: [mark],
  level: mark,
})
const bodies: [string, string | Buffer, Record<string, string>?][] = [
  ['an event with the mark everywhere', envelopeOf(all(mark))],
  ['deep nesting', envelopeOf(all(JSON.parse(`${'['.repeat(500)}"${mark}"${']'.repeat(500)}`)))],
  ['broken JSON', `{}\n{"type":"event"}\n{"${mark}\n`],
  ['an array', `{}\n{"type":"event"}\n["${mark}"]\n`],
  ['lone surrogates', `{}\n{"type":"event"}\n{"message":"\\ud800${mark}"}\n`],
  ['no envelope', mark],
  ['an item type of its own', `{}\n{"type":"${mark}"}\n${mark}\n`],
  ['a length that lies', `{}\n{"type":"event","length":99999}\n${mark}`],
  ['a client report', `{}\n{"type":"client_report"}\n{"discarded_events":[{"category":"${mark}","quantity":1}]}\n`],
  ['gzip that breaks', gzipSync(mark).subarray(0, 12), { 'content-encoding': 'gzip' }],
  ['an encoding of its own', mark, { 'content-encoding': mark }],
  ['an attachment', `{"event_id":"${'a'.repeat(32)}"}\n{"type":"attachment","filename":"${mark}"}\n${mark}\n`],
  ['a request id of its own', envelopeOf(all(mark)), { 'x-request-id': `${mark} ${mark}` }],
]

test('the log has lines, each is JSON, and none holds a mark', async () => {
  for (const [, body, headers = {}] of bodies) await ingest(product, project, body, { headers })
  for (const path of ['store', 'security', mark]) await ingest(product, project, `{"message":"${mark}",}`, { path })
  await until('everything to be refined', 30_000, async () => {
    const { json } = await api(product, project, '/status/')
    const { journal, ledger } = json as { journal: { waitingRecords: number }; ledger: { stored: number } }
    return journal.waitingRecords === 0 && ledger.stored >= 3
  })
  // Also send invalid queries with the marker.
  for (const query of [`${mark}:`, `"${mark}`, `timestamp:${mark}`])
    await api(product, project, `/organizations/logs/issues/?query=${encodeURIComponent(query)}`)
  const lines = product
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
  expect(product.log()).not.toContain(mark)
})

test('a request has an id: a sane one is kept, another is replaced', async () => {
  const idOf = (given?: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = given === undefined ? {} : { 'x-request-id': given }
      request(`${product.url}/api/0/`, { headers }, (answer) => {
        answer.resume()
        resolve(String(answer.headers['x-request-id']))
      })
        .on('error', reject)
        .end()
    })
  expect(await idOf('trace-12345678')).toBe('trace-12345678')
  expect(await idOf('two words')).toMatch(/^[\da-f-]{36}$/)
  expect(await idOf()).not.toBe(await idOf())
})

test('senders that leave cause no line of level 50, no event and no notification', async () => {
  const body = JSON.stringify({ email: 'nobody@example.test', password: 'wrong horse 99' })
  const origin = `Origin: ${product.url}\r\n`
  const heads = [
    `POST /login HTTP/1.1\r\nHost: 127.0.0.1:${product.port}\r\n${origin}Next-Action: ${'a'.repeat(42)}\r\nContent-Type: text/plain;charset=UTF-8\r\n`,
    `POST /api/auth/sign-in/email HTTP/1.1\r\nHost: a\r\n${origin}Content-Type: application/json\r\n`,
    `PUT /api/0/organizations/logs/issues/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${project.token}\r\n`,
    'GET /login HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n',
  ]
  for (let i = 0; i < 200; i++) {
    const head = heads[i % heads.length] ?? ''
    const socket = connect(product.port, '127.0.0.1')
    socket.on('error', () => undefined)
    // Some clients disconnect in the middle of the body, others when app has started to answer.
    const sent = i % 3 === 0 ? body.slice(0, 20) : body
    socket.write(head.startsWith('GET') ? `${head}\r\n` : `${head}Content-Length: ${body.length}\r\n\r\n${sent}`)
    await pause(i % 7)
    socket.destroy()
  }
  await until('the last of them', 10_000, async () => (await fetch(`${product.url}/login`)).ok)
  await pause(500)
  const errors = product
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":50'))
  expect(errors).toEqual([])
  const { json } = await api(product, project, '/organizations/logs/projects/')
  expect((json as { slug: string }[]).map((item) => item.slug)).toContain('mishap')
  const issues = await api(product, project, '/projects/logs/mishap/issues/?query=')
  expect([issues.status, (issues.json as { title: string }[]).map((issue) => issue.title)]).toEqual([200, []])
})
