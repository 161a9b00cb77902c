import { describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { createAttempts, freeFailures } from './attempts.ts'
import { addressOf, demandTry, type Guard, guarded } from './guarded.ts'

const who: [string, string] = ['ann@example.com', '192.0.2.1']
const rig = (demandRoom: () => void = () => {}): Guard => ({
  attempts: createAttempts(testClock()),
  queue: { demandCapacity: demandRoom },
})
const busy = () => {
  throw new MishapError('AUTH_BUSY', { retryAfterS: 5 })
}
const answer = (status: number) => async () => new Response(null, { status })
const isWrong = (response: Response) => response.status === 401
/** One more failure causes a delay. */
const almost = ({ attempts }: Guard) => {
  for (let tries = 1; tries < freeFailures; tries++) attempts.failed(...who)
}

test.each([
  [undefined, ''],
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1 , 10.0.0.1', '192.0.2.1'],
  [' 192.0.2.1', '192.0.2.1'],
])('the address of %j is %j', (forwarded, expected) => {
  expect(addressOf(new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }))).toBe(expected)
})

test('a try is refused while there is a pause, with its seconds, and not counted', () => {
  const { attempts } = rig()
  for (let tries = 0; tries < freeFailures + 2; tries++) attempts.failed(...who)
  const refused = () => demandTry(attempts, ...who)
  expect(refused).toThrow(expect.objectContaining({ code: 'AUTH_LOCKED', retryAfterS: 4 }))
  expect(refused).toThrow(expect.objectContaining({ retryAfterS: 4 }))
})

describe('a try', () => {
  test.each([
    ['that is wrong counts', 401, 1],
    ['that the server did not understand does not', 400, 0],
    ['that the server failed at does not', 500, 0],
  ])('%s', async (_name, status, expected) => {
    const guard = rig()
    almost(guard)
    expect((await guarded(guard, who, answer(status), isWrong)).status).toBe(status)
    expect(guard.attempts.waitS(...who)).toBe(expected)
    // Earlier failures stay in both cases.
    guard.attempts.failed(...who)
    expect(guard.attempts.waitS(...who)).toBe(expected + 1)
  })

  test('that succeeds forgets the failures before it', async () => {
    const guard = rig()
    almost(guard)
    await guarded(guard, who, answer(200), isWrong)
    for (let tries = 1; tries < freeFailures; tries++) guard.attempts.failed(...who)
    expect(guard.attempts.waitS(...who)).toBe(0)
  })

  test.each([
    ['whose work fails', rig(), () => Promise.reject(new Error('planted')), 'planted'],
    ['that finds no room', rig(busy), answer(401), 'AUTH_BUSY'],
  ])('%s does not count', async (_name, guard, work, message) => {
    almost(guard)
    const failure = await guarded(guard, who, work, isWrong).catch((error: unknown) => error)
    expect(failure).toMatchObject(message === 'planted' ? { message } : { code: message })
    expect(guard.attempts.waitS(...who)).toBe(0)
  })
})
