import { expect, test } from 'vitest'
import type { Auth } from '../auth/auth.ts'
import { credentialOf } from '../auth/credential.ts'
import { testClock } from '../base/clock.ts'
import { createKnownCredentials, reportKnownCredentials } from './known-credentials.ts'

const bearer = { authorization: 'Bearer good' }

test('a credential is known from the moment that app took it, for a quarter of an hour', () => {
  const clock = testClock()
  const known = createKnownCredentials(clock)
  expect(known.of(bearer)).toBeUndefined()
  const credential = credentialOf(bearer.authorization, undefined) ?? ''
  known.add(credential)
  expect(known.of(bearer)).toBe(credential)
  expect(known.of({ authorization: 'Bearer made-up' })).toBeUndefined()
  expect(known.of({})).toBeUndefined()
  clock.advance(15 * 60_000)
  expect(known.of(bearer)).toBeUndefined()
})

test('the oldest gives way when very many are known', () => {
  const known = createKnownCredentials(testClock())
  known.add(credentialOf('Bearer first', undefined) ?? '')
  for (let i = 0; i < 20_000; i++) known.add(`made-up ${i}`)
  expect(known.of({ authorization: 'Bearer first' })).toBeUndefined()
})

test('app tells of a good credential once a minute, and never of a wrong one', async () => {
  const clock = testClock()
  const told: string[] = []
  const actorOf = async (headers: Headers) =>
    headers.get('authorization') === bearer.authorization ? { kind: 'session', person: { id: 'p' } } : undefined
  const auth = reportKnownCredentials({ actorOf } as unknown as Auth, clock, (credential) => told.push(credential))
  const good = new Headers(bearer)
  expect(await auth.actorOf(good)).toMatchObject({ kind: 'session' })
  await auth.actorOf(good)
  await auth.actorOf(new Headers({ authorization: 'Bearer made-up' }))
  expect(told).toEqual([credentialOf(bearer.authorization, null)])
  clock.advance(60_000)
  await auth.actorOf(good)
  expect(told).toHaveLength(2)
})
