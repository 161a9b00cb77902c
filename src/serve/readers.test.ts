import { expect, test } from 'vitest'
import { createLive } from './live.ts'
import { createReaders } from './readers.ts'

test('somebody reads while a stream of changes is open', () => {
  const live = createLive(1)
  const readers = createReaders(live.isHeard)
  expect(readers.present()).toBe(false)
  const leave = live.subscribe(1, 0, () => undefined)
  const leaveOther = live.subscribe(2, 0, () => undefined)
  leave()
  expect(readers.present()).toBe(true)
  leaveOther()
  expect(readers.present()).toBe(false)
})

test('each request is heard by who listens, until they stop', () => {
  const readers = createReaders(() => false)
  let heard = 0
  const stop = readers.onArrival(() => heard++)
  readers.arrive()
  readers.arrive()
  stop()
  readers.arrive()
  expect(heard).toBe(2)
})
