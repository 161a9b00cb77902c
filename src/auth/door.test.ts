import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { openTestMeta } from '../store/meta/fixture.cases.ts'
import { createAuth } from './create.ts'
import { type Hashing, hashesWaitingMax } from './hash-queue.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-auth-door-'))
const closers: (() => Promise<void>)[] = []
const url = 'http://localhost:9000'
const good = { name: 'Ann', email: 'ann@example.com', password: 'correct horse 9' }
const hashing = {
  hash: async (password: string) => `hash of ${password}`,
  verify: async ({ hash, password }: { hash: string; password: string }) => hash === `hash of ${password}`,
}

async function fresh(hashes: Hashing = hashing) {
  const clock = testClock()
  const meta = await openTestMeta(join(folder, `${closers.length}.sqlite`), { clock })
  const secret = 'b7Qm2Zx9Lr4Tn8Vw1Yc6Hd3Kf5Pj0SgAeRuIoXtNq'
  const auth = await createAuth({ meta, secret, url, clock, observe: silent, hashing: hashes })
  closers.push(meta.close)
  return { auth, meta }
}

afterAll(async () => {
  for (const close of closers) await close()
  rmSync(folder, { recursive: true, force: true })
})

const cookieOf = (cookies: string[]) => cookies.map((cookie) => cookie.split(';')[0]).join('; ')

test.each([
  ['http://127.0.0.1:9000', 200],
  ['http://[::1]:9000', 200],
  ['http://localhost:9000', 200],
  ['http://127.0.0.1:9001', 403],
  ['https://127.0.0.1:9000', 403],
  ['http://127.0.0.2:9000', 403],
])('at http://localhost:9000 a sign-in from %s is answered %i', async (origin, status) => {
  const { auth } = await fresh()
  await auth.createPerson(good)
  const answer = await auth.handle(
    new Request('http://inside/api/auth/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: good.email, password: good.password }),
      headers: { 'content-type': 'application/json', origin },
    }),
  )
  expect(answer.status).toBe(status)
})

test.each([
  ['application/json', '{}'],
  ['application/json', 'no json'],
  ['text/plain', 'bye'],
  ['application/x-www-form-urlencoded', 'a=b'],
  ['multipart/form-data; boundary=x', '--x--'],
  [undefined, undefined],
])('signing out works with a body of %s: %s', async (type, body) => {
  const { auth } = await fresh()
  await auth.createPerson(good)
  const { cookies } = await auth.signIn({ ...good, headers: new Headers() })
  const headers = new Headers({ cookie: cookieOf(cookies), origin: url, ...(type ? { 'content-type': type } : {}) })
  const init = { method: 'POST', headers, ...(body === undefined ? {} : { body: Buffer.from(body) }) }
  const answer = await auth.handle(new Request(`${url}/api/auth/sign-out`, init))
  expect(answer.status).toBe(200)
  expect(await auth.actorOf(headers)).toBeUndefined()
})

