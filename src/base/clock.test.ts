import { expect, test } from 'vitest'
import { systemClock, testClock } from './clock.ts'

test('the test clock stands still until it is moved, and runs what falls due in order', async () => {
  const clock = testClock(1000)
  const seen: string[] = []
  clock.after(50, () => seen.push(`b${clock.now()}`))
  clock.after(10, () => seen.push(`a${clock.now()}`))
  const stop = clock.every(20, () => seen.push(`e${clock.now()}`))
  const cancelled = clock.after(30, () => seen.push('never'))
  cancelled()
  const slept = clock.sleep(40).then(() => seen.push('slept'))
  expect(clock.now()).toBe(1000)
  clock.advance(50)
  stop()
  clock.advance(100)
  await slept
  expect(seen).toEqual(['a1010', 'e1020', 'e1040', 'b1050', 'slept'])
  expect(clock.now()).toBe(1150)
})

test('a sleep ends at once when it is aborted', async () => {
  const stop = new AbortController()
  const sleeping = [systemClock.sleep(60_000, stop.signal), testClock().sleep(60_000, stop.signal)]
  stop.abort()
  await expect(Promise.all(sleeping)).resolves.toHaveLength(2)
  await expect(systemClock.sleep(60_000, stop.signal)).resolves.toBeUndefined()
})

test('the system clock ticks and stops', async () => {
  const seen: number[] = []
  const stop = systemClock.every(5, () => seen.push(systemClock.now()))
  await systemClock.sleep(40)
  stop()
  const { length } = seen
  expect(length).toBeGreaterThan(1)
  await systemClock.sleep(20)
  expect(seen).toHaveLength(length)
})
