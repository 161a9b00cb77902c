import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { createOutgoing, type Outgoing } from '../base/outgoing.ts'
import { aDelivery, decided } from '../store/meta/alerts/incidents.cases.ts'
import { commit, effect, hash, nowMs, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'
import type { DeliveryItem } from '../store/meta/issues/alerts.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { createAlerts } from './alert.ts'
import { retryMs } from './attempt.ts'
import type { AlertDeps } from './deps.ts'
import { createMailer, type Mail, type SmtpSettings } from './send/mailer.ts'
import { DeliveryRefused } from './send/transport.ts'
import { signatureOf } from './send/webhook.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-alert-'))
const opened: { close(): void }[] = []
afterAll(() => {
  for (const item of opened) item.close()
  rmSync(folder, { recursive: true, force: true })
})

const smtp: SmtpSettings = {
  host: '127.0.0.1',
  port: 0,
  security: 'none',
  user: '',
  password: '',
  from: 'mishap@x.test',
}

/** A delivery of the built-in notifications to channel 1. */
const builtIn = (items: DeliveryItem[]) => ({
  delivery: aDelivery({
    channelId: 1,
    userId: null,
    recipient: '',
    kind: 'issue',
    level: '',
    ruleId: null,
    items,
    nextMs: 0,
  }),
  incident: null,
})

/** Real parts, except the clock and an outgoing sender that records calls. */
async function rig(more: Partial<AlertDeps> = {}) {
  const clock = testClock()
  const meta: MetaStore = await withProject(await openTestMeta(join(folder, `${opened.length}.sqlite`), { clock }))
  opened.push(meta)
  const calls: { url: string; body: unknown; headers: Record<string, string> }[] = []
  const mails: Mail[] = []
  const broken = { how: undefined as string | undefined, error: undefined as Error | undefined }
  const outgoing: Outgoing = {
    send: async ({ url, body = '', headers = {} }) => {
      if (broken.error) throw broken.error
      if (broken.how) throw new Error(broken.how)
      calls.push({ url, body: JSON.parse(String(body)), headers })
      return { status: 200, headers: {}, body: Buffer.alloc(0), url, address: '' }
    },
  }
  const mailer = {
    send: async (_settings: SmtpSettings, mail: Mail) => {
      if (broken.how) throw new Error(broken.how)
      mails.push(mail)
      return '250 queued'
    },
    close() {},
  }
  const deps: AlertDeps = {
    clock,
    observe: silent,
    meta,
    outgoing,
    mailer,
    url: 'https://m.test',
    authorEmails: async () => [],
    facts: async (message) => ({ message, note: '' }),
    events: { countsOf: async () => [] },
    open: (sealed) => sealed.replace('sealed:', ''),
    seal: (text) => `sealed:${text}`,
    smtp: async () => smtp,
    ...more,
  }
  const alerts = createAlerts(deps)
  /** Creates a channel with all addresses confirmed. */
  const channel = async (kind: 'email' | 'slack' | 'webhook', target: string, secret = '') => {
    const made = await meta.alerts.createChannel({
      organizationId: 1,
      projectId: null,
      kind,
      name: kind,
      sealedTarget: `sealed:${target}`,
      sealedSecret: secret && `sealed:${secret}`,
    })
    for (const address of kind === 'email' ? target.split(',') : []) {
      await meta.alerts.recordConfirmationMail({
        channelId: made.id,
        address,
        secret: address,
        nowMs,
        expiresMs: nowMs + 1,
      })
      await meta.alerts.confirmAddress(address, nowMs)
    }
    return made
  }
  return { clock, meta, alerts, calls, mails, broken, channel }
}

