import { getMigrations } from 'better-auth/db/migration'
import type { Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import { addressFailuresMax, freeFailures } from './attempts.ts'
import { betterAuthOptions } from './better.ts'
import { cookieOf, failure, good, post, quick, rigForFile, secret, url } from './rig.cases.ts'

const { fresh } = rigForFile()

test('the committed schema is what better-auth expects', async () => {
  const { meta } = await fresh()
  const { toBeCreated, toBeAdded } = await getMigrations(
    betterAuthOptions({ secret, url, observe: silent }, meta.people.authDatabase()),
  )
  expect({ toBeCreated, toBeAdded }).toEqual({ toBeCreated: [], toBeAdded: [] })
})

describe('accounts and sessions', () => {
  test('from the setup secret to a session that ends', async () => {
    const { auth, meta } = await fresh()
    const setup = await auth.setupSecret()
    expect(setup).toMatch(/^[\w-]{32}$/)
    expect([await auth.setupSecret(), await meta.people.isEmpty()]).toEqual([setup, true])
    const person = await auth.createPerson(good)
    expect(person).toMatchObject({ name: 'Ann', email: 'ann@example.com' })
    expect([
      await auth.setupSecret(),
      await meta.people.isEmpty(),
      await meta.people.personById(person.id),
      await auth.personByEmail(' ANN@example.com'),
    ]).toEqual([undefined, false, person, person])
    const { cookies } = await auth.signIn({ email: 'ANN@example.com', password: good.password, headers: new Headers() })
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatch(/^mishap\.session_token=[^;]+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
    const headers = new Headers({ cookie: cookieOf(cookies) })
    expect(await auth.actorOf(headers)).toEqual({ kind: 'session', person })
    const out = await auth.signOut(headers)
    expect(out.cookies.join()).toContain('mishap.session_token=; Max-Age=0')
    expect(await auth.actorOf(headers)).toBeUndefined()
  })

  test('https makes the cookie Secure', async () => {
    const { auth } = await fresh({ url: 'https://mishap.example', hashing: quick })
    await auth.createPerson(good)
    const { cookies } = await auth.signIn({ ...good, headers: new Headers() })
    expect(cookies[0]).toMatch(/^__Secure-mishap\.session_token=.*; Secure/)
    expect((await auth.actorOf(new Headers({ cookie: cookieOf(cookies) })))?.kind).toBe('session')
  })

  test('a path of the address is the path of the cookie, and no part of the origin', async () => {
    const { auth } = await fresh({ url: 'https://a.example/mishap', hashing: quick })
    await auth.createPerson(good)
    const body = JSON.stringify({ email: good.email, password: good.password })
    const signIn = (origin: string) =>
      auth.handle(
        new Request('http://inside/api/auth/sign-in/email', {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', origin },
        }),
      )
    expect((await signIn('https://b.example')).status).toBe(403)
    const answer = await signIn('https://a.example')
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Secure-mishap\.session_token=.*; Path=\/mishap;/)
    expect((await auth.actorOf(new Headers({ cookie: cookieOf(answer.headers.getSetCookie()) })))?.kind).toBe('session')
  })

  test.each([
    [{ ...good, email: 'ann' }, 'email'],
    [{ ...good, email: 'a@b@c.de' }, 'email'],
    [{ ...good, email: `${'x'.repeat(250)}@b.de` }, 'email'],
    [{ ...good, password: 'short' }, 'password'],
    [{ ...good, password: 'Password123' }, 'password'],
    [{ ...good, name: '  ' }, 'name'],
    [{ ...good, name: 'a\u0000b' }, 'name'],
  ])('account %j is refused at its field', async (value, field) => {
    const { auth, meta } = await fresh()
    const error = await failure(auth.createPerson(value))
    expect([error.code, Object.keys(error.fields ?? {})]).toEqual(['VALIDATION', [field]])
    expect(await meta.people.isEmpty()).toBe(true)
  })

  test('an e-mail is taken once, whatever its case', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    expect((await failure(auth.createPerson({ ...good, email: 'ANN@EXAMPLE.COM' }))).code).toBe('CONFLICT')
  })

  test('a new password ends every session, every token and the old password', async () => {
    const { auth, meta } = await fresh()
    const person = await auth.createPerson(good)
    await auth.createToken(person, 'ci', ['org:read'], null)
    const { cookies } = await auth.signIn({ ...good, headers: new Headers() })
    await auth.resetPassword(good.email, 'another good one')
    expect(await meta.people.tokensOf(person.id)).toEqual([])
    expect(await auth.actorOf(new Headers({ cookie: cookieOf(cookies) }))).toBeUndefined()
    expect((await failure(auth.signIn({ ...good, headers: new Headers() }))).code).toBe('AUTH_FAILED')
    expect((await auth.signIn({ ...good, password: 'another good one', headers: new Headers() })).person.email).toBe(
      'ann@example.com',
    )
    expect((await failure(auth.resetPassword('nobody@example.com', 'another good one'))).code).toBe('NOT_FOUND')
    expect((await failure(auth.resetPassword(good.email, 'short'))).code).toBe('VALIDATION')
  })

  test('passwords are kept as salted scrypt', async () => {
    const { auth, meta } = await fresh({})
    await auth.createPerson(good)
    const rows = await (meta.people.authDatabase().kysely as unknown as Kysely<{ auth_account: { password: string } }>)
      .selectFrom('auth_account')
      .select('password')
      .execute()
    expect(rows).toEqual([{ password: expect.stringMatching(/^[0-9a-f]{32}:[0-9a-f]{128}$/) }])
    expect((await auth.signIn({ ...good, headers: new Headers() })).person.name).toBe('Ann')
    expect((await failure(auth.signIn({ ...good, password: `${good.password} `, headers: new Headers() }))).code).toBe(
      'AUTH_FAILED',
    )
  })

  test.each(['', 'mishap.session_token=abc', 'mishap.session_token=abc.def', 'mishap.session_token=%ff', 'other=1'])(
    'cookie %j is nobody',
    async (cookie) => {
      const { auth } = await fresh()
      expect(await auth.actorOf(new Headers({ cookie }))).toBeUndefined()
    },
  )
})

