import { expect, test } from 'vitest'
import { appForFile } from './app.cases.ts'

const { made, call } = appForFile()
const password = 'correct horse battery'
const cookieOf = (cookies: string[]) => cookies.map((cookie) => cookie.split(';')[0]).join('; ')

async function signedIn(userAgent = ''): Promise<Record<string, string>> {
  const headers = new Headers({ 'user-agent': userAgent, 'x-forwarded-for': '192.0.2.7' })
  const { cookies } = await made().app.auth.signIn({ email: 'owner@example.test', password, headers })
  return { cookie: cookieOf(cookies) }
}

test('login sessions are listed, one and all others ended', async () => {
  const headers = await signedIn('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
  const as = (method: string, path: string, body?: object) =>
    call(method, path, { token: null, headers, ...(body ? { body } : {}) })
  await signedIn()
  await signedIn()
  const list = (await as('GET', '/users/me/sessions/')).json as { id: string; isCurrent: boolean }[]
  expect(list).toMatchObject([
    { isCurrent: true, browser: 'Firefox 140', system: 'Linux', address: '192.0.2.7' },
    { isCurrent: false, browser: null, system: null },
    { isCurrent: false },
  ])
  const path = `/users/me/sessions/${list[1]?.id}/`
  expect([(await as('DELETE', path)).status, (await as('DELETE', path)).status]).toEqual([204, 404])
  expect((await as('DELETE', '/users/me/sessions/')).status).toBe(204)
  expect((await as('GET', '/users/me/sessions/')).json).toMatchObject([{ id: list[0]?.id }])
})

test('the password is changed, with what hangs on it', async () => {
  const [headers, other] = [await signedIn(), await signedIn()]
  const change = (body: object) => call('PUT', '/users/me/password/', { token: null, headers, body })
  const newPassword = 'another horse 99'
  expect((await change({ currentPassword: 'x', newPassword })).json).toEqual({ currentPassword: [expect.any(String)] })
  expect((await change({ currentPassword: password, newPassword: 'short' })).json).toEqual({
    newPassword: [expect.any(String)],
  })
  expect((await change({ currentPassword: password })).status).toBe(400)
  const done = await change({ currentPassword: password, newPassword })
  expect([done.status, done.text]).toEqual([204, ''])
  const now = { cookie: cookieOf(done.headers.getSetCookie()) }
  const statusOf = async (asked: Record<string, string>) =>
    (await call('GET', '/users/me/sessions/', { token: null, headers: asked })).status
  expect([await statusOf(now), await statusOf(headers), await statusOf(other)]).toEqual([200, 401, 401])
  // The caller's own token stays, because the request did not ask to delete tokens.
  expect((await call('GET', '/auth/')).status).toBe(200)
  const last = { currentPassword: newPassword, newPassword: password, endTokens: true }
  expect((await call('PUT', '/users/me/password/', { token: null, headers: now, body: last })).status).toBe(204)
  expect((await call('GET', '/auth/')).status).toBe(401)
})

test.each([
  ['GET', '/users/me/sessions/', undefined],
  ['DELETE', '/users/me/sessions/', undefined],
  ['DELETE', '/users/me/sessions/x/', undefined],
  ['PUT', '/users/me/password/', { currentPassword: password, newPassword: 'another horse 99' }],
])('%s %s is for nobody, and no token', async (method, path, body) => {
  const owner = await made().app.auth.personByEmail('owner@example.test')
  if (!owner) throw new Error('there is an owner')
  const token = (await made().app.auth.createToken(owner, 't', ['org:admin'], null)).secret
  const headers = await signedIn()
  const given = body ? { body } : {}
  expect((await call(method, path, { token: null, ...given })).status).toBe(401)
  expect((await call(method, path, { token, headers, ...given })).status).toBe(403)
})
