import { describe, expect, test } from 'vitest'
import type { Actor } from '../auth/auth.ts'
import { createChannel } from './channels.ts'
import { sendAgain } from './deliveries.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()
const actor: Actor = { kind: 'session', person: { id: 'ann', name: 'Ann', email: 'ann@x.test' } }

/** A channel with one test delivery, and a record of how often the outbox was started. */
async function rig() {
  const deps = await fresh()
  const kicked: number[] = []
  const alerts = { askToConfirm: async () => undefined, kick: () => void kicked.push(1) }
  const text = { kind: 'slack' as const, name: 'Chat', target: 'https://chat.test/x', project: null }
  const { channel } = await createChannel({ ...deps, alerts }, 1, text, { mayManageMembers: false })
  const [delivery] = await deps.meta.alerts.queueTest(channel.id, [''], deps.clock.now())
  return { ...deps, alerts, kicked, channel, deliveryId: delivery?.id ?? 0 }
}

describe('sending a message again', () => {
  test.each<[string, number, string]>([
    ['an unknown message', 99, 'NOT_FOUND'],
    ['nothing', 0, 'NOT_FOUND'],
  ])('%s is not found, and nothing starts', async (_says, id, code) => {
    const deps = await rig()
    expect((await endOf(() => sendAgain(deps, actor, deps.channel, id)))?.[0]).toBe(code)
    expect(deps.kicked).toEqual([])
  })

  test('a message of another channel is not found', async () => {
    const deps = await rig()
    const other = { ...deps.channel, id: deps.channel.id + 1 }
    expect((await endOf(() => sendAgain(deps, actor, other, deps.deliveryId)))?.[0]).toBe('NOT_FOUND')
  })

  test('a test is refused: it was for the person who asked', async () => {
    const deps = await rig()
    expect((await endOf(() => sendAgain(deps, actor, deps.channel, deps.deliveryId)))?.[0]).toBe('CONFLICT')
    expect(deps.kicked).toEqual([])
  })
})
