import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { addressFailuresMax, createAttempts, freeFailures, networkOf, pauseMaxS } from './attempts.ts'

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

test('attempts: the pause of an address ends to the millisecond, and then a new minute begins', () => {
  const clock = testClock()
  const attempts = createAttempts(clock)
  const fail = (count: number) => {
    for (let tries = 0; tries < count; tries++) attempts.failed(`p${tries}@x.de`, '10.0.0.1')
  }
  fail(addressFailuresMax)
  clock.advance(59_999)
  expect(attempts.waitS('new@x.de', '10.0.0.1')).toBe(1)
  clock.advance(1)
  // Failures of the previous minute do not count for the next one.
  fail(addressFailuresMax - 1)
  expect(attempts.waitS('new@x.de', '10.0.0.1')).toBe(0)
  fail(1)
  expect(attempts.waitS('new@x.de', '10.0.0.1')).toBe(60)
})

test('attempts: failures are remembered for an hour to the millisecond', () => {
  const clock = testClock()
  const attempts = createAttempts(clock)
  const fail = () => attempts.failed('a@x.de', '10.0.0.1')
  for (let tries = 0; tries < freeFailures; tries++) fail()
  clock.advance(3_600_000)
  fail()
  expect(attempts.waitS('a@x.de', '10.0.0.1')).toBe(2)
  clock.advance(3_600_001)
  expect(attempts.waitS('a@x.de', '10.0.0.1')).toBe(0)
  fail()
  expect(attempts.waitS('a@x.de', '10.0.0.1')).toBe(0)
})

test('attempts: more is not taken back than was counted', () => {
  const attempts = createAttempts(testClock())
  attempts.failed('a@x.de', '10.0.0.1')
  for (let tries = 0; tries < 5; tries++) attempts.undo('a@x.de', '10.0.0.1')
  for (let tries = 0; tries < freeFailures; tries++) attempts.failed('a@x.de', '10.0.0.1')
  expect(attempts.waitS('a@x.de', '10.0.0.1')).toBe(1)
})

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['no address', 'no address'],
  ['', ''],
])('attempts: the network of %j is %j', (address, expected) => {
  expect(networkOf(address)).toBe(expected)
})