describe('/api/auth/', () => {
  test.each<[string, string, unknown]>([
    ['POST', '/sign-up/email', good],
    ['POST', '/sign-up/email/', good],
    ['POST', '//sign-up/email', good],
    ['POST', '/sign-in/social', { provider: 'github' }],
    ['POST', '/update-user', { name: 'x' }],
    ['POST', '/delete-user', {}],
    ['POST', '/set-password', { newPassword: 'correct horse 9' }],
    ['GET', '/sign-in/email', undefined],
    ['GET', '/list-sessions', undefined],
    ['POST', '/revoke-session', { token: 'x' }],
    ['POST', '/revoke-other-sessions', {}],
    ['GET', '/', undefined],
  ])('%s %s is not there', async (method, path, body) => {
    const { auth, meta } = await fresh()
    const response = await auth.handle(
      new Request(`${url}/api/auth${path}`, {
        method,
        headers: { 'content-type': 'application/json', origin: url },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    )
    expect(response.status).toBe(404)
    expect(await meta.people.isEmpty()).toBe(true)
  })

  test('signs in, tells the session, keeps the rule for passwords', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    const response = await auth.handle(post('/sign-in/email', { email: good.email, password: good.password }))
    expect(response.status).toBe(200)
    const cookie = cookieOf(response.headers.getSetCookie())
    const session = await auth.handle(new Request(`${url}/api/auth/get-session`, { headers: { cookie } }))
    expect(await session.json()).toMatchObject({ user: { email: 'ann@example.com' } })
    const weak = await auth.handle(
      post('/change-password', { currentPassword: good.password, newPassword: 'password123' }, { cookie }),
    )
    expect([weak.status, await weak.json()]).toEqual([
      400,
      { password: ['This password is too common. Choose another password.'] },
    ])
    const strong = await auth.handle(
      post('/change-password', { currentPassword: good.password, newPassword: 'another good one' }, { cookie }),
    )
    expect(strong.status).toBe(200)
    expect((await auth.handle(post('/sign-in/email', 'x'.repeat(20_000)))).status).toBe(400)
    for (const origin of ['https://evil.example', 'http://localhost', 'null'])
      expect((await auth.handle(post('/sign-out', {}, { cookie, origin }))).status).toBe(403)
    const none = new Request(`${url}/api/auth/sign-out`, { method: 'POST', headers: { cookie } })
    expect((await auth.handle(none)).status).toBe(403)
    expect((await auth.handle(post('/sign-out', {}, { cookie }))).status).toBe(200)
  })

  test('wrong passwords cost pauses, here and in signIn, and nobody at another address', async () => {
    const { auth, clock } = await fresh()
    await auth.createPerson(good)
    const wrong = { email: good.email, password: 'wrong horse 99' }
    const from = (address: string) => new Headers({ 'x-forwarded-for': address })
    const headers = from('10.0.0.1')
    expect((await auth.handle(post('/sign-in/email', wrong, { 'x-forwarded-for': '10.0.0.1' }))).status).toBe(401)
    for (let tries = 1; tries < freeFailures; tries++)
      expect((await failure(auth.signIn({ ...wrong, headers }))).code).toBe('AUTH_FAILED')
    const locked = await failure(auth.signIn({ ...good, headers }))
    expect([locked.code, locked.retryAfterS]).toEqual(['AUTH_LOCKED', 1])
    const answer = await auth.handle(post('/sign-in/email', good, { 'x-forwarded-for': '10.0.0.1' }))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await auth.signIn({ ...good, headers: from('10.0.0.2') })).person.name).toBe('Ann')
    clock.advance(1_000)
    expect((await failure(auth.signIn({ ...wrong, headers }))).code).toBe('AUTH_FAILED')
    expect((await failure(auth.signIn({ ...good, headers }))).retryAfterS).toBe(2)
    clock.advance(2_000)
    expect((await auth.signIn({ ...good, headers })).person.name).toBe('Ann')
    expect((await failure(auth.signIn({ ...wrong, headers }))).code).toBe('AUTH_FAILED')
    expect((await auth.signIn({ ...good, headers })).person.name).toBe('Ann')
  })

  test('wrong passwords where one is changed are limited alike; a change ends the other sessions', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    const [item, other] = await Promise.all(
      [1, 2].map(async () => cookieOf((await auth.signIn({ ...good, headers: new Headers() })).cookies)),
    )
    const change = (currentPassword: string, newPassword = 'another horse 99') =>
      auth.handle(post('/change-password', { currentPassword, newPassword }, { cookie: item ?? '' }))
    for (let tries = 0; tries < freeFailures - 1; tries++) expect((await change(`wrong ${tries}`)).status).toBe(400)
    // A change refused because of the new password does not count as a guess.
    expect((await change(good.password, 'ann@example.com')).status).toBe(400)
    expect((await change(good.password)).status).toBe(200)
    expect(await auth.actorOf(new Headers({ cookie: other ?? '' }))).toBeUndefined()
    const again = cookieOf(
      (await auth.signIn({ ...good, password: 'another horse 99', headers: new Headers() })).cookies,
    )
    const guess = () =>
      auth.handle(post('/change-password', { currentPassword: 'x', newPassword: 'third horse 999' }, { cookie: again }))
    for (let tries = 0; tries < freeFailures; tries++) expect((await guess()).status).toBe(400)
    const refused = await guess()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  })

  test('a password may not be the name of an organization that the person is in, or comes to', async () => {
    const { auth, meta } = await fresh()
    const person = await auth.createPerson(good)
    await meta.organizations.createOrganization({ slug: 'rainbow-shop', name: 'Rainbow Shop', ownerUserId: person.id })
    expect((await failure(auth.resetPassword(good.email, 'RainbowShop#1'))).fields).toHaveProperty('password')
    const made = { ...good, email: 'eve@example.com', password: 'acme acme 1', names: ['Acme'] }
    expect((await failure(auth.createPerson(made))).fields).toHaveProperty('password')
  })

  test('tries at the same time are counted before they are checked', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    const wrong = { email: good.email, password: 'wrong horse 99' }
    const some = <T>(make: () => T) => Array.from({ length: freeFailures }, make)
    const codes = await Promise.all([
      ...some(async () => (await auth.handle(post('/sign-in/email', wrong))).status),
      ...some(async () => (await failure(auth.signIn({ ...wrong, headers: new Headers() }))).code),
    ])
    const refused = codes.filter((code) => code === 429 || code === 'AUTH_LOCKED')
    expect([codes.length, refused.length]).toEqual([2 * freeFailures, freeFailures])
  })

  test('sign-ins that succeed or are malformed lock nobody out', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    const headers = new Headers({ 'x-forwarded-for': '10.0.0.1' })
    for (let tries = 0; tries <= addressFailuresMax; tries++)
      expect((await auth.signIn({ ...good, headers })).person.name).toBe('Ann')
    for (let tries = 0; tries <= freeFailures; tries++)
      expect((await auth.handle(post('/sign-in/email', { email: good.email }))).status).toBe(400)
    expect((await auth.signIn({ ...good, headers })).person.name).toBe('Ann')
  })
})

