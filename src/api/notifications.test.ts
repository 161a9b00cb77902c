import { createECDH } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { configOf } from '../alert/channel.ts'
import type { RestChannel, RestDelivery } from '../contract/alerts/notifications.ts'
import { confirmAddress } from '../operations/channels.ts'
import { addPushBrowser, removePushBrowser } from '../operations/push-browsers.ts'
import { appForFile } from './app.cases.ts'
import { seedEvents } from './seed.cases.ts'

const { made, personAs } = appForFile()
const C = '/organizations/acme/notification-channels'
const mail = {
  host: 'mail.test',
  port: 587,
  security: 'starttls',
  user: 'me',
  password: 'very secret',
  from: 'm@x.test',
}

async function make(body: object): Promise<{ channel: RestChannel; secret: string | null }> {
  const answer = await made().call('POST', `${C}/`, { body })
  expect(answer.status).toBe(201)
  return answer.json
}

describe('channels', () => {
  test('are made, listed without what is secret, changed and deleted', async () => {
    const hook = await make({
      kind: 'webhook',
      name: ' Pager ',
      target: 'https://pager.test/hook/abc?k=1',
      project: 'web',
    })
    expect(hook).toMatchObject({
      channel: { name: 'Pager', target: 'https://pager.test/…', project: 'web', isActive: true, failingSince: null },
      secret: expect.stringMatching(/^mhs_[\w-]{43}$/),
    })
    const chat = await make({ kind: 'slack', name: 'Chat', target: 'https://chat.test/T/B/x' })
    expect(chat.secret).toBeNull()
    const list = await made().call('GET', `${C}/`)
    expect(list.text).not.toMatch(/abc|T\/B|mhs_/)
    expect(list.json).toMatchObject([{ id: hook.channel.id }, { id: chat.channel.id }])
    const changed = await made().call('PUT', `${C}/${chat.channel.id}/`, {
      body: { name: 'Other', isActive: false, project: 'web', target: 'https://other.test/y' },
    })
    expect(changed.json).toMatchObject({
      name: 'Other',
      isActive: false,
      project: 'web',
      target: 'https://other.test/…',
    })
    for (const { channel } of [hook, chat])
      expect((await made().call('DELETE', `${C}/${channel.id}/`)).status).toBe(204)
    expect((await made().call('GET', `${C}/`)).json).toEqual([])
    expect((await made().call('DELETE', `${C}/${chat.channel.id}/`)).status).toBe(404)
  })

  test.each([
    [{ kind: 'pigeon', name: 'A', target: 'x' }, ['kind']],
    [{ kind: 'slack', name: '', target: 'https://a.test/' }, ['name']],
    [{ kind: 'slack', name: 'A', target: 'a.test' }, ['target']],
    [{ kind: 'email', name: 'A', target: 'nobody' }, ['target']],
    [{ kind: 'email', name: 'A', target: 'members', project: 'nope' }, ['project']],
    [{}, ['kind', 'name']],
    [{ kind: 'slack', name: 'A' }, ['target']],
    [{ kind: 'pagerduty', name: 'A' }, ['key']],
  ])('%j is refused at its fields', async (body, fields) => {
    const answer = await made().call('POST', `${C}/`, { body })
    expect([answer.status, Object.keys(answer.json).sort()]).toEqual([400, fields])
  })

  test('one of another organization is not there', async () => {
    const { app, call } = made()
    const { id } = await app.meta.organizations.createOrganization({
      slug: 'other',
      name: 'Other',
      ownerUserId: 'stranger',
    })
    const channel = await app.meta.alerts.createChannel({
      organizationId: id,
      projectId: null,
      kind: 'slack',
      name: 'Theirs',
      sealedTarget: app.seal.seal('https://theirs.test/'),
      sealedSecret: '',
    })
    for (const [method, path] of [
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/deliveries'],
    ] as const)
      expect((await call(method, `${C}/${channel.id}${path}/`, method === 'PUT' ? { body: {} } : {})).status).toBe(404)
  })
})

