import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { createReady } from './ready.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('process app is asked once for all who ask, and a good answer counts for a second', async () => {
  const clock = testClock()
  let asked = 0
  const ready = createReady(clock, async () => ++asked > 0)
  expect(await Promise.all([ready(), ready()])).toEqual([true, true])
  await settle()
  expect(await ready()).toBe(true)
  expect(asked).toBe(1)
  clock.advance(1000)
  await ready()
  expect(asked).toBe(2)
})

test.each<[string, () => Promise<boolean>]>([
  ['no answer', async () => false],
  ['a failure', () => Promise.reject(new Error('away'))],
])('%s is not remembered', async (_name, fails) => {
  let asked = 0
  const ready = createReady(testClock(), () => (++asked === 1 ? fails() : Promise.resolve(true)))
  expect(await ready().catch(() => false)).toBe(false)
  await settle()
  expect(await ready()).toBe(true)
})
