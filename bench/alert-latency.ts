// Time from an SDK's error to the received message, by mail and by webhook, at 100 events/s beside it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openMailServer, type Received } from '../e2e/mail.ts'
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
} from '../e2e/product.ts'
import { percentile, realBodies, runLoad } from './load.ts'
import type { Row } from './measure.ts'

/** A channel sends ten single messages in ten minutes. Each project has its own channels, so none comes near that. */
const projects = 5
const issuesEach = 8
/** Between two errors. Messages of one error then do not wait for those of another. */
const pauseMs = 1500
const goalMs = { p95: 15_000, longest: 60_000 }

const json = (body: object) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

type Hook = { text: string; atMs: number }

async function openHook(hooks: Hook[]): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      hooks.push({ text: Buffer.concat(parts).toString(), atMs: performance.now() })
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, close: () => server.close() }
}

/** Creates a mail channel and a webhook of one project. */
async function openChannels(product: Product, project: Project, url: string): Promise<void> {
  const path = `/organizations/${project.org}/notification-channels/`
  const created = [
    { kind: 'email', name: `Mail of ${project.slug}`, target: 'members', project: project.slug },
    { kind: 'webhook', name: `Hook of ${project.slug}`, target: url, project: project.slug },
  ]
  for (const body of created) {
    const { status, json: answer } = await api(product, project, path, { method: 'POST', ...json(body) })
    if (status !== 201) throw new Error(`no channel: ${status} ${JSON.stringify(answer)}`)
  }
}

/** Sends new issues one by one, and times each from its request to the arrival of its mail and of its webhook. */
export async function benchAlertLatency(): Promise<Row[]> {
  const product = await start({ env: { MISHAP_LOG_LEVEL: 'warn', MISHAP_OUTGOING_NETWORKS: '127.0.0.0/8' } })
  const loaded = bootstrap(product, 'bench', 'web')
  const watched = Array.from({ length: projects }, (_, at) => bootstrap(product, 'bench', `watched-${at}`))
  await ready(product)
  const mails: Received[] = []
  const hooks: Hook[] = []
  const mail = await openMailServer(mails)
  const hook = await openHook(hooks)
  const server = { host: '127.0.0.1', port: mail.port, security: 'none', from: 'Mishap <mishap@example.test>' }
  const set = await api(product, loaded, '/mail-server/', { method: 'PUT', ...json(server) })
  if (set.status !== 200) throw new Error(`no mail server: ${set.status} ${JSON.stringify(set.json)}`)
  for (const project of watched) await openChannels(product, project, hook.url)
  const path = `/api/${loaded.id}/envelope/?sentry_key=${loaded.key}&sentry_version=7`
  const seconds = Math.ceil((projects * issuesEach * pauseMs) / 1000) + 5
  const load = { port: product.port, path, bodies: realBodies().mix, connections: 4, rate: 100 }
  const loading = runLoad(load, seconds)
  const times: Record<'mail' | 'webhook', number[]> = { mail: [], webhook: [] }
  for (let n = 0; n < issuesEach; n++)
    for (const project of watched) {
      const type = `Latency${n}Of${project.id}Error`
      const began = performance.now()
      await ingest(product, project, envelopeOf(errorEvent(type)))
      await pause(pauseMs)
      const found = () =>
        [mails, hooks].map((all: readonly (Received | Hook)[]) => all.find(({ text }) => text.includes(type)))
      await until(`the messages of ${type}`, goalMs.longest, async () => found().every((one) => one !== undefined))
      const [ofMail, ofHook] = found()
      times.mail.push((ofMail?.atMs ?? Number.NaN) - began)
      times.webhook.push((ofHook?.atMs ?? Number.NaN) - began)
    }
  await loading
  mail.close()
  hook.close()
  await discard(product)
  return Object.entries(times).map(([receiver, found]) => {
    const sorted = found.sort((a, b) => a - b)
    const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)]
    const longest = sorted.at(-1) ?? Number.NaN
    return {
      what: `SDK's error to received ${receiver}, beside 100 events/s`,
      goal: 'p95 at most 15 s, never over 60 s',
      result: `p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms, longest ${Math.round(longest)} ms of ${sorted.length}`,
      met: p95 <= goalMs.p95 && longest <= goalMs.longest,
    }
  })
}
