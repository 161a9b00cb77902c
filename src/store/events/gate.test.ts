import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import type { Connection } from './connection.ts'
import { createGate, waitingFor } from './gate.ts'

/** Waits for a turn of the event loop, so that every promise that can settle does. */
const turns = () => new Promise((resolve) => setImmediate(resolve))

function rig() {
  const clock = testClock()
  const gate = createGate(clock)
  const told: string[] = []
  const note = (what: string) => () => void told.push(what)
  return { clock, gate, told, note }
}

test('who asks for counts while rollups are counted anew waits for their end', async () => {
  const { gate, told, note } = rig()
  await gate.counted()
  const end = Promise.withResolvers<void>()
  const counting = gate.counting(() => end.promise).then(note('rollups'))
  const asked = gate.counted().then(note('counts'))
  await turns()
  expect(told).toEqual([])
  end.resolve()
  await Promise.all([counting, asked])
  expect(told.toSorted()).toEqual(['counts', 'rollups'])
})

test('a long one is not waited for to its end, nor one after the other', async () => {
  const { clock, gate, told, note } = rig()
  const never = Promise.withResolvers<void>()
  const first = Promise.withResolvers<void>()
  void gate.counting(() => first.promise)
  void gate.counting(() => never.promise)
  void gate.counted().then(note('counts'))
  clock.advance(1500)
  first.resolve()
  await turns()
  expect(told).toEqual([])
  clock.advance(500)
  await turns()
  expect(told).toEqual(['counts'])
})

test('a connection asks when they stand', async () => {
  const { gate, told, note } = rig()
  const asked = (...words: unknown[]) => Promise.resolve([...words, told.length])
  const connection = waitingFor(gate, { rows: asked } as unknown as Connection)
  const end = Promise.withResolvers<void>()
  const counting = gate.counting(() => end.promise).then(note('rollups'))
  const rows = connection.rows('SELECT 1', { a: 1 })
  await turns()
  end.resolve()
  await counting
  expect(await rows).toEqual(['SELECT 1', { a: 1 }, expect.any(Number)])
})

test('work that fails lets them go on, too', async () => {
  const { gate } = rig()
  const failing = gate.counting(() => Promise.reject(new Error('away')))
  await Promise.all([expect(failing).rejects.toThrow('away'), gate.counted()])
})
