import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { createLive } from './live.ts'
import { createReaders, isReading } from './readers.ts'

const atOnce = async () => undefined

test('somebody reads while a stream of changes is open', () => {
  const live = createLive(1)
  const readers = createReaders(testClock(), live.isHeard, atOnce)
  expect(readers.present()).toBe(false)
  const leave = live.subscribe(1, 0, () => undefined)
  const leaveOther = live.subscribe(2, 0, () => undefined)
  leave()
  expect(readers.present()).toBe(true)
  leaveOther()
  expect(readers.present()).toBe(false)
})

test('each request is heard by who listens, until they stop', () => {
  const readers = createReaders(testClock(), () => false, atOnce)
  let heard = 0
  const stop = readers.onArrival(() => heard++)
  void readers.arrive()
  void readers.arrive()
  stop()
  void readers.arrive()
  expect(heard).toBe(2)
})

test('it catches up for a second after a request that ended a wait', () => {
  const clock = testClock()
  const readers = createReaders(clock, () => false, atOnce)
  void readers.arrive()
  expect([readers.isCatchingUp(), readers.arrivedMs()]).toEqual([false, clock.now()])
  const stop = readers.onArrival(() => undefined)
  void readers.arrive()
  stop()
  expect(readers.isCatchingUp()).toBe(true)
  clock.advance(1001)
  expect(readers.isCatchingUp()).toBe(false)
})

test('the first request after 10 s waits for what came before it, and others wait with it', async () => {
  const clock = testClock()
  const asked: (number | undefined)[][] = []
  const caughtUp = Promise.withResolvers<void>()
  const readers = createReaders(
    clock,
    () => false,
    async (...words) => {
      asked.push(words)
      if (asked.length === 1) await caughtUp.promise
      else throw new Error('the journal cannot be read')
    },
  )
  expect(readers.isIdle()).toBe(true)
  const first = readers.arrive(77)
  clock.advance(500)
  const second = readers.arrive()
  expect([first, readers.isIdle(), asked]).toEqual([second, false, [[1000, 77]]])
  caughtUp.resolve()
  await first
  clock.advance(10_000)
  expect([readers.arrive(), readers.isIdle()]).toEqual([undefined, false])
  clock.advance(10_001)
  expect(readers.isIdle()).toBe(true)
  // What cannot be waited for is answered from what is stored.
  await readers.arrive()
  expect([readers.arrive(), asked]).toEqual([
    undefined,
    [
      [1000, 77],
      [1000, undefined],
    ],
  ])
})

test('somebody with a stream of changes is not idle, and waits for nothing', () => {
  const clock = testClock()
  const live = createLive(1)
  const readers = createReaders(clock, live.isHeard, () => Promise.reject(new Error('not asked')))
  live.subscribe(1, 0, () => undefined)
  clock.advance(60_000)
  expect([readers.isIdle(), readers.arrive()]).toEqual([false, undefined])
})

test.each([
  ['/', true],
  ['/o/acme/issues?query=_next', true],
  ['/o/acme/issues?from=/_next/', true],
  ['/api/0/organizations/acme/issues/', true],
  ['/api/0/status/access/', false],
  ['/_next/static/chunks/main.js', false],
  ['/mishap/_next/static/chunks/main.js?v=1', false],
])('whether a request for %s may read events: %s', (target, expected) => {
  expect(isReading(target)).toBe(expected)
})
