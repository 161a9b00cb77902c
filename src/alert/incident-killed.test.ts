import { expect, test } from 'vitest'
import { commit, effect } from '../store/meta/fixture.cases.ts'
import { createAlerts } from './alert.ts'
import type { AlertDeps } from './deps.ts'
import { incidentRig as rig } from './incident.cases.ts'

/** The places at which a process can end between the decision and the answer. */
const cuts = [
  'before the decision',
  'after the decision',
  'before sending',
  'after sending',
  'after the record',
] as const
type Cut = (typeof cuts)[number]

/** A process that ends at a place: from then on nothing reaches the store or the network. */
function mortal(deps: AlertDeps, cut: Cut, after: number): AlertDeps {
  const state = { isDead: false, left: after }
  const end = new Error('The process ended.')
  const passing = async <Result>(place: Cut | undefined, later: Cut | undefined, work: () => Promise<Result>) => {
    if (state.isDead) throw end
    if (place === cut && state.left-- <= 0) state.isDead = true
    if (state.isDead) throw end
    const result = await work()
    if (later === cut && state.left-- <= 0) state.isDead = true
    if (state.isDead) throw end
    return result
  }
  const { meta, outgoing } = deps
  return {
    ...deps,
    meta: {
      ...meta,
      incidents: {
        ...meta.incidents,
        storeDecision: (...words) =>
          passing('before the decision', 'after the decision', () => meta.incidents.storeDecision(...words)),
      },
      alerts: {
        ...meta.alerts,
        recordDelivery: (id, result, atMs) =>
          passing(undefined, 'after the record', () => meta.alerts.recordDelivery(id, result, atMs)),
      },
    },
    outgoing: { send: (request) => passing('before sending', 'after sending', () => outgoing.send(request)) },
  }
}

test('100 processes that end between decision and answer: each message arrives, a repeated one under its id', async () => {
  const { meta, posts, fire, clock, deps } = await rig({ intervalMinutes: 5 })
  for (let round = 0; round < 100; round++) {
    await commit(meta, {
      events: [effect({ hashes: [(round + 16).toString(16).padStart(16, '0')], title: `Boom ${round}` })],
    })
    await fire({ cause: { projectIds: [1], issueIds: [round + 1], release: '', deployId: null } })
    const cut = cuts[round % cuts.length] ?? 'after sending'
    await createAlerts(mortal(deps, cut, Math.floor(round / cuts.length) % 2))
      .run()
      .catch((error: unknown) => {
        expect(String(error)).toContain('The process ended.')
      })
    // Longer than the flood limits look back, and than every pause of a retry.
    clock.advance(3 * 3_600_000)
    await createAlerts(deps).run()
  }
  clock.advance(12 * 3_600_000)
  await createAlerts(deps).run()
  const log = await meta.alerts.listDeliveries({ organizationId: 1 }, 1000)
  const starts = log.filter(({ change }) => change === 'start')
  expect(starts.map(({ items }) => items[0]?.issueId).sort((a = 0, b = 0) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, round) => round + 1),
  )
  const arrived = new Set(posts.map(({ delivery }) => delivery))
  expect(log.filter(({ id }) => !arrived.has(id))).toEqual([])
  expect(log.every(({ status }) => status === 'sent')).toBe(true)
  // A process that ended after sending and before the record sent twice: under the same id, with the same content.
  expect(posts.length).toBeGreaterThan(arrived.size)
  for (const same of Map.groupBy(posts, ({ delivery }) => delivery).values())
    expect(new Set(same.map(({ text }) => JSON.parse(text).issues[0]?.id)).size).toBe(1)
})
