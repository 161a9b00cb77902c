import { expect, test } from 'vitest'
import { createRecent } from './recent.ts'

function setup(max = 10) {
  const state = { nowMs: 1000, loads: 0 }
  const recent = createRecent<{ n: number }>({ now: () => state.nowMs }, { max, maxAgeMs: 100 })
  const load = async () => ({ n: ++state.loads })
  return { state, get: (key: string) => recent.get(key, load), recent }
}

test.each<[afterMs: number, loads: number]>([
  [0, 1],
  [99, 1],
  [100, 2],
  [5000, 2],
])('a result is used for 100 ms; %i ms later there were %i loads', async (afterMs, loads) => {
  const { state, get } = setup()
  await get('a')
  state.nowMs += afterMs
  expect(await get('a')).toEqual({ n: loads })
})

test('concurrent calls of a key load once, other keys load their own', async () => {
  const { get } = setup()
  expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual([{ n: 1 }, { n: 1 }, { n: 2 }])
})

test('a failure is not stored', async () => {
  const { get, recent } = setup()
  await expect(recent.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(await get('a')).toEqual({ n: 1 })
})

test('it drops the least recently used result', async () => {
  const { get } = setup(2)
  await get('a')
  await get('b')
  await get('a')
  await get('c')
  expect([await get('a'), await get('b')]).toEqual([{ n: 1 }, { n: 4 }])
})
