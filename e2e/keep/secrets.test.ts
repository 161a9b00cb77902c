// Sends secrets in every field. Afterwards no store, file, log, mail, webhook or backup may contain one.
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@clickhouse/client'
import { afterAll, expect, test } from 'vitest'
import { openMailServer, type Received } from '../mail.ts'
import {
  api,
  bootstrap,
  discard,
  eventId,
  ingest,
  type Product,
  type Project,
  ready,
  root,
  start,
  until,
} from '../product.ts'
import { createPlanting, plantedEvent, plantedFeedback, plantedMessage, plantedTransaction } from './planted.ts'

const open: { product?: Product; close: (() => void)[] } = { close: [] }
afterAll(async () => {
  for (const close of open.close) close()
  if (open.product) await discard(open.product)
})

/** Starts a server on loopback that records the body of every request. Returns its URL. */
async function openWebhook(bodies: string[]): Promise<string> {
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      bodies.push(`${JSON.stringify(req.headers)}\n${Buffer.concat(parts)}`)
      res.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.close.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

const item = (type: string, payload: unknown) => `${JSON.stringify({ type })}\n${JSON.stringify(payload)}\n`

/** Every row of every table as text. It asks the engine, because its files are compressed. */
async function rowsOfEngine(data: string): Promise<string> {
  const socket = { socketPath: join(data, 'run/engine.sock') }
  const agent = new Agent({ ...socket, keepAlive: true })
  const client = createClient({ url: 'http://localhost', http_agent: agent })
  const ask = async (query: string) => (await client.query({ query, format: 'JSONEachRow' })).text()
  const tables = (await ask(`SELECT name FROM system.tables WHERE database = 'mishap' AND engine LIKE '%MergeTree'`))
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { name: string }).name)
  expect(tables).toEqual(expect.arrayContaining(['events', 'spans', 'issue_time']))
  const texts = await Promise.all(tables.map((name) => ask(`SELECT * FROM mishap.${name}`)))
  await client.close()
  return texts.join('\n')
}

/** Files as pairs of name and text. The journal is skipped: its records wait for processing and are not scrubbed. */
const filesIn = (folder: string, skip: RegExp): [string, string][] =>
  globSync('**/*', { cwd: folder })
    .filter((name) => !skip.test(name) && statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name), 'latin1')])

/** Makes a change by REST, which must succeed. */
async function change(product: Product, project: Project, method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const { status, text } = await api(product, project, path, { method, headers, body: JSON.stringify(body) })
  expect({ path, status, text }).toMatchObject({ path, status: expect.toSatisfy((value: number) => value < 300) })
}

test('planted in every field, secrets are found nowhere afterwards', async () => {
  const [mails, hooks]: [Received[], string[]] = [[], []]
  const product = await start({ env: { MISHAP_OUTGOING_NETWORKS: '127.0.0.0/8' } })
  open.product = product
  await ready(product)
  const project = bootstrap(product)
  const mail = await openMailServer(mails)
  open.close.push(mail.close)
  const smtp = { host: '127.0.0.1', port: mail.port, security: 'none', from: 'mishap@example.test' }
  await change(product, project, 'PUT', '/mail-server/', smtp)
  const channels = `/organizations/${project.org}/notification-channels/`
  await change(product, project, 'POST', channels, { kind: 'email', name: 'Mail', target: 'members' })
  const target = await openWebhook(hooks)
  await change(product, project, 'POST', channels, { kind: 'webhook', name: 'Hook', target })
  const planting = createPlanting()
  const [error, message, transaction] = [eventId(), eventId(), eventId()]
  const envelopes = [
    [error, item('event', plantedEvent(planting, error))],
    [message, item('event', plantedMessage(planting, message))],
    [transaction, item('transaction', plantedTransaction(planting, transaction))],
    [eventId(), item('feedback', plantedFeedback(planting, eventId()))],
  ] as const
  for (const [id, body] of envelopes)
    expect((await ingest(product, project, `{"event_id":"${id}"}\n${body}`)).status).toBe(200)
  await until('the issues', 20_000, async () => {
    const { json } = await api(product, project, `/organizations/${project.org}/issues/`)
    return (json as unknown[]).length >= 2
  })
  await until('mails and webhooks', 30_000, async () => mails.length >= 2 && hooks.length >= 2)

  const latest = await api(product, project, `/projects/${project.org}/${project.slug}/events/${error}/`)
  const page = await api(product, project, `/organizations/${project.org}/issues/`)
  const folder = mkdtempSync(join(tmpdir(), 'mishap-planted-'))
  open.close.push(() => rmSync(folder, { recursive: true, force: true }))
  const words = [join(root, 'src/processes/main.ts'), 'backup', join(folder, 'b.tar'), '--data', product.data]
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...words])
  const seen: [string, string][] = [
    ['the events store', await rowsOfEngine(product.data)],
    ['the mails', mails.map((mail) => mail.text.replaceAll('=\r\n', '')).join('\n')],
    ['the webhooks', hooks.join('\n')],
    ['the log', product.log()],
    ['the event by REST', latest.text],
    ['the issues by REST', page.text],
    ...filesIn(product.data, /^(journal|run)\//),
    ...filesIn(folder, /^$/),
  ]
  expect(seen.map(([where]) => where)).toEqual(expect.arrayContaining(['b.tar', 'meta/mishap.sqlite']))
  const found = planting.planted.flatMap(({ location: place, secret }) =>
    seen
      .filter(([, text]) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
      .map(([where]) => `${place} in ${where}`),
  )
  expect(found).toEqual([])
  expect(planting.planted.length).toBeGreaterThan(40)
  // The event is stored, and the text around a secret is still readable.
  expect(latest.text).toContain('[Filtered]')
  expect(latest.text).toContain('paid by [Filtered] today')
})
