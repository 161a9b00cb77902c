import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { addChannel, changeChannel, confirmAddress } from '../operations/channels.ts'
import { commit, effect, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'
import { createAlerts } from './alert.ts'
import { confirmationMs, confirmationOf, mailsPerAddressMax, mailsPerOrganizationMax } from './confirm.ts'
import { recipientsIn } from './recipients.ts'
import type { Mail, SmtpSettings } from './send/mailer.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-confirm-'))
const opened: { close(): void }[] = []
afterAll(() => {
  for (const item of opened) item.close()
  rmSync(folder, { recursive: true, force: true })
})

const smtp: SmtpSettings = {
  host: '127.0.0.1',
  port: 25,
  security: 'none',
  user: '',
  password: '',
  from: 'm@x.test',
}

const rights = { mayManageMembers: false }

async function rig() {
  const clock = testClock()
  const meta = await withProject(await openTestMeta(join(folder, `${opened.length}.sqlite`), { clock }))
  opened.push(meta)
  const mails: Mail[] = []
  const state = { smtp: smtp as SmtpSettings | undefined, broken: false }
  const seal = { seal: (text: string) => `s:${text}`, open: (text: string) => text.slice(2) }
  const alerts = createAlerts({
    clock,
    observe: silent,
    meta,
    url: 'https://m.test',
    open: seal.open,
    seal: seal.seal,
    smtp: async () => state.smtp,
    authorEmails: async () => [],
    facts: async (message) => ({ message, note: '' }),
    events: { countsOf: async () => [] },
    outgoing: { send: async () => Promise.reject(new Error('no chat here')) },
    mailer: {
      send: async (_settings, mail) => {
        if (state.broken) throw new Error('connect ECONNREFUSED')
        mails.push(mail)
        return '250 queued'
      },
      close() {},
    },
  })
  const make = async (target: string) =>
    (await addChannel({ meta, seal }, 1, { kind: 'email', name: 'Ops', target, project: null }, rights)).channel
  const statesOf = async (id: number) => {
    const channel = await meta.alerts.channelById(id)
    return (
      channel &&
      (await recipientsIn({ meta, open: seal.open }, channel)).map((recipient) => [recipient.address, recipient.state])
    )
  }
  const secretIn = (mail: Mail | undefined) => /secret=([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? ''
  return { clock, meta, mails, state, seal, alerts, make, statesOf, secretIn }
}

describe('an address that belongs to no member', () => {
  test('gets nothing but the question until it confirms', async () => {
    const { clock, meta, mails, alerts, make, statesOf, secretIn } = await rig()
    const channel = await make('Ops@x.test')
    await alerts.askToConfirm(channel)
    expect(mails.map((mail) => [mail.to, mail.subject])).toEqual([
      ['Ops@x.test', 'Confirm notifications of Acme on Mishap'],
    ])
    await commit(meta, { events: [effect({ title: 'Boom' })] })
    expect([await alerts.run(), await alerts.test(channel), mails.length]).toEqual([{ tries: 0 }, [], 1])
    await alerts.askToConfirm(channel)
    expect(mails).toHaveLength(1)
    const secret = secretIn(mails[0])
    expect(JSON.stringify(await meta.alerts.addressesOf(channel.id))).not.toContain(secret)
    const room = { meta, clock }
    expect(await confirmationOf(room, secret)).toMatchObject({ address: 'ops@x.test', isConfirmed: false })
    expect(await statesOf(channel.id)).toEqual([['Ops@x.test', 'unconfirmed']])
    expect(await confirmAddress(room, secret)).toMatchObject({ organization: { name: 'Acme' }, address: 'ops@x.test' })
    expect(await statesOf(channel.id)).toEqual([['Ops@x.test', 'confirmed']])
    expect(await alerts.test(channel)).toMatchObject([{ recipient: 'Ops@x.test', status: 'sent' }])
    clock.advance(confirmationMs)
    expect((await confirmationOf(room, secret))?.isConfirmed).toBe(true)
  })

  test.each(['', 'x', 'A'.repeat(43)])('link %j is not good', async (secret) => {
    const { meta, clock } = await rig()
    expect([await confirmationOf({ meta, clock }, secret), await confirmAddress({ meta, clock }, secret)]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('is asked again with a new link, which ends the one before; links end after 7 days', async () => {
    const { clock, meta, mails, alerts, make, secretIn } = await rig()
    const channel = await make('ops@x.test')
    await alerts.askToConfirm(channel)
    await alerts.askToConfirm(channel, 'ops@x.test')
    const [first, second] = mails.map(secretIn)
    expect([
      await confirmAddress({ meta, clock }, first ?? ''),
      await confirmationOf({ meta, clock }, second ?? ''),
    ]).toEqual([undefined, expect.objectContaining({ isConfirmed: false })])
    clock.advance(confirmationMs)
    expect(await confirmAddress({ meta, clock }, second ?? '')).toBeUndefined()
  })

  test('of a channel that asks too often is left in peace, and it is said', async () => {
    const { clock, meta, mails, alerts, make } = await rig()
    const channel = await make('ops@x.test')
    for (let asked = 0; asked <= mailsPerAddressMax; asked++) await alerts.askToConfirm(channel, 'ops@x.test')
    expect(mails).toHaveLength(mailsPerAddressMax)
    expect(await meta.alerts.addressesOf(channel.id)).toMatchObject([{ error: expect.stringContaining('Too many') }])
    clock.advance(3_600_000)
    await alerts.askToConfirm(channel, 'ops@x.test')
    expect(await meta.alerts.addressesOf(channel.id)).toMatchObject([{ error: '' }])
    const many = Array.from({ length: 50 }, (_, at) => `a${at}@x.test`).join(',')
    await alerts.askToConfirm(await make(many))
    expect(mails).toHaveLength(mailsPerAddressMax + mailsPerOrganizationMax)
  })

  test('is not asked without a mail server, and a mail that does not leave is said', async () => {
    const { meta, mails, state, alerts, make } = await rig()
    state.smtp = undefined
    const channel = await make('ops@x.test')
    await alerts.askToConfirm(channel)
    expect(await meta.alerts.addressesOf(channel.id)).toEqual([])
    Object.assign(state, { smtp, broken: true })
    await alerts.askToConfirm(channel)
    expect(await meta.alerts.addressesOf(channel.id)).toMatchObject([{ askedMs: null, error: 'connect ECONNREFUSED' }])
    state.broken = false
    await alerts.askToConfirm(channel)
    expect([mails.length, await meta.alerts.addressesOf(channel.id)]).toMatchObject([1, [{ error: '' }]])
  })
})

test('addresses that stay when a channel changes stay confirmed; the others are forgotten', async () => {
  const { clock, meta, mails, seal, alerts, make, statesOf, secretIn } = await rig()
  const channel = await make('a@x.test,b@x.test')
  await alerts.askToConfirm(channel)
  for (const mail of mails) await confirmAddress({ meta, clock }, secretIn(mail))
  await changeChannel({ meta, seal }, channel, { target: 'B@x.test, c@x.test' }, rights)
  expect(await statesOf(channel.id)).toEqual([
    ['B@x.test', 'confirmed'],
    ['c@x.test', 'unconfirmed'],
  ])
  await changeChannel({ meta, seal }, channel, { target: 'a@x.test' }, rights)
  expect(await statesOf(channel.id)).toEqual([['a@x.test', 'unconfirmed']])
})

test('a channel from before goes on; an address that it gets later confirms', async () => {
  const { meta, seal, make, statesOf } = await rig()
  const channel = await make('a@x.test,b@x.test')
  // The migration writes this row.
  await meta.alerts.recordConfirmationMail({ channelId: channel.id, address: '*', secret: 's', nowMs: 1, expiresMs: 2 })
  await meta.alerts.confirmAddress('s', 1)
  expect((await statesOf(channel.id))?.map(([, state]) => state)).toEqual(['confirmed', 'confirmed'])
  await changeChannel({ meta, seal }, channel, { target: 'a@x.test, c@x.test' }, rights)
  expect(await statesOf(channel.id)).toEqual([
    ['a@x.test', 'confirmed'],
    ['c@x.test', 'unconfirmed'],
  ])
})
