import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import { freeFailures } from './attempts.ts'
import { deviceOf } from './login-sessions.ts'
import { openResetsMax, resetMs, resetsPerAccountMax, resetsPerNetworkMax } from './password-change.ts'
import { cookieOf, failure, good, rigForFile, secret } from './rig.cases.ts'

const { fresh } = rigForFile()
type Rig = Awaited<ReturnType<typeof fresh>>

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const newPassword = 'another horse 99'

/** Signs in and returns the request headers that the browser then sends. */
async function signedIn({ auth }: Rig, more: Record<string, string> = {}): Promise<Headers> {
  const { cookies } = await auth.signIn({ ...good, headers: new Headers(more) })
  return new Headers({ ...more, cookie: cookieOf(cookies) })
}

describe('sessions', () => {
  test('a copy of the database opens no session: tokens of sessions are kept as hashes', async () => {
    const { auth, meta, file } = await fresh()
    await auth.createPerson(good)
    const { cookies } = await auth.signIn({ ...good, headers: new Headers() })
    const [row] = await (meta.people.authDatabase().kysely as unknown as Kysely<{ auth_session: { token: string } }>)
      .selectFrom('auth_session')
      .select('token')
      .execute()
    const signed = (token: string) => `${token}.${createHmac('sha256', secret).update(token).digest('base64')}`
    const session = (value: string) => new Headers({ cookie: `mishap.session_token=${encodeURIComponent(value)}` })
    const [given = ''] = decodeURIComponent(cookieOf(cookies).split('=')[1] ?? '').split('.')
    // Builds the same cookie by hand, so that the refusals below are not caused by a wrong signature.
    expect((await auth.actorOf(session(signed(given))))?.kind).toBe('session')
    expect(row?.token).toMatch(/^[\w-]{43}$/)
    expect(readFileSync(file).includes(given) || readFileSync(`${file}-wal`).includes(given)).toBe(false)
    expect(await auth.actorOf(session(signed(row?.token ?? '')))).toBeUndefined()
    expect(await auth.actorOf(session(`${given}.${'A'.repeat(43)}=`))).toBeUndefined()
  })

  test('a person sees their own sessions, which one asks, and ends one or all others', async () => {
    const rig = await fresh()
    const { auth } = rig
    await auth.createPerson(good)
    await auth.createPerson({ ...good, email: 'eve@example.com' })
    const eve = new Headers({
      cookie: cookieOf((await auth.signIn({ ...good, email: 'eve@example.com', headers: new Headers() })).cookies),
    })
    const item = await signedIn(rig, { 'user-agent': firefox, 'x-forwarded-for': '192.0.2.7' })
    const [two, three] = [await signedIn(rig), await signedIn(rig)]
    const list = await auth.sessionsOf(item)
    expect(list).toHaveLength(3)
    expect(list[0]).toEqual({
      id: expect.any(String),
      isCurrent: true,
      userAgent: firefox,
      browser: 'Firefox 140',
      system: 'Linux',
      address: '192.0.2.7',
      createdMs: expect.any(Number),
      lastUsedMs: expect.any(Number),
    })
    expect(list.slice(1).map((each) => each.isCurrent)).toEqual([false, false])
    const [mine] = await auth.sessionsOf(two)
    const id = mine?.id ?? ''
    expect((await failure(auth.endSession(eve, id))).code).toBe('NOT_FOUND')
    await auth.endSession(item, id)
    expect(await auth.actorOf(two)).toBeUndefined()
    expect((await failure(auth.endSession(item, id))).code).toBe('NOT_FOUND')
    await auth.endOtherSessions(item)
    expect(await auth.actorOf(three)).toBeUndefined()
    expect([(await auth.sessionsOf(item)).length, (await auth.sessionsOf(eve)).length]).toEqual([1, 1])
  })

  test('a token has no sessions and may not end any', async () => {
    const rig = await fresh()
    const person = await rig.auth.createPerson(good)
    const headers = await signedIn(rig)
    headers.set('authorization', `Bearer ${(await rig.auth.createToken(person, 'ci', ['org:admin'], null)).secret}`)
    const { auth } = rig
    for (const work of [auth.sessionsOf(headers), auth.endOtherSessions(headers), auth.endSession(headers, 'x')])
      expect((await failure(work)).code).toBe('AUTH_REQUIRED')
  })

  test.each([
    [firefox, 'Firefox 140', 'Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari 18',
      'iOS',
    ],
    ['', null, null],
  ])('%s is %s on %s', (agent, browser, system) => {
    expect(deviceOf(agent)).toEqual({ browser, system })
  })
})

