import { expect, test } from 'vitest'
import type { Auth } from './auth.ts'
import { cookieOf, good, post, quick, rigForFile } from './rig.cases.ts'

const { fresh } = rigForFile()
const settle = () => new Promise((resolve) => setTimeout(resolve, 50))
const { email, password } = { ...good, email: good.email.toLowerCase() }

test.each<[string, (auth: Auth) => Promise<string[]>]>([
  ['the screen', async (auth) => (await auth.signIn({ email, password, headers: new Headers() })).cookies],
  ['the API', async (auth) => (await auth.handle(post('/sign-in/email', { email, password }))).headers.getSetCookie()],
])('a sign-in at %s that waits while the password is replaced opens no session', async (_name, signIn) => {
  const gate = { opens: Promise.resolve() }
  const hash = async (text: string) => {
    await gate.opens
    return quick.hash(text)
  }
  const verify: typeof quick.verify = async (value) => {
    await settle()
    return quick.verify(value)
  }
  const { auth } = await fresh({ hashing: { hash, verify } })
  await auth.createPerson(good)
  const { promise, resolve } = Promise.withResolvers<void>()
  gate.opens = promise
  const reset = auth.resetPassword(email, 'another horse 12')
  await settle()
  // This sign-in has read the old hash, and its check waits behind the new one.
  const late = signIn(auth).catch(() => [])
  await settle()
  resolve()
  await reset
  expect(await auth.actorOf(new Headers({ cookie: cookieOf(await late) }))).toBeUndefined()
})
