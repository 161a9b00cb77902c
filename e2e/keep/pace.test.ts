// Batches are larger while nobody reads, and a request brings what waits.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled } from '../crash/traffic.ts'
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
} from '../product.ts'

let product: Product
let project: Project
beforeAll(async () => {
  product = await start()
  project = bootstrap(product, 'pace', 'web')
  await ready(product)
  await settled(product, project)
})
afterAll(() => discard(product))

/** Batches that were committed. Process app reports them every 5 s; asking main for them reaches no other process. */
async function batches(): Promise<number> {
  await pause(6000)
  const text = await (await fetch(`${product.url}/metrics`)).text()
  return Number(/^mishap_refine_batches_total (\d+)$/m.exec(text)?.[1])
}

/** Sends 40 events within some 3 s. Returns the batches until they were reported, and how long that took, s. */
async function batchesOf(type: string, meanwhile: () => Promise<unknown>): Promise<{ count: number; seconds: number }> {
  const before = await batches()
  const began = performance.now()
  for (let n = 0; n < 40; n++) {
    await ingest(product, project, envelopeOf(errorEvent(type)))
    await meanwhile()
    await pause(75)
  }
  return { count: (await batches()) - before, seconds: (performance.now() - began) / 1000 }
}

test('events come in fewer batches while nobody reads', async () => {
  const quiet = await batchesOf('QuietError', async () => undefined)
  const read = await batchesOf('ReadError', () => api(product, project, '/status/'))
  expect(quiet.count).toBeGreaterThan(0)
  // A batch each 0.7 s, those of counters too, and some more. With 0.15 s there would be 20 in the first 3 s alone.
  expect(quiet.count).toBeLessThan(quiet.seconds / 0.5)
  expect(read.count).toBeGreaterThan(quiet.count)
})

test('a look-up of an event that was just sent finds it, though the event before began a wait', async () => {
  for (let n = 0; n < 5; n++) {
    await ingest(product, project, envelopeOf(errorEvent('FirstError')))
    await pause(250)
    const event = errorEvent('LateError')
    await ingest(product, project, envelopeOf(event))
    const answer = await api(product, project, `/organizations/${project.org}/eventids/${event.event_id}/`)
    expect(answer.status).toBe(200)
    await pause(100 * n)
  }
})
