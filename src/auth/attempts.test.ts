import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { addressFailuresMax, createAttempts, freeFailures, pauseMaxS } from './attempts.ts'

test('attempts: an address is locked over many accounts, others are not', () => {
  const clock = testClock()
  const attempts = createAttempts(clock)
  for (let tries = 0; tries < addressFailuresMax; tries++) attempts.failed(`p${tries}@x.de`, '10.0.0.1')
  expect([
    attempts.waitS('new@x.de', '10.0.0.1'),
    attempts.waitS('new@x.de', '10.0.0.2'),
    attempts.waitS('new@x.de', ''),
  ]).toEqual([60, 0, 0])
  clock.advance(59_000)
  expect(attempts.waitS('new@x.de', '10.0.0.1')).toBe(1)
  clock.advance(1_000)
  expect(attempts.waitS('new@x.de', '10.0.0.1')).toBe(0)
})

test('attempts: the pauses of one account from one address double up to a minute, and are forgotten', () => {
  const clock = testClock()
  const attempts = createAttempts(clock)
  const pauses: number[] = []
  for (let tries = 0; tries < freeFailures + 8; tries++) {
    attempts.failed('a@x.de', '10.0.0.1')
    pauses.push(attempts.waitS('a@x.de', '10.0.0.1'))
    clock.advance(60_000)
  }
  expect(pauses).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, pauseMaxS, pauseMaxS, pauseMaxS])
  attempts.failed('a@x.de', '10.0.0.1')
  expect([attempts.waitS('b@x.de', '10.0.0.1'), attempts.waitS('a@x.de', '10.0.0.2')]).toEqual([0, 0])
  clock.advance(3_600_001)
  attempts.failed('a@x.de', '10.0.0.1')
  expect(attempts.waitS('a@x.de', '10.0.0.1')).toBe(0)
})

test('attempts: a /64 of IPv6 is one address, success forgets, a try that was none is taken back', () => {
  const attempts = createAttempts(testClock())
  for (let tries = 0; tries < freeFailures; tries++) attempts.failed('a@x.de', `2001:db8:1:2::${tries}`)
  expect([attempts.waitS('a@x.de', '2001:db8:1:2:ffff::9'), attempts.waitS('a@x.de', '2001:db8:1:3::1')]).toEqual([
    1, 0,
  ])
  attempts.undo('a@x.de', '2001:db8:1:2::7')
  expect(attempts.waitS('a@x.de', '2001:db8:1:2::1')).toBe(0)
  for (let tries = 0; tries < freeFailures; tries++) attempts.failed('a@x.de', '::ffff:10.0.0.9')
  expect(attempts.waitS('a@x.de', '10.0.0.9')).toBe(1)
  attempts.succeeded('a@x.de', '10.0.0.9')
  expect(attempts.waitS('a@x.de', '10.0.0.9')).toBe(0)
})