describe('a commit’s notification', () => {
  test('goes to each channel in its form, once', async () => {
    const { meta, alerts, calls, mails, channel } = await rig()
    await channel('slack', 'https://chat.test/x')
    await channel('webhook', 'https://hook.test/y', 'secret')
    await channel('email', 'a@x.test,b@x.test')
    await commit(meta, { events: [effect({ title: 'Boom' })] })
    expect(await alerts.run()).toEqual({ tries: 4 })
    expect(calls.map((call) => call.url)).toEqual(['https://chat.test/x', 'https://hook.test/y'])
    expect(calls[0]?.body).toMatchObject({ text: 'New issue WEB-1: Boom' })
    const hook = calls[1]
    const timestamp = Number(hook?.headers['x-mishap-timestamp'])
    expect(hook?.headers['x-mishap-signature']).toBe(signatureOf('secret', timestamp, JSON.stringify(hook?.body)))
    expect(mails.map((mail) => [mail.to, mail.subject, mail.messageId])).toEqual([
      ['a@x.test', 'New issue WEB-1: Boom', '<delivery-3@m.test>'],
      ['b@x.test', 'New issue WEB-1: Boom', '<delivery-4@m.test>'],
    ])
    await commit(meta, { events: [effect()] })
    expect(await alerts.run()).toEqual({ tries: 0 })
  })

  test('without a mail server a mail channel is told nothing and nothing waits', async () => {
    const { meta, alerts, channel } = await rig({ smtp: async () => undefined })
    await channel('email', 'a@x.test')
    await commit(meta, { events: [effect()] })
    expect(await alerts.run()).toEqual({ tries: 0 })
    expect(await meta.alerts.alertsDue(10, nowMs)).toEqual([])
  })

  test.each([
    ['is told when the hour is over', false, ['New issue WEB-1: Boom', 'Regression WEB-1: Boom']],
    ['is not told when it was resolved again by then', true, ['New issue WEB-1: Boom']],
  ])('an issue that comes back within the hour %s', async (_says, again, told) => {
    const { clock, meta, alerts, calls, channel } = await rig()
    const later = (minutes: number) => nowMs + minutes * 60_000
    const resolve = () => meta.issues.updateIssue(1, { status: 'resolved' }, 'ann', clock.now())
    await channel('slack', 'https://chat.test/x')
    await commit(meta, { events: [effect({ title: 'Boom' })] })
    await alerts.run()
    clock.advance(10 * 60_000)
    await resolve()
    clock.advance(10 * 60_000)
    await commit(
      meta,
      { events: [effect({ title: 'Boom', timestampMs: later(20), receivedMs: later(20) })] },
      later(20),
    )
    expect(await alerts.run()).toEqual({ tries: 0 })
    clock.advance(39 * 60_000)
    if (again) await resolve()
    expect(await alerts.run()).toEqual({ tries: 0 })
    clock.advance(60_000)
    await alerts.run()
    expect(calls.map((call) => (call.body as { text: string }).text)).toEqual(told)
    expect(await meta.alerts.alertsDue(10, later(600))).toEqual([])
  })

  test('an issue that asks twice, as after a merge, is told once', async () => {
    const { meta, alerts, calls, channel, clock } = await rig()
    await channel('slack', 'https://chat.test/x')
    await commit(meta, { events: [effect({ title: 'Boom' })] })
    const item = { issueId: 1, kind: 'new' as const, eventId: '' }
    await meta.incidents.storeDecision(decided({ deliveries: [builtIn([item, item])] }), clock.now())
    await alerts.run()
    expect(calls.map((call) => call.body)).toMatchObject([{ text: 'New issue WEB-1: Boom' }])
  })

  test('an issue that is gone is not told, and the delivery ends', async () => {
    const { meta, alerts, calls, channel } = await rig()
    await channel('slack', 'https://chat.test/x')
    const item = { issueId: 99, kind: 'new' as const, eventId: '' }
    await meta.incidents.storeDecision(decided({ deliveries: [builtIn([item])] }), 0)
    await alerts.run()
    expect([calls.length, (await meta.alerts.deliveryById(1))?.status]).toEqual([0, 'sent'])
  })
})

