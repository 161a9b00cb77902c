import { describe, expect, test } from 'vitest'
import type { Channel } from '../store/meta/issues/alerts.ts'
import { type ChannelChange, confirmAddress, createChannel, deleteChannel, updateChannel } from './channels.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()

/** A rig that records which channels asked their addresses to confirm. */
function rig() {
  const asked: number[] = []
  return { ...fresh(), asked, alerts: { askToConfirm: async ({ id }: Channel) => void asked.push(id) } }
}
const email = { kind: 'email' as const, name: 'Ops', target: 'ops@x.test', project: 'web' }

describe('a channel', () => {
  test('is made with a sealed target, and its addresses are asked', async () => {
    const parts = rig()
    const { channel, secret } = await createChannel(parts, 1, email)
    expect([channel.projectId, parts.seal.open(channel.sealedTarget), secret]).toEqual([1, 'ops@x.test', null])
    expect(parts.asked).toEqual([channel.id])
  })

  test('of a webhook has a secret to sign with', async () => {
    const parts = rig()
    const hook = { kind: 'webhook' as const, name: 'Hook', target: 'https://x.test/a', project: null }
    const { channel, secret } = await createChannel(parts, 1, hook)
    expect(secret).toMatch(/^mhs_/)
    expect(parts.seal.open(channel.sealedSecret)).toBe(secret)
  })

  test.each([
    [{ ...email, target: 'nobody' }, ['target']],
    [{ ...email, project: 'none' }, ['project']],
    [{ ...email, name: '' }, ['name']],
  ])('%j is refused, and nobody is asked', async (text, fields) => {
    const parts = rig()
    expect(await endOf(() => createChannel(parts, 1, text))).toEqual(['VALIDATION', fields])
    expect([parts.meta.channelsOf(1), parts.asked]).toEqual([[], []])
  })

  test('stops at 50 of one organization', async () => {
    const parts = rig()
    for (let count = 0; count < 50; count++) await createChannel(parts, 1, { ...email, name: `Ops ${count}` })
    expect(await endOf(() => createChannel(parts, 1, email))).toEqual(['VALIDATION', ['name']])
  })

  test.each<[ChannelChange, Partial<Channel>, number]>([
    [{ name: 'Team' }, { name: 'Team', active: true }, 0],
    [{ active: false }, { name: 'Ops', active: false }, 0],
    [{ project: '' }, { projectId: null }, 0],
    [{ target: 'new@x.test' }, { name: 'Ops' }, 1],
  ])('changes by %j, and asks new addresses only', async (change, expected, asked) => {
    const parts = rig()
    const { channel } = await createChannel(parts, 1, email)
    parts.asked.length = 0
    expect(await updateChannel(parts, channel, change)).toMatchObject(expected)
    expect(parts.asked).toHaveLength(asked)
  })

  test('is deleted', async () => {
    const parts = rig()
    const { channel } = await createChannel(parts, 1, email)
    deleteChannel(parts, channel.id)
    expect(parts.meta.channelById(channel.id)).toBeUndefined()
  })
})

test('an address is confirmed by the secret of its mail while that is good', async () => {
  const parts = rig()
  const { channel } = await createChannel(parts, 1, email)
  const secret = 's'.repeat(43)
  const nowMs = parts.clock.now()
  parts.meta.noteAsked({ channelId: channel.id, address: 'ops@x.test', secret, nowMs, expiresMs: nowMs + 1000 })
  expect(confirmAddress(parts, 'x'.repeat(43))).toBeUndefined()
  const late = { ...parts.clock, now: () => nowMs + 1000 }
  expect(confirmAddress({ ...parts, clock: late }, secret)).toBeUndefined()
  expect(confirmAddress(parts, secret)).toMatchObject({ organization: { id: 1 }, address: 'ops@x.test' })
  expect(parts.meta.addressBySecret(secret, nowMs)?.confirmedMs).toBe(nowMs)
})
