import { beforeAll, describe, expect, test } from 'vitest'
import { unsubscribeLink } from '../alert/personal.ts'
import type { RestPersonalSettings } from '../contract/alerts/personal.ts'
import { createRoutes } from './api.ts'
import { appForFile } from './app.cases.ts'

const { made, call } = appForFile()
const path = '/organizations/acme/personal-notifications/'
const session = { headers: {} as Record<string, string> }
beforeAll(async () => {
  const { cookies } = await made().app.auth.signIn({
    email: 'owner@example.test',
    password: 'correct horse battery',
    headers: new Headers(),
  })
  session.headers = { cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') }
})
const as = (method: string, body?: object) =>
  call(method, path, { token: null, headers: session.headers, ...(body ? { body } : {}) })
const get = async () => (await as('GET')).json as RestPersonalSettings

describe('personal notifications', () => {
  test('are read and changed by the person', async () => {
    expect(await get()).toMatchObject({ digest: 'off', projects: {}, quietHours: null, timeZone: 'UTC', revision: 0 })
    const body = {
      kinds: { followed: [] },
      digest: 'daily',
      projects: { web: 'none' },
      quietHours: { from: '22:00', to: '07:00' },
      timeZone: 'Europe/Berlin',
      revision: 0,
    }
    const changed = await as('PUT', body)
    expect([changed.status, changed.json]).toEqual([
      200,
      expect.objectContaining({ ...body, kinds: expect.objectContaining({ followed: [] }), revision: 1 }),
    ])
    expect(await get()).toEqual(changed.json)
    expect((await as('PUT', body)).status).toBe(409)
  })

  test.each([
    [{ digest: 'hourly' }, 'digest'],
    [{ kinds: { mention: ['pigeon'] } }, 'kinds'],
    [{ quietHours: { from: '25:00', to: '07:00' } }, 'quietHours'],
    [{ timeZone: 'Mars' }, 'timeZone'],
    [{ projects: { nowhere: 'none' } }, 'projects'],
  ])('%j is refused', async (body, field) => {
    const answer = await as('PUT', body)
    expect([answer.status, Object.keys(answer.json)]).toEqual([400, [field]])
  })
})

const fetchHere = async (request: Request) => createRoutes(made().app).fetch(request)

test('a token is refused: a leaked one could silence its owner', async () => {
  expect((await call('GET', path)).status).toBe(403)
  expect((await call('PUT', path, { body: { digest: 'off' } })).status).toBe(403)
})

describe('the address in List-Unsubscribe', () => {
  const linkOf = async () => {
    const { app } = made()
    const userId = (await app.auth.personByEmail('owner@example.test'))?.id ?? ''
    return unsubscribeLink({ seal: app.seal, url: app.config.url }, { organizationId: 1, userId, kind: 'mention' })
  }
  test('a GET changes nothing and leads to the page, a POST without a cookie ends the mails', async () => {
    const link = await linkOf()
    const opened = await fetchHere(new Request(link))
    expect([opened.status, opened.headers.get('location')]).toEqual([
      303,
      link.replace('/api/0/unsubscribe/?', '/unsubscribe?'),
    ])
    expect((await get()).kinds.mention).toEqual(['email'])
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await fetchHere(new Request(link, { method: 'POST', body }))).status).toBe(200)
    expect((await get()).kinds.mention).toEqual([])
  })
  test('a forged token is refused', async () => {
    const answer = await fetchHere(
      new Request((await linkOf()).replace('token=v1.', 'token=v1.AAAA'), { method: 'POST' }),
    )
    expect(answer.status).toBe(404)
  })
  test('other methods are refused', async () => {
    const answer = await fetchHere(new Request(await linkOf(), { method: 'DELETE' }))
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST'])
  })
})
