import { describe, expect, test } from 'vitest'
import type { RestChannel, RestDelivery } from '../contract/notifications.ts'
import { confirmAddress } from '../operations/channels.ts'
import { appForFile } from './app.cases.ts'
import { seedEvents } from './seed.cases.ts'

const { made } = appForFile()
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
    [{}, ['kind', 'name', 'target']],
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