const signIn = (body: string, headers: Record<string, string> = {}, path = '/api/auth/sign-in/email') =>
  new Request(`http://inside${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
const right = JSON.stringify({ email: good.email, password: good.password })

describe('a sign-in', () => {
  test('needs no origin without a cookie, which no browser leaves out, and one with a cookie', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    expect((await auth.handle(signIn(right))).status).toBe(200)
    expect((await auth.handle(signIn(right, { cookie: 'a=b' }))).status).toBe(403)
    expect((await auth.handle(signIn(right, { cookie: 'a=b', origin: url }))).status).toBe(200)
  })

  test('may have 10,000 characters', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    expect((await auth.handle(signIn(right.padEnd(10_000)))).status).toBe(200)
    const refused = await auth.handle(signIn(right.padEnd(10_001)))
    expect([refused.status, await refused.json()]).toEqual([400, { body: ['Use at most 10000 characters.'] }])
  })

  test.each(['', 'no json', '{}', 'null', '[]', '{"email":5}'])('with the body %j is refused', async (body) => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    const { status } = await auth.handle(signIn(body))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    // The refused request counts for nobody.
    expect((await auth.handle(signIn(right))).status).toBe(200)
  })

  test('is counted for the address in whatever case', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    const wrong = (email: string) => auth.handle(signIn(JSON.stringify({ email, password: 'x' })))
    for (const email of [good.email, 'ANN@example.com', 'Ann@Example.com', good.email, good.email]) await wrong(email)
    const locked = await auth.handle(signIn(right))
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '1'])
    const answer = await auth.handle(signIn(right, {}, '/other/api/auth/sign-in/email'))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([404, null])
  })
})

describe('a sign-in at the screen', () => {
  test.each([
    ['a wrong password', good.email, 'x'],
    ['somebody unknown', 'eve@example.com', good.password],
    ['what is no address', 'ann', good.password],
  ])('%s is wrong, and counted', async (_name, email, password) => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    const codes: unknown[] = []
    for (let tries = 0; tries < 6; tries++)
      codes.push(await auth.signIn({ email, password, headers: new Headers() }).catch((error: Error) => error))
    expect(codes.slice(0, 5)).toEqual(
      Array(5).fill(expect.objectContaining({ code: 'AUTH_FAILED', message: 'E-mail or password is wrong.' })),
    )
    expect(codes[5]).toMatchObject({ code: 'AUTH_LOCKED' })
  })

  test('may have white space around the address', async () => {
    const { auth } = await fresh()
    await auth.createPerson(good)
    const { person } = await auth.signIn({ ...good, email: ' ann@example.com ', headers: new Headers() })
    expect(person.email).toBe('ann@example.com')
  })

  test('that finds no room for its hash is refused and not counted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = {
      hash: hashing.hash,
      verify: (value: { hash: string; password: string }) => promise.then(() => hashing.verify(value)),
    }
    const { auth } = await fresh(slow)
    await auth.createPerson(good)
    const from = (n: number) => new Headers({ 'x-forwarded-for': `192.0.2.${n}` })
    const waiting = Array.from({ length: hashesWaitingMax }, (_, n) => auth.signIn({ ...good, headers: from(n) }))
    await new Promise((done) => setTimeout(done, 50))
    for (let tries = 0; tries < 10; tries++) {
      await expect(auth.signIn({ ...good, headers: from(200) })).rejects.toMatchObject({ code: 'AUTH_BUSY' })
      const answer = await auth.handle(signIn(right, { 'x-forwarded-for': '192.0.2.200' }))
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    }
    resolve()
    await Promise.all(waiting)
    expect((await auth.signIn({ ...good, headers: from(200) })).person.email).toBe(good.email)
  })

  test('that fails inside is an error and counts for nobody', async () => {
    const failing = { hash: hashing.hash, verify: () => Promise.reject(new Error('planted')) }
    const { auth } = await fresh(failing)
    await auth.createPerson(good)
    for (let tries = 0; tries < 7; tries++)
      await expect(auth.signIn({ ...good, headers: new Headers() })).rejects.not.toMatchObject({
        code: expect.stringMatching(/AUTH_(FAILED|LOCKED)/),
      })
  })
})

describe('a bearer token', () => {
  test.each([
    ['Bearer   SECRET  ', 'token'],
    ['bearer\tSECRET', 'token'],
    ['Bearer SECRET more', undefined],
    ['other Bearer SECRET', undefined],
    ['BearerSECRET', undefined],
  ])('in %j: %s', async (authorization, expected) => {
    const { auth } = await fresh()
    const person = await auth.createPerson(good)
    const { secret } = await auth.createToken(person, 'ci', ['org:read'], null)
    const headers = new Headers({ authorization: authorization.replace('SECRET', secret) })
    expect((await auth.actorOf(headers))?.kind).toBe(expected)
  })

  test('of an organization tells clients since when it is and where it belongs', async () => {
    const { auth, meta } = await fresh()
    const person = await auth.createPerson(good)
    const organization = await meta.organizations.createOrganization({
      slug: 'acme',
      name: 'Acme',
      ownerUserId: person.id,
    })
    for (let n = 0; n < 8; n++) {
      const [, told = '', random] = (await auth.createOrganizationToken(person, 'ci', organization)).secret.split('_')
      const kept = JSON.parse(Buffer.from(told, 'base64').toString())
      expect(kept).toEqual({ iat: testClock().now() / 1000, url, region_url: url, org: 'acme' })
      expect(random).toMatch(/^[\w+/]{43}$/)
    }
  })
})

test('an account that is taken says so at its field', async () => {
  const { auth } = await fresh()
  await auth.createPerson(good)
  const sentence = 'An account with this e-mail already exists.'
  await expect(auth.createPerson({ ...good, email: ' ANN@example.com' })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: sentence,
    fields: { email: [sentence] },
  })
})