describe('one’s own password', () => {
  test('is changed: other sessions end, tokens where asked, open links too', async () => {
    const rig = await fresh()
    const { auth, meta } = rig
    const person = await auth.createPerson(good)
    await auth.createToken(person, 'ci', ['org:read'], null)
    const [item, two] = [await signedIn(rig), await signedIn(rig)]
    const link = await auth.startReset(good.email)
    const first = await auth.changePassword(item, { currentPassword: good.password, newPassword, endTokens: false })
    expect(first.cookies[0]).toMatch(/^mishap\.session_token=[^;]+; Max-Age=34560000;/)
    expect([await auth.actorOf(item), await auth.actorOf(two)]).toEqual([undefined, undefined])
    expect(await auth.resetOf(link?.secret ?? '')).toBeUndefined()
    const now = new Headers({ cookie: cookieOf(first.cookies) })
    expect(await meta.people.tokensOf(person.id)).toHaveLength(1)
    await auth.changePassword(now, { currentPassword: newPassword, newPassword: 'third horse 999', endTokens: true })
    expect(await meta.people.tokensOf(person.id)).toEqual([])
  })

  test.each([
    ['a wrong one', { currentPassword: 'wrong horse 99', newPassword }, 'currentPassword'],
    ['a new one that is too short', { currentPassword: good.password, newPassword: 'short' }, 'newPassword'],
  ])('%s is refused at its field, and changes nothing', async (_says, change, field) => {
    const rig = await fresh()
    const person = await rig.auth.createPerson(good)
    await rig.auth.createToken(person, 'ci', ['org:read'], null)
    const [item, two] = [await signedIn(rig), await signedIn(rig)]
    const error = await failure(rig.auth.changePassword(item, { ...change, endTokens: true }))
    expect([error.code, Object.keys(error.fields ?? {})]).toEqual(['VALIDATION', [field]])
    expect((await rig.auth.actorOf(two))?.kind).toBe('session')
    expect(await rig.meta.people.tokensOf(person.id)).toHaveLength(1)
  })

  test('wrong ones cost pauses; nobody signed in changes nothing', async () => {
    const rig = await fresh()
    await rig.auth.createPerson(good)
    const item = await signedIn(rig)
    const guess = (headers: Headers) =>
      failure(rig.auth.changePassword(headers, { currentPassword: 'x', newPassword, endTokens: false }))
    for (let tries = 0; tries < freeFailures; tries++) expect((await guess(item)).code).toBe('VALIDATION')
    expect((await guess(item)).code).toBe('AUTH_LOCKED')
    expect((await guess(new Headers())).code).toBe('AUTH_REQUIRED')
  })
})

describe('a forgotten password', () => {
  test('is set anew by a link: once, all sessions end, tokens where asked', async () => {
    const rig = await fresh()
    const { auth, meta } = rig
    const person = await auth.createPerson(good)
    await auth.createToken(person, 'ci', ['org:read'], null)
    const before = await signedIn(rig)
    const [link, other] = [await auth.startReset(' ANN@example.com '), await auth.startReset(good.email)]
    const text = link?.secret ?? ''
    expect([link?.person, await auth.resetOf(text)]).toEqual([person, person])
    expect((await failure(auth.resetBySecret(text, 'ann@example.com', true))).fields).toHaveProperty('password')
    const both = await Promise.allSettled([1, 2].map(() => auth.resetBySecret(text, newPassword, true)))
    expect(both.map((item) => item.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(both).toContainEqual({ status: 'rejected', reason: expect.objectContaining({ code: 'NOT_FOUND' }) })
    expect([await auth.actorOf(before), await auth.resetOf(other?.secret ?? '')]).toEqual([undefined, undefined])
    expect(await meta.people.tokensOf(person.id)).toEqual([])
    expect((await auth.signIn({ ...good, password: newPassword, headers: new Headers() })).person).toEqual(person)
  })

  test('a link ends after an hour, and the database holds no secret of it', async () => {
    const { auth, clock, file } = await fresh()
    await auth.createPerson(good)
    const text = (await auth.startReset(good.email))?.secret ?? ''
    expect([readFileSync(file), readFileSync(`${file}-wal`)].some((bytes) => bytes.includes(text))).toBe(false)
    clock.advance(resetMs - 1)
    expect((await auth.resetOf(text))?.name).toBe('Ann')
    clock.advance(1)
    expect(await auth.resetOf(text)).toBeUndefined()
    expect((await failure(auth.resetBySecret(text, newPassword, false))).code).toBe('NOT_FOUND')
  })

  test.each(['', 'x', 'A'.repeat(43), 'A'.repeat(5_000)])('link %.50j is not good', async (text) => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    await auth.startReset(good.email)
    expect(await auth.resetOf(text)).toBeUndefined()
    expect((await failure(auth.resetBySecret(text, newPassword, true))).code).toBe('NOT_FOUND')
  })

  test('the operator’s reset ends open links', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    const link = await auth.startReset(good.email)
    await auth.resetPassword(good.email, newPassword)
    expect(await auth.resetOf(link?.secret ?? '')).toBeUndefined()
  })

  test('requests are limited by account and network, whether the account is there or not', async () => {
    const { auth, clock } = await fresh()
    await auth.createPerson(good)
    const from = (address: string) => new Headers({ 'x-forwarded-for': address })
    const lockedS = async (email: string, address: string) =>
      (await failure((async () => auth.countResetRequest(email, from(address)))())).retryAfterS
    for (const email of [good.email, 'nobody@example.com']) {
      for (let tries = 0; tries < resetsPerAccountMax; tries++) auth.countResetRequest(email, from('192.0.2.1'))
      expect(await lockedS(email.toUpperCase(), '192.0.2.1')).toBe(3600)
      // An attacker cannot block the person, who is on another network, from getting a link.
      auth.countResetRequest(email, from('192.0.2.2'))
    }
    for (let tries = 2 * resetsPerAccountMax; tries < resetsPerNetworkMax; tries++)
      auth.countResetRequest(`${tries}@example.com`, from('192.0.2.1'))
    expect(await lockedS('other@example.com', '192.0.2.1')).toBe(3600)
    clock.advance(3_600_000)
    auth.countResetRequest(good.email, from('192.0.2.1'))
    expect(await auth.startReset('nobody@example.com')).toBeUndefined()
    const made = await Array.fromAsync(
      { length: openResetsMax + 1 },
      async () => (await auth.startReset(good.email)) !== undefined,
    )
    expect(made.filter(Boolean)).toHaveLength(openResetsMax)
  })
})

