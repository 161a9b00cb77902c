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

/** Waits until nobody has asked for anything for long: asking for events of 10 s ago ends a wait of refine. */
const nobodyReads = () => pause(10_500)

/**
 * Sends 40 events within some 3 s. `before`: the batches until then. Returns the batches until they were reported, the sum
 * of both, and how long that took, s.
 */
async function batchesOf(
  type: string,
  before: number,
  meanwhile: () => Promise<unknown>,
): Promise<{ count: number; sum: number; seconds: number }> {
  const began = performance.now()
  for (let n = 0; n < 40; n++) {
    await ingest(product, project, envelopeOf(errorEvent(type)))
    await meanwhile()
    await pause(75)
  }
  const sum = await batches()
  return { count: sum - before, sum, seconds: (performance.now() - began) / 1000 }
}

test('events come in fewer batches while nobody reads', { timeout: 90_000 }, async () => {
  await pause(5000)
  const away = await batchesOf('AwayError', await batches(), async () => undefined)
  // Somebody has asked a moment ago.
  await api(product, project, '/organizations/pace/issues/')
  const quiet = await batchesOf('QuietError', away.sum, async () => undefined)
  const read = await batchesOf('ReadError', quiet.sum, () => api(product, project, '/status/'))
  expect(away.count).toBeGreaterThan(0)
  // A batch each 3 s.
  expect(away.count).toBeLessThan(away.seconds / 1.5)
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

test('whoever asks first sees what came before, in a list and on a page', { timeout: 150_000 }, async () => {
  /** How many issues the first one who asks sees. A request waits for 1 s at most, which a busy machine can exceed. */
  async function seen(target: string, tries = 3): Promise<number> {
    await nobodyReads()
    // The first one is stored at once, and the others would wait for 3 s.
    await ingest(product, project, envelopeOf(errorEvent('FirstError')))
    await pause(700)
    const type = `Unseen${target}${tries}Error`
    await ingest(product, project, envelopeOf(errorEvent(type)))
    const path = `/organizations/${project.org}/issues/?query=${type}&statsPeriod=24h`
    if (target === 'Page') await fetch(`${product.url}/login`)
    const { length } = (await api(product, project, path)).json as unknown[]
    return length === 0 && tries > 1 ? seen(target, tries - 1) : length
  }
  expect([await seen('List'), await seen('Page')]).toEqual([1, 1])
})