test('the mail server is set without ever being shown its password, and taken away', async () => {
  const { call, app } = made()
  expect((await call('GET', '/mail-server/')).json).toBeNull()
  const set = await call('PUT', '/mail-server/', { body: mail })
  const { password, ...shown } = mail
  expect(set.json).toEqual({ ...shown, hasPassword: true })
  expect(await app.meta.values.getValue('smtp')).not.toContain(password)
  expect((await call('PUT', '/mail-server/', { body: { ...shown, port: 0, host: '' } })).json).toMatchObject({
    host: [expect.any(String)],
    port: [expect.any(String)],
  })
  expect((await call('GET', '/mail-server/')).json).toEqual({ ...shown, hasPassword: true })
  expect((await call('DELETE', '/mail-server/')).status).toBe(204)
  expect((await call('GET', '/mail-server/')).json).toBeNull()
})

test('a new issue reaches each channel, its log says so; a test says how it ended', async () => {
  const { call, app, sent, store } = made()
  await call('PUT', '/mail-server/', { body: mail })
  const people = await make({ kind: 'email', name: 'People', target: 'members' })
  const chat = await make({ kind: 'slack', name: 'Chat', target: 'https://chat.test/x' })
  const broken = await make({ kind: 'webhook', name: 'Broken', target: 'https://broken.test/x' })
  await store(seedEvents)
  await app.alerts.run()
  const issues = (await call('GET', '/organizations/acme/issues/')).json as { id: string }[]
  expect(sent.mails.map((item) => item.to)).toEqual(issues.map(() => 'owner@example.test'))
  expect(sent.posts.map((post) => post.url)).toEqual(issues.map(() => 'https://chat.test/x'))
  const log = (await call('GET', `${C}/${chat.channel.id}/deliveries/`)).json as RestDelivery[]
  expect(log.map((item) => item.issues[0]).sort()).toEqual(issues.map((issue) => issue.id).sort())
  expect(log.every((item) => item.status === 'sent' && item.dateSent)).toBe(true)
  const failed = (await call('GET', `${C}/${broken.channel.id}/deliveries/`)).json as RestDelivery[]
  expect(failed[0]).toMatchObject({ status: 'queued', attempts: 1, error: 'The call failed (ECONNREFUSED).' })

  expect((await call('POST', `${C}/${people.channel.id}/test/`)).json).toMatchObject([
    { kind: 'test', status: 'sent', recipient: 'owner@example.test' },
  ])
  expect((await call('POST', `${C}/${broken.channel.id}/test/`)).json).toMatchObject([
    { status: 'failed', error: 'The call failed (ECONNREFUSED).' },
  ])
  expect((await call('GET', `${C}/`)).json).toMatchObject([
    { failingSince: null },
    { failingSince: null },
    { failingSince: expect.any(String), lastError: 'The call failed (ECONNREFUSED).' },
  ])
})

test('an address that belongs to no member confirms by a mail; until then it gets nothing else', async () => {
  const { call, sent, app } = made()
  await call('PUT', '/mail-server/', { body: mail })
  sent.mails.length = 0
  const { channel } = await make({ kind: 'email', name: 'Ops', target: 'owner@example.test, ops@else.test' })
  const path = `${C}/${channel.id}`
  expect(channel.recipients).toEqual([
    { address: 'owner@example.test', state: 'member', dateAsked: null, error: '' },
    { address: 'ops@else.test', state: 'unconfirmed', dateAsked: expect.any(String), error: '' },
  ])
  expect((await call('POST', `${path}/test/`)).json).toMatchObject([{ recipient: 'owner@example.test' }])
  const again = (address?: string) => call('POST', `${path}/confirmations/`, { body: address ? { address } : {} })
  expect((await again('ops@else.test')).status).toBe(200)
  expect((await again()).status).toBe(200)
  for (const address of ['owner@example.test', 'other@else.test'])
    expect((await again(address)).json).toEqual({ address: [expect.any(String)] })
  const asked = sent.mails.filter((item) => item.to === 'ops@else.test')
  expect(asked).toHaveLength(2)
  await confirmAddress(app, /secret=([\w-]{43})/.exec(asked[1]?.text ?? '')?.[1] ?? '')
  expect((await call('GET', `${C}/`)).json).toContainEqual(
    expect.objectContaining({ recipients: [channel.recipients[0], expect.objectContaining({ state: 'confirmed' })] }),
  )
  const moved = await call('PUT', `${path}/`, { body: { target: 'new@else.test' } })
  expect(moved.json).toMatchObject({ recipients: [{ state: 'unconfirmed', dateAsked: expect.any(String) }] })
  expect(sent.mails.at(-1)?.to).toBe('new@else.test')
})