describe('a link of a forgotten password', () => {
  test('leaves tokens where that was not asked for', async () => {
    const { auth, meta } = await fresh()
    const person = await auth.createPerson(good)
    await auth.createToken(person, 'ci', ['org:read'], null)
    await auth.resetBySecret((await auth.startReset(good.email))?.secret ?? '', newPassword, false)
    expect(await meta.people.tokensOf(person.id)).toHaveLength(1)
    expect((await auth.signIn({ ...good, password: newPassword, headers: new Headers() })).person).toEqual(person)
  })

  test('opens nothing with other text around it, and the refusal says what to do', async () => {
    const { auth, meta } = await fresh()
    await auth.createPerson(good)
    const text = (await auth.startReset(good.email))?.secret ?? ''
    const asked: string[] = []
    const { resetBySecret } = meta.people
    meta.people.resetBySecret = async (value, nowMs) => {
      asked.push(value)
      return resetBySecret(value, nowMs)
    }
    for (const other of [`${text}x`, `x${text}`])
      expect(await failure(auth.resetBySecret(other, newPassword, true))).toMatchObject({
        code: 'NOT_FOUND',
        message: 'This link is no longer valid.',
        causes: ['Ask for a new one.'],
      })
    expect(asked).toEqual([])
    expect((await auth.resetOf(text))?.name).toBe('Ann')
  })

  test('is limited anew in each hour, and an address with white space is the same one', async () => {
    const { auth, clock } = await fresh()
    const headers = new Headers({ 'x-forwarded-for': '192.0.2.1' })
    const ask = (email: string) => auth.countResetRequest(email, headers)
    for (let hours = 0; hours < 3; hours++) {
      for (const email of [good.email, ` ${good.email} `, good.email.toUpperCase()]) ask(email)
      expect(await failure((async () => ask(good.email))())).toMatchObject({ code: 'AUTH_LOCKED', retryAfterS: 3600 })
      clock.advance(3_599_999)
      expect(await failure((async () => ask(good.email))())).toMatchObject({ code: 'AUTH_LOCKED', retryAfterS: 1 })
      clock.advance(1)
    }
  })

  test('nobody’s account is no account for the operator’s reset', async () => {
    const { auth } = await fresh()
    expect(await failure(auth.resetPassword('nobody@example.com', newPassword))).toMatchObject({
      code: 'NOT_FOUND',
      message: 'No account has this e-mail.',
    })
  })
})

test('wrong passwords where one is changed count for the address that they come from', async () => {
  const rig = await fresh()
  await rig.auth.createPerson(good)
  const [here, elsewhere] = [
    await signedIn(rig, { 'x-forwarded-for': '192.0.2.1' }),
    await signedIn(rig, { 'x-forwarded-for': '192.0.2.2' }),
  ]
  const guess = (headers: Headers, currentPassword: string) =>
    rig.auth.changePassword(headers, { currentPassword, newPassword, endTokens: false })
  for (let tries = 0; tries < freeFailures; tries++) await failure(guess(here, 'x'))
  expect((await failure(guess(here, good.password))).code).toBe('AUTH_LOCKED')
  expect((await guess(elsewhere, good.password)).cookies).toHaveLength(1)
})