describe('tokens and demand', () => {
  test('a token acts as its owner; unknown ones are refused', async () => {
    const { auth } = await fresh()
    const person = await auth.createPerson(good)
    const { secret: text } = await auth.createToken(person, 'ci', ['org:read'], null)
    expect(text).toMatch(/^sntryu_[0-9a-f]{64}$/)
    expect(await auth.actorOf(new Headers({ authorization: `bearer ${text}` }))).toEqual({
      kind: 'token',
      person,
      organizationId: null,
      scopes: ['org:read'],
    })
    const error = await failure(auth.actorOf(new Headers({ authorization: 'Bearer sntryu_0' })))
    expect([error.code, error.message]).toEqual(['AUTH_FAILED', 'Invalid token'])
    expect(await auth.actorOf(new Headers({ authorization: 'Basic abc' }))).toBeUndefined()
  })

  test('a token of an organization says where it belongs, and outlives the membership of who made it', async () => {
    const { auth, meta } = await fresh()
    const person = await auth.createPerson(good)
    const organization = await meta.organizations.createOrganization({
      slug: 'acme',
      name: 'Acme',
      ownerUserId: 'somebody',
    })
    await meta.organizations.setMember(organization.id, person.id, 'admin')
    const { secret } = await auth.createOrganizationToken(person, 'ci', organization)
    const told = /^sntrys_([^_]+)_[A-Za-z0-9+/]{43}$/.exec(secret)?.[1] ?? ''
    const url = expect.stringMatching(/^http/)
    const content = JSON.parse(Buffer.from(told, 'base64').toString())
    expect(content).toEqual({ iat: expect.any(Number), org: 'acme', url, region_url: url })
    const own = (await auth.createToken(person, 'mine', ['org:read'], organization.id)).secret
    expect((await meta.people.tokensOf(person.id)).map((token) => token.name)).toEqual(['mine'])
    expect(await meta.people.tokensOfOrganization(organization.id)).toMatchObject([
      { prefix: `sntrys_…${secret.slice(-4)}` },
    ])
    await meta.organizations.endMembership(organization.id, person.id)
    const actor = await auth.actorOf(new Headers({ authorization: `Bearer ${secret}` }))
    expect(actor).toMatchObject({ kind: 'token', ofOrganization: true, organizationId: organization.id })
    if (actor) expect(await auth.may(actor, 'release:write', { organization })).toBe('yes')
    expect((await failure(auth.actorOf(new Headers({ authorization: `Bearer ${own}` })))).code).toBe('AUTH_FAILED')
  })

  test('demand throws what the verdict means', async () => {
    const { auth, meta } = await fresh()
    const person = await auth.createPerson(good)
    const organization = await meta.organizations.createOrganization({
      slug: 'acme',
      name: 'Acme',
      ownerUserId: person.id,
    })
    const code = async (scopes: string[] | undefined, userId = person.id) => {
      const who = { ...person, id: userId }
      try {
        await auth.demand(
          scopes ? { kind: 'token', person: who, organizationId: null, scopes } : { kind: 'session', person: who },
          'organization:write',
          { organization },
        )
        return 'ok'
      } catch (error) {
        return error instanceof MishapError ? error.code : error
      }
    }
    await meta.organizations.setMember(organization.id, 'bob', 'viewer')
    expect([
      await code(undefined),
      await code(['org:write']),
      await code(['org:read']),
      await code(undefined, 'bob'),
      await code(undefined, 'eve'),
    ]).toEqual(['ok', 'ok', 'AUTH_TOKEN_SCOPE', 'AUTH_FORBIDDEN', 'NOT_FOUND'])
  })
})

describe('the first run', () => {
  test('two first runs at once: one makes the owner, the other is told', async () => {
    const { auth, meta } = await fresh()
    const run = (email: string) => auth.setUp(() => auth.createPerson({ ...good, email }, { first: true }))
    const runs = await Promise.allSettled([run('ann@example.com'), run('eve@example.com')])
    expect(runs.map((item) => item.status)).toEqual(['fulfilled', 'rejected'])
    expect(runs[1]).toMatchObject({ reason: { code: 'CONFLICT', message: expect.stringContaining('right now') } })
    expect([
      (await meta.people.personByEmail('ann@example.com'))?.name,
      await meta.people.personByEmail('eve@example.com'),
    ]).toEqual(['Ann', undefined])
    const late = await failure(run('eve@example.com'))
    expect([late.code, late.message]).toEqual(['CONFLICT', 'Mishap is already set up.'])
  })

  test('a first run that fails leaves the way free', async () => {
    const { auth, meta } = await fresh()
    const { code } = await failure(auth.setUp(() => auth.createPerson({ ...good, password: 'short' }, { first: true })))
    expect([code, await meta.people.isEmpty()]).toEqual(['VALIDATION', true])
    expect(await auth.setUp(async () => 'again')).toBe('again')
  })
})