describe('the delivery log', () => {
  test('is paged, names the steps, and sends a message again under the same id', async () => {
    const { call, app } = made()
    const { channel } = await make({ kind: 'slack', name: 'Log', target: 'https://chat.test/log' })
    const path = `${C}/${channel.id}/deliveries`
    for (let count = 0; count < 3; count++) await app.meta.alerts.queueTest(Number(channel.id), [''], app.clock.now())
    await app.alerts.test((await app.meta.alerts.channelById(Number(channel.id))) as never)
    const first = await call('GET', `${path}/?limit=2`)
    const log = first.json as RestDelivery[]
    expect(log).toHaveLength(2)
    expect(log[0]).toMatchObject({ kind: 'test', status: 'sent', change: 'start', incident: null })
    expect(log[0]?.steps.map(({ step, text }) => [step, text])).toEqual([
      ['sent', ''],
      ['answered', '200'],
    ])
    const cursor = /rel="next"; results="true"; cursor="(\d+)"/.exec(first.headers.get('link') ?? '')?.[1]
    const rest = (await call('GET', `${path}/?limit=2&cursor=${cursor}`)).json as RestDelivery[]
    expect(rest.map(({ id }) => Number(id) < Number(log[1]?.id))).toEqual([true, true])
    expect((await call('GET', `${path}/?status=sent`)).json).toHaveLength(1)
    // A test was for the person who asked.
    expect((await call('POST', `${path}/${log[0]?.id}/send-again/`)).status).toBe(409)
    expect((await call('POST', `${path}/999999/send-again/`)).status).toBe(404)
  })

  test('an issue’s message is sent again', async () => {
    const { call, app, sent, store } = made()
    const { channel } = await make({ kind: 'webhook', name: 'Again', target: 'https://again.test/x' })
    await store([{ ...seedEvents[0], event_id: 'a'.repeat(32), fingerprint: ['again'] }])
    await app.alerts.run()
    const path = `${C}/${channel.id}/deliveries`
    const [delivery] = (await call('GET', `${path}/`)).json as RestDelivery[]
    const again = await call('POST', `${path}/${delivery?.id}/send-again/`)
    expect(again.json).toMatchObject({ id: delivery?.id, status: 'queued' })
    await app.alerts.run()
    const posts = sent.posts.filter(({ url }) => url === 'https://again.test/x')
    expect(posts.map(({ body }) => (body as { delivery: number }).delivery)).toEqual([
      Number(delivery?.id),
      Number(delivery?.id),
    ])
    const [after] = (await call('GET', `${path}/`)).json as RestDelivery[]
    expect(after?.steps.map(({ step }) => step)).toEqual(expect.arrayContaining(['sent', 'answered', 'sent_again']))
  })
})

test('fields of a kind are stored sealed, changed one by one, and never returned', async () => {
  const { call, app } = made()
  const token = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'
  const made_ = await make({
    kind: 'telegram',
    name: 'Phone',
    target: '-100123',
    config: { token },
    subscription: 'rules',
  })
  expect(made_.channel).toMatchObject({ kind: 'telegram', target: '-100123', subscription: 'rules', pausedUntil: null })
  expect(JSON.stringify(made_)).not.toContain(token)
  const stored = async () => configOf(app.seal, (await app.meta.alerts.channelById(Number(made_.channel.id))) as never)
  expect(await stored()).toEqual({ target: '-100123', token })
  const path = `${C}/${made_.channel.id}/`
  expect((await call('PUT', path, { body: { config: { thread: '7' } } })).status).toBe(200)
  expect(await stored()).toEqual({ target: '-100123', token, thread: '7' })
  expect((await call('PUT', path, { body: { target: '-100999', subscription: 'issues' } })).json).toMatchObject({
    target: '-100999',
    subscription: 'issues',
  })
  expect((await call('PUT', path, { body: { config: { token: 'x' } } })).json).toEqual({ token: [expect.any(String)] })
  expect(await stored()).toEqual({ target: '-100999', token, thread: '7' })
})

