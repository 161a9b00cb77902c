import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import { createAuth } from './create.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-auth-door-'))
const closers: (() => void)[] = []
const url = 'http://localhost:9000'
const good = { name: 'Ann', email: 'ann@example.com', password: 'correct horse 9' }
const hashing = {
  hash: async (password: string) => `hash of ${password}`,
  verify: async ({ hash, password }: { hash: string; password: string }) => hash === `hash of ${password}`,
}

async function fresh() {
  const file = join(folder, `${closers.length}.sqlite`)
  const clock = testClock()
  const meta = openSqliteMeta(file, { clock })
  const secret = 'b7Qm2Zx9Lr4Tn8Vw1Yc6Hd3Kf5Pj0SgAeRuIoXtNq'
  const auth = await createAuth({ meta, file, secret, url, clock, observe: silent, hashing })
  closers.push(auth.close, meta.close)
  return { auth }
}

afterAll(() => {
  for (const close of closers) close()
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
