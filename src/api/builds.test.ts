import { expect, test } from 'vitest'
import { appForFile } from './app.cases.ts'

// Permissions of builds with real stores: organization tokens and refused uploads.

const { made, call } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'

test('debug files are refused with a sentence each', async () => {
  const path = `${P}/files/difs/assemble/`
  const item = { [`${'a'.repeat(40)}`]: { name: 'app.dSYM', debug_id: 'x', chunks: [] } }
  expect(await call('POST', path, { body: item })).toMatchObject({
    status: 200,
    json: {
      ['a'.repeat(40)]: { state: 'error', missingChunks: [], detail: expect.stringContaining('does not support') },
    },
  })
  expect((await call('POST', path, { body: { nonsense: {} } })).status).toBe(400)
})

test('tokens of the organization: made and deleted by owners and admins, good for builds only', async () => {
  const path = `${O}/org-auth-tokens/`
  const { app, organization, token: ownersToken } = made()
  // A token cannot create another token: only signed-in people can.
  expect((await call('POST', path, { body: { name: 'x' }, token: ownersToken })).status).toBe(403)
  const password = 'correct horse battery'
  const { cookies } = await app.auth.signIn({ email: 'owner@example.test', password, headers: new Headers() })
  const signedIn = { token: null, headers: { cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') } }
  const answer = await call('POST', path, { body: { name: 'ci' }, ...signedIn })
  expect(answer).toMatchObject({ status: 201, json: { name: 'ci', scopes: ['org:ci'], dateLastUsed: null } })
  const { id, token } = answer.json as { id: string; token: string }
  expect(await call('GET', '/', { token })).toMatchObject({
    status: 200,
    json: { user: null, auth: { scopes: ['org:ci'] } },
  })
  expect((await call('GET', '/auth/', { token })).status).toBe(403)
  const R = `${O}/releases/`
  expect((await call('POST', R, { token, body: { version: 'ci@1', projects: ['web'] } })).status).toBe(201)
  expect((await call('GET', `${R}ci@1/`, { token })).status).toBe(200)
  for (const refused of [`${O}/issues/`, O, path]) expect((await call('GET', refused, { token })).status).toBe(403)
  expect((await call('GET', path, signedIn)).json).toMatchObject([{ id, tokenLastCharacters: token.slice(-4) }])
  expect((await call('DELETE', `${path}${id}/`, signedIn)).status).toBe(204)
  expect((await call('DELETE', `${path}${id}/`, signedIn)).status).toBe(404)
  expect((await call('GET', `${R}ci@1/`, { token })).status).toBe(401)
  expect(await app.meta.people.tokensOfOrganization(organization.id)).toEqual([])
})