test('a browser subscribes, gets a push message, and unsubscribes', async () => {
  const { call, app, sent } = made()
  const person = await app.auth.personByEmail('owner@example.test')
  if (!person) throw new Error('There is no owner.')
  const actor = { kind: 'session' as const, person }
  const key = createECDH('prime256v1')
  const browser = {
    endpoint: 'https://push.test/abc',
    p256dh: key.generateKeys().toString('base64url'),
    auth: Buffer.alloc(16).toString('base64url'),
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  }
  // A token is no browser.
  expect((await call('GET', '/users/me/push-browsers/')).status).toBe(403)
  const added = await addPushBrowser(app, actor, browser)
  expect(added.browser).toBe('Firefox 140 on Linux')
  expect(added.sealed).not.toContain('push.test')
  expect((await addPushBrowser(app, actor, browser)).id).not.toBe(added.id)
  const [only, ...others] = await app.meta.pushBrowsers.browsersOf([person.id])
  expect(others).toEqual([])
  for (const [wrong, field] of [
    [{ endpoint: 'http://push.test/' }, 'endpoint'],
    [{ p256dh: 'x' }, 'p256dh'],
    [{ auth: '' }, 'auth'],
  ] as const)
    await expect(addPushBrowser(app, actor, { ...browser, ...wrong })).rejects.toMatchObject({
      fields: { [field]: [expect.any(String)] },
    })
  const { channel } = await make({ kind: 'push', name: 'Browsers' })
  sent.posts.length = 0
  expect((await call('POST', `${C}/${channel.id}/test/`)).json).toMatchObject([
    { status: 'sent', recipient: String(only?.id) },
  ])
  expect(sent.posts.map(({ url }) => url)).toEqual(['https://push.test/abc'])
  const stranger = { kind: 'session' as const, person: { ...person, id: 'other' } }
  await expect(removePushBrowser(app, stranger, only?.id ?? 0)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await removePushBrowser(app, actor, only?.id ?? 0)
  expect((await call('POST', `${C}/${channel.id}/test/`)).json).toEqual([])
})

// Last: its members hear of channels, too.
test('a channel of a Slack app needs a person who may manage members, also by a token', async () => {
  const body = {
    kind: 'slack_app',
    name: 'Slack',
    target: 'C012AB3CD',
    config: { token: 'xoxb-1234567890-a', signing: 'a'.repeat(32), people: 'U0ANN owner@example.test' },
  }
  const { token: member } = await personAs('member', ['alerts:write', 'org:admin'])
  const { token: narrow } = await personAs('admin', ['alerts:write'])
  for (const token of [member, narrow])
    expect((await made().call('POST', `${C}/`, { body, token })).json).toMatchObject({ code: 'AUTH_FORBIDDEN' })
  const { token: admin } = await personAs('admin', ['org:admin'], 'boss')
  const { json } = await made().call('POST', `${C}/`, { body, token: admin })
  const path = `${C}/${(json as { channel: RestChannel }).channel.id}/`
  const change = { config: { people: 'U0EVE owner@example.test' } }
  expect((await made().call('PUT', path, { body: change, token: member })).status).toBe(403)
  expect((await made().call('PUT', path, { body: { name: 'Ops' }, token: member })).status).toBe(200)
  expect((await made().call('PUT', path, { body: change, token: admin })).status).toBe(200)
  expect((await made().call('DELETE', path)).status).toBe(204)
})
