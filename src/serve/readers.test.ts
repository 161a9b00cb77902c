import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { createLive } from './live.ts'
import { createReaders } from './readers.ts'

test('somebody reads while a stream of changes is open', () => {
  const live = createLive(1)
  const readers = createReaders(testClock(), live.isHeard)
  expect(readers.present()).toBe(false)
  const leave = live.subscribe(1, 0, () => undefined)
  const leaveOther = live.subscribe(2, 0, () => undefined)
  leave()
  expect(readers.present()).toBe(true)
  leaveOther()
  expect(readers.present()).toBe(false)
})

test('each request is heard by who listens, until they stop', () => {
  const readers = createReaders(testClock(), () => false)
  let heard = 0
  const stop = readers.onArrival(() => heard++)
  readers.arrive()
  readers.arrive()
  stop()
  readers.arrive()
  expect(heard).toBe(2)
})

test('it catches up for a second after a request that ended a wait', () => {
  const clock = testClock()
  const readers = createReaders(clock, () => false)
  readers.arrive()
  expect([readers.isCatchingUp(), readers.arrivedMs()]).toEqual([false, clock.now()])
  const stop = readers.onArrival(() => undefined)
  readers.arrive()
  stop()
  expect(readers.isCatchingUp()).toBe(true)
  clock.advance(1001)
  expect(readers.isCatchingUp()).toBe(false)
})
