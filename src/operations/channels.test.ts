import { describe, expect, test } from 'vitest'
import { configOf } from '../alert/channel.ts'
import type { Channel } from '../store/meta/issues/alerts.ts'
import { type ChannelChange, confirmAddress, createChannel, deleteChannel, updateChannel } from './channels.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()

/** A rig that records which channels asked their addresses to confirm. */
async function rig() {
  const asked: number[] = []
  return { ...(await fresh()), asked, alerts: { askToConfirm: async ({ id }: Channel) => void asked.push(id) } }
}
const [member, admin] = [{ mayManageMembers: false }, { mayManageMembers: true }]
const email = { kind: 'email' as const, name: 'Ops', target: 'ops@x.test', project: 'web' }

describe('a channel', () => {
  test('is made with a sealed target, and its addresses are asked', async () => {
    const deps = await rig()
    const { channel, secret } = await createChannel(deps, 1, email, member)
    expect([channel.projectId, deps.seal.open(channel.sealedTarget), secret]).toEqual([1, 'ops@x.test', null])
    expect(deps.asked).toEqual([channel.id])
  })

  test('of a form has its target among the fields of its kind', async () => {
    const deps = await rig()
    const { target, ...rest } = email
    const { channel } = await createChannel(deps, 1, { ...rest, config: { target } }, member)
    expect(deps.seal.open(channel.sealedTarget)).toBe('ops@x.test')
    expect(await endOf(() => createChannel(deps, 1, { ...rest, config: {} }, member))).toEqual([
      'VALIDATION',
      ['target'],
    ])
  })

  test('of a webhook has a secret to sign with', async () => {
    const deps = await rig()
    const hook = { kind: 'webhook' as const, name: 'Hook', target: 'https://x.test/a', project: null }
    const { channel, secret } = await createChannel(deps, 1, hook, member)
    expect(secret).toMatch(/^mhs_/)
    expect(deps.seal.open(channel.sealedSecret)).toBe(secret)
  })

  test.each([
    [{ ...email, target: 'nobody' }, ['target']],
    [{ ...email, project: 'none' }, ['project']],
    [{ ...email, name: '' }, ['name']],
  ])('%j is refused, and nobody is asked', async (text, fields) => {
    const deps = await rig()
    expect(await endOf(() => createChannel(deps, 1, text, member))).toEqual(['VALIDATION', fields])
    expect([await deps.meta.alerts.channelsOf(1), deps.asked]).toEqual([[], []])
  })

  test('stops at 50 of one organization', async () => {
    const deps = await rig()
    for (let count = 0; count < 50; count++) await createChannel(deps, 1, { ...email, name: `Ops ${count}` }, member)
    expect(await endOf(() => createChannel(deps, 1, email, member))).toEqual(['VALIDATION', ['name']])
  })

  test.each<[ChannelChange, Partial<Channel>, number]>([
    [{ name: 'Team' }, { name: 'Team', active: true }, 0],
    [{ active: false }, { name: 'Ops', active: false }, 0],
    [{ project: '' }, { projectId: null }, 0],
    [{ target: 'new@x.test' }, { name: 'Ops' }, 1],
  ])('changes by %j, and asks new addresses only', async (change, expected, asked) => {
    const deps = await rig()
    const { channel } = await createChannel(deps, 1, email, member)
    deps.asked.length = 0
    expect(await updateChannel(deps, channel, change, member)).toMatchObject(expected)
    expect(deps.asked).toHaveLength(asked)
  })

  const ntfy = { kind: 'ntfy' as const, name: 'Phone', project: null }
  test.each<[string, ChannelChange, string, string[]]>([
    ['another topic keeps the token', { target: 'https://ntfy.test/b' }, 'tk_1', []],
    ['another server needs a token', { target: 'https://evil.test/a' }, 'tk_1', ['token']],
    ['another port needs a token', { target: 'https://ntfy.test:8443/a' }, 'tk_1', ['token']],
    ['plain http needs a token', { config: { target: 'http://ntfy.test/a' } }, 'tk_1', ['token']],
    ['another server with its own token', { target: 'https://other.test/a', config: { token: 'tk_2' } }, 'tk_2', []],
    ['another server without a token', { target: 'https://other.test/a', config: { token: '' } }, '', []],
    ['a broken address', { target: 'ntfy' }, 'tk_1', ['target']],
  ])('of ntfy: %s', async (_says, change, token, fields) => {
    const deps = await rig()
    const text = { ...ntfy, target: 'https://ntfy.test/a', config: { token: 'tk_1' } }
    const { channel } = await createChannel(deps, 1, text, member)
    expect((await endOf(() => updateChannel(deps, channel, change, member)))[1]).toEqual(fields)
    const [stored] = await deps.meta.alerts.channelsOf(1)
    expect(stored && (configOf(deps.seal, stored).token ?? '')).toBe(token)
    const changed = change.target ?? change.config?.target
    expect(stored && configOf(deps.seal, stored).target).toBe(fields.length > 0 ? 'https://ntfy.test/a' : changed)
  })

  test('of ntfy without a token moves freely', async () => {
    const deps = await rig()
    const { channel } = await createChannel(deps, 1, { ...ntfy, target: 'https://ntfy.test/a' }, member)
    expect(await endOf(() => updateChannel(deps, channel, { target: 'https://other.test/a' }, member))).toEqual([
      'done',
      [],
    ])
  })

  const app = { token: 'xoxb-1234567890-a', signing: 'a'.repeat(32), people: 'U0ANN ann@x.test' }
  const slack = { kind: 'slack_app' as const, name: 'Slack', target: 'C012AB3CD', config: app, project: null }
  test.each<[ChannelChange, 'done' | 'AUTH_FORBIDDEN']>([
    [{ name: 'Ops', target: '#ops', active: false, project: 'web' }, 'done'],
    [{ config: { people: app.people } }, 'done'],
    [{ config: { people: 'U0EVE ann@x.test' } }, 'AUTH_FORBIDDEN'],
    [{ config: { people: '' } }, 'AUTH_FORBIDDEN'],
    [{ config: { signing: 'e'.repeat(32) } }, 'AUTH_FORBIDDEN'],
    [{ config: { token: 'xoxb-1234567890-eve' } }, 'AUTH_FORBIDDEN'],
  ])('of a Slack app: a member who changes %j ends with %s, an admin may', async (change, end) => {
    const deps = await rig()
    const { channel } = await createChannel(deps, 1, slack, admin)
    expect((await endOf(() => updateChannel(deps, channel, change, member)))[0]).toBe(end)
    const [stored = channel] = await deps.meta.alerts.channelsOf(1)
    expect(configOf(deps.seal, stored)).toMatchObject(app)
    expect((await endOf(() => updateChannel(deps, channel, change, admin)))[0]).toBe('done')
  })

  test('of a Slack app is made by an admin only', async () => {
    const deps = await rig()
    expect((await endOf(() => createChannel(deps, 1, slack, member)))[0]).toBe('AUTH_FORBIDDEN')
    expect(await deps.meta.alerts.channelsOf(1)).toEqual([])
    expect((await endOf(() => createChannel(deps, 1, slack, admin)))[0]).toBe('done')
  })

  test('is deleted', async () => {
    const deps = await rig()
    const { channel } = await createChannel(deps, 1, email, member)
    await deleteChannel(deps, channel.id)
    expect(await deps.meta.alerts.channelById(channel.id)).toBeUndefined()
  })
})

test('an address is confirmed by the secret of its mail while that is good', async () => {
  const deps = await rig()
  const { channel } = await createChannel(deps, 1, email, member)
  const secret = 's'.repeat(43)
  const nowMs = deps.clock.now()
  await deps.meta.alerts.recordConfirmationMail({
    channelId: channel.id,
    address: 'ops@x.test',
    secret,
    nowMs,
    expiresMs: nowMs + 1000,
  })
  expect(await confirmAddress(deps, 'x'.repeat(43))).toBeUndefined()
  const late = { ...deps.clock, now: () => nowMs + 1000 }
  expect(await confirmAddress({ ...deps, clock: late }, secret)).toBeUndefined()
  expect(await confirmAddress(deps, secret)).toMatchObject({ organization: { id: 1 }, address: 'ops@x.test' })
  expect((await deps.meta.alerts.addressBySecret(secret, nowMs))?.confirmedMs).toBe(nowMs)
})
