import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { api, bootstrap, eventId, ingest, root, until } from './product.ts'

const product = inject('product')
const folder = join(root, 'fixtures/envelopes')
const corpora = join(root, '../shared/corpora')

type Ledger = {
  ledger: {
    received: number
    stored: number
    filtered: number
    rateLimited: number
    invalid: number
    duplicate: number
    dead: number
    lost: number
  }
}

test('every recorded envelope is accepted, its event is found by its id, and the ledger adds up', async () => {
  const project = bootstrap(product, 'fixtures', 'web')
  const ids: string[] = []
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.envelope'))) {
    const body = readFileSync(join(folder, file))
    const answer = await ingest(product, project, body)
    expect([file, answer.status]).toEqual([file, 200])
    const { id } = (await answer.json()) as { id?: string }
    if (id && /"type":"event"/.test(body.toString('utf8').split('\n')[1] ?? '')) ids.push(id)
  }
  expect(ids.length).toBeGreaterThan(20)
  for (const id of new Set(ids))
    await until(
      `event ${id}`,
      15_000,
      async () => (await api(product, project, `/organizations/fixtures/eventids/${id}/`)).status === 200,
    )
  const { ledger } = (await api(product, project, '/organizations/fixtures/status/')).json as Ledger
  const { received, stored, filtered, rateLimited, invalid, duplicate, dead, lost } = ledger
  expect(stored + filtered + rateLimited + invalid + duplicate + dead + lost).toBe(received)
  expect({ lost, dead }).toEqual({ lost: 0, dead: 0 })
})

const isEvent = (value: unknown): value is Record<string, unknown> => {
  if (!value || typeof value !== 'object' || Array.isArray(value)) return false
  return ['exception', 'message', 'logentry', 'platform'].some((name) => name in value)
}

function eventsOfCorpora(): { name: string; event: Record<string, unknown> }[] {
  if (!existsSync(corpora)) return []
  const found: { name: string; event: Record<string, unknown> }[] = []
  for (const name of readdirSync(corpora, { recursive: true }) as string[]) {
    if (!name.endsWith('.json') || !/event|payloads|grouping_inputs|samples|incoming/.test(name)) continue
    try {
      const event: unknown = JSON.parse(readFileSync(join(corpora, name), 'utf8'))
      if (isEvent(event)) found.push({ name, event })
    } catch {
      // Not an event: some corpora contain truncated JSON on purpose.
    }
  }
  return found
}

const corpus = eventsOfCorpora()

test.skipIf(corpus.length === 0)(
  'every event of the corpora is accepted by envelope and store, and none dies in refine',
  async () => {
    const project = bootstrap(product, 'corpora', 'web')
    const last: string[] = []
    for (const { name, event } of corpus) {
      for (const path of ['envelope', 'store']) {
        const event_id = eventId()
        const text = JSON.stringify({ ...event, event_id })
        const body = path === 'store' ? text : `{"event_id":"${event_id}"}\n{"type":"event"}\n${text}\n`
        const answer = await ingest(product, project, body, { path })
        expect([name, path, answer.status]).toEqual([name, path, 200])
        // Transactions are stored as spans, so no event has their id.
        if (event.type !== 'transaction') last.push(event_id)
      }
    }
    for (const id of last)
      await until(
        `event ${id}`,
        20_000,
        async () => (await api(product, project, `/organizations/corpora/eventids/${id}/`)).status === 200,
      )
    const { ledger } = (await api(product, project, '/organizations/corpora/status/')).json as Ledger
    expect(ledger.dead).toBe(0)
  },
)