test('tries follow with growing pauses, then the delivery has failed and the channel shows it; a success clears it', async () => {
  const { clock, meta, alerts, calls, broken, channel } = await rig()
  await channel('slack', 'https://chat.test/x')
  await commit(meta, { events: [effect()] })
  broken.how = 'The address answered 500.'
  const tried: number[] = []
  for (const pause of [0, ...retryMs]) {
    clock.advance(Math.max(0, pause - 1))
    if (pause) expect(await alerts.run()).toEqual({ tries: 0 })
    clock.advance(pause ? 1 : 0)
    await alerts.run()
    tried.push((await meta.alerts.deliveryById(1))?.attempts ?? -1)
  }
  expect(tried).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(await meta.alerts.deliveryById(1)).toMatchObject({ status: 'failed', error: 'The address answered 500.' })
  expect((await meta.alerts.channelById(1))?.failingSinceMs).toBe(clock.now())
  broken.how = undefined
  await commit(meta, { events: [effect({ hashes: [hash(2)] })] })
  await alerts.run()
  expect([calls.length, (await meta.alerts.channelById(1))?.failingSinceMs]).toEqual([1, null])
})

test.each([
  ['a short pause keeps our own', 2000, 10_000],
  ['a long pause is obeyed', 90_000, 90_000],
])('a service that is called too often names the pause: %s', async (_says, askedMs, waitedMs) => {
  const { clock, meta, alerts, calls, broken, channel } = await rig()
  await channel('slack', 'https://chat.test/x')
  await commit(meta, { events: [effect()] })
  broken.error = new DeliveryRefused('The service answered 429: slow down', askedMs)
  await alerts.run()
  broken.error = undefined
  expect(await meta.alerts.channelById(1)).toMatchObject({
    pausedUntilMs: clock.now() + askedMs,
    lastError: 'The service answered 429: slow down',
  })
  // Another message of the channel waits as well, although it was never refused itself.
  await commit(meta, { events: [effect({ hashes: [hash(2)] })] })
  clock.advance(askedMs - 1)
  expect(await alerts.run()).toEqual({ tries: 0 })
  clock.advance(1)
  await alerts.run()
  clock.advance(waitedMs - askedMs)
  await alerts.run()
  expect(calls).toHaveLength(2)
})

test('a pause holds the messages of the same batch, which lose no attempt, and no later answer shortens it', async () => {
  const { clock, meta, alerts, calls, broken, channel } = await rig()
  await channel('slack', 'https://chat.test/x')
  for (let at = 1; at <= 9; at++) await commit(meta, { events: [effect({ hashes: [hash(at)] })] })
  broken.error = new DeliveryRefused('The service answered 429: slow down', 60_000)
  await alerts.run()
  const attempts = async () => (await meta.alerts.deliveryLog(1, 20)).map((delivery) => delivery.attempts)
  // Four are sent at a time.
  expect((await attempts()).sort()).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1])
  broken.error = undefined
  // One that was under way meanwhile succeeds and names a short pause.
  const [last] = await meta.alerts.deliveryLog(1, 1)
  const pausedUntilMs = clock.now() + 1000
  await meta.alerts.recordDelivery(last?.id ?? 0, { status: 'sent', answer: 'ok', pausedUntilMs }, clock.now())
  clock.advance(59_999)
  await alerts.run()
  expect(calls).toEqual([])
  clock.advance(1)
  await alerts.run()
  expect(calls).toHaveLength(8)
  expect((await attempts()).sort()).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2])
})

