import { expect, test } from 'vitest'
import { createLag } from './lag.ts'

const lagAt = (positions: readonly [durable: number, atMs: number][]) => {
  const lag = createLag()
  for (const [durable, atMs] of positions)
    lag.record({ kind: 'durable', durable, atMs, lagBytes: 50, boundBytes: 100 }, atMs)
  return lag
}
const states = (events: [number, number], bulk: [number, number]) => ({
  events: { waiting: events[0], doneTo: events[1] },
  bulk: { waiting: bulk[0], doneTo: bulk[1] },
})

test('the age of a lane is that of the first position that it has not committed', () => {
  const lag = lagAt([
    [10, 1000],
    [20, 2000],
    [30, 3000],
  ])
  expect(lag.state(5000, states([1, 20], [2, 0]))).toEqual({
    lagBytes: 50,
    boundBytes: 100,
    waitingRecords: 3,
    oldestWaitingMs: 4000,
    eventsWaitingMs: 2000,
  })
  expect(lag.state(5000, states([0, 10], [1, 20]))).toMatchObject({ oldestWaitingMs: 2000, eventsWaitingMs: 0 })
  expect(lag.state(5000, states([0, 0], [0, 0]))).toMatchObject({ lagBytes: 0, oldestWaitingMs: 0, eventsWaitingMs: 0 })
})

test('positions are forgotten once both lanes are beyond them', () => {
  const lag = lagAt([
    [10, 1000],
    [20, 2000],
  ])
  lag.done(10)
  expect(lag.state(5000, states([1, 0], [0, 20]))).toMatchObject({ eventsWaitingMs: 3000 })
  lag.done(20)
  expect(lag.state(5000, states([1, 0], [1, 0]))).toMatchObject({ lagBytes: 0, eventsWaitingMs: 0 })
})