describe('a message that waits for another attempt', () => {
  const held: [
    string,
    'email' | 'slack',
    string,
    (meta: MetaStore, id: number) => Promise<unknown>,
    Record<string, string>,
  ][] = [
    [
      'of a channel that was switched off',
      'slack',
      'https://chat.test/x',
      (meta, id) => meta.alerts.updateChannel(id, { active: false }),
      { '': 'Nothing was sent: the channel is switched off.' },
    ],
    [
      'to a member who was removed',
      'email',
      'members',
      (meta) => meta.organizations.endMembership(1, 'eve'),
      { 'ann@x.test': '', 'eve@x.test': 'Nothing was sent: the channel no longer has this address.' },
    ],
    [
      'to a member who only looks now',
      'email',
      'members',
      (meta) => meta.organizations.setMember(1, 'eve', 'viewer'),
      { 'ann@x.test': '', 'eve@x.test': 'Nothing was sent: the channel no longer has this address.' },
    ],
    [
      'to an address that the channel lost',
      'email',
      'a@x.test,b@x.test',
      (meta, id) => meta.alerts.updateChannel(id, { sealedTarget: 'sealed:B@x.test' }),
      { 'a@x.test': 'Nothing was sent: the channel no longer has this address.', 'b@x.test': '' },
    ],
  ]
  test.each(held)('%s is not sent, and the log says why', async (_says, kind, target, change, expected) => {
    const { clock, meta, alerts, calls, mails, broken, channel } = await rig()
    await meta.organizations.setMember(1, 'eve', 'member')
    meta.people.people = async (ids) => ids.map((id) => ({ id, name: id, email: `${id}@x.test` }))
    const { id } = await channel(kind, target)
    await commit(meta, { events: [effect()] })
    broken.how = 'down'
    await alerts.run()
    broken.how = undefined
    await change(meta, id)
    clock.advance(10_000)
    await alerts.run()
    const log = await meta.alerts.deliveryLog(id, 9)
    const isHeld = (recipient: string) => expected[recipient] !== ''
    expect(Object.fromEntries(log.map(({ recipient, error }) => [recipient, error]))).toEqual(expected)
    for (const { recipient, status, attempts, sentMs, steps } of log) {
      expect([status, attempts]).toEqual(isHeld(recipient) ? ['suppressed', 1] : ['sent', 2])
      expect(sentMs === null).toBe(isHeld(recipient))
      if (isHeld(recipient)) expect(steps.at(-1)).toMatchObject({ step: 'answered', text: expected[recipient] })
    }
    expect([...calls, ...mails]).toHaveLength(log.filter(({ status }) => status === 'sent').length)
    // Nor when somebody sends it again.
    const [first] = log.filter(({ recipient }) => isHeld(recipient))
    await meta.alerts.sendDeliveryAgain(first?.id ?? 0, 'ann', clock.now())
    await alerts.run()
    expect((await meta.alerts.deliveryById(first?.id ?? 0))?.status).toBe('suppressed')
  })

  test('a test of a channel that is off is sent: the person asked for it', async () => {
    const { meta, alerts, channel } = await rig()
    const { id } = await channel('slack', 'https://chat.test/x')
    const off = await meta.alerts.updateChannel(id, { active: false })
    expect(await alerts.test(off)).toMatchObject([{ status: 'sent' }])
  })
})

test('a channel of rules hears of no issue by itself', async () => {
  const { meta, alerts, calls, channel } = await rig()
  const { id } = await channel('slack', 'https://chat.test/x')
  await meta.alerts.updateChannel(id, { subscription: 'rules' })
  await commit(meta, { events: [effect()] })
  await alerts.run()
  expect([calls, await meta.alerts.alertsDue(10, nowMs)]).toEqual([[], []])
})

test('a test message is tried once, at once, and says how it ended', async () => {
  const { alerts, mails, broken, channel } = await rig()
  const mail = await channel('email', 'a@x.test')
  expect(await alerts.test(mail)).toMatchObject([{ kind: 'test', status: 'sent', recipient: 'a@x.test' }])
  expect(mails[0]?.subject).toBe('Mishap: a test message from Acme')
  broken.how = 'connect ECONNREFUSED\r\n127.0.0.1:25'
  expect(await alerts.test(mail)).toMatchObject([
    { status: 'failed', error: 'connect ECONNREFUSED 127.0.0.1:25', attempts: 1 },
  ])
})

test('a channel that can’t be opened fails by itself; members who only look get no mail', async () => {
  const { meta, alerts, mails, channel } = await rig({
    open: (sealed) => {
      if (sealed.endsWith('broken')) throw new Error('wrong key')
      return sealed.replace('sealed:', '')
    },
  })
  await channel('slack', 'broken')
  await channel('email', 'broken')
  await channel('email', 'members')
  await meta.organizations.setMember(1, 'bob', 'viewer')
  await commit(meta, { events: [effect()] })
  await alerts.run()
  expect(await meta.alerts.deliveryById(1)).toMatchObject({ status: 'queued', error: 'wrong key' })
  // ann has no account in this store, so the channel has no recipients.
  expect(mails).toEqual([])
})

describe('over the wire', () => {
  test('a mail arrives with its parts, and a server that refuses is named', async () => {
    const seen: string[] = []
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'me' && password === 'right' ? done(null, { user: 'me' }) : done(new Error('no')),
      onData: (stream, _session, done) => {
        const parts: Buffer[] = []
        stream.on('data', (part: Buffer) => parts.push(part))
        stream.on('end', () => {
          seen.push(Buffer.concat(parts).toString())
          done()
        })
      },
    })
    const port = await new Promise<number>((resolve) => {
      const listening = server.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port))
    })
    const mailer = createMailer()
    const mail = {
      to: 'a@x.test',
      subject: 'Größe',
      text: 'plain',
      html: '<p>rich</p>',
      messageId: '<delivery-1@m.test>',
    }
    await mailer.send({ ...smtp, port }, mail)
    await mailer.send({ ...smtp, port, user: 'me', password: 'right' }, mail)
    await expect(mailer.send({ ...smtp, port, user: 'me', password: 'wrong' }, mail)).rejects.toThrow(/Invalid login/)
    await expect(mailer.send({ ...smtp, port, security: 'starttls' }, mail)).rejects.toThrow(/STARTTLS/i)
    mailer.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
    expect(seen).toHaveLength(2)
    for (const header of [
      'Message-ID: <delivery-1@m.test>',
      'To: a@x.test',
      'Auto-Submitted: auto-generated',
      'From: mishap@x.test',
    ])
      expect(seen[0]).toContain(header)
    expect(seen[0]).toMatch(/plain[\s\S]*<p>rich<\/p>/)
  })

  test('a webhook is signed over time and body', async () => {
    const seen: { body: string; headers: NodeJS.Dict<string | string[]> }[] = []
    const server = createServer((req, res) => {
      let body = ''
      req
        .on('data', (part) => (body += part))
        .on('end', () => {
          seen.push({ body, headers: req.headers })
          res.writeHead(seen.length === 1 ? 200 : 410).end()
        })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { meta, alerts, channel } = await rig({
      outgoing: createOutgoing({ clock: systemClock, allowedNetworks: ['127.0.0.1'] }),
    })
    const hook = await channel('webhook', `http://127.0.0.1:${port}/hook`, 'shared')
    await commit(meta, { events: [effect()] })
    await alerts.run()
    const { body = '', headers = {} } = seen[0] ?? {}
    const expected = createHmac('sha256', 'shared').update(`${headers['x-mishap-timestamp']}.${body}`).digest('hex')
    expect([headers['x-mishap-signature'], headers['content-type'], headers['x-mishap-delivery']]).toEqual([
      `v1=${expected}`,
      'application/json',
      '1',
    ])
    expect(JSON.parse(body)).toMatchObject({ delivery: 1, issues: [{ shortId: 'WEB-1' }] })
    expect(await alerts.test(hook)).toMatchObject([{ status: 'failed', error: 'The service answered 410.' }])
    server.close()
  })
})
