import { expect, test } from 'vitest'
import type { RestLogLine, TailMessage } from '../../../contract/explore/logs.ts'
import { emptyTail, received } from './tail-buffer.ts'

const line = (n: number): RestLogLine => ({
  id: String(n),
  projectID: '1',
  timestamp: new Date(1_795_748_400_000 + n * 1000).toISOString(),
  level: 'info',
  severity: 9,
  message: '',
  template: '',
  pattern: '',
  trace: '',
  span: '',
  columns: [],
})
const lines = (...numbers: number[]): TailMessage => ({ kind: 'lines', lines: numbers.map(line) })
const gap = (count: number): TailMessage => ({ kind: 'gap', count, reason: 'slow', at: line(3).timestamp })
const follow = { isPaused: false, known: new Set<string>() }
const pause = { ...follow, isPaused: true }
const ids = (list: readonly RestLogLine[]) => list.map(({ id }) => Number(id))

test('lines are shown newest first, also those that come late', () => {
  const first = received(emptyTail, [lines(2, 5)], follow)
  expect(ids(first.lines)).toEqual([5, 2])
  expect(ids(received(first, [lines(3), lines(7)], follow).lines)).toEqual([7, 5, 3, 2])
})

test('lines of the list are not shown twice', () => {
  expect(ids(received(emptyTail, [lines(1, 2)], { ...follow, known: new Set(['1']) }).lines)).toEqual([2])
})

test('a pause counts what waits, and its end shows it', () => {
  const paused = received(received(emptyTail, [lines(1)], follow), [lines(3, 2), gap(4)], pause)
  expect([ids(paused.lines), paused.waitingCount]).toEqual([[1], 2])
  expect(paused.gaps.map(({ count }) => count)).toEqual([4])
  const resumed = received(paused, [], follow)
  expect([ids(resumed.lines), resumed.waitingCount, resumed.waiting]).toEqual([[3, 2, 1], 0, []])
})

test('a busy tail keeps its newest 5,000 lines, and counts all that wait', () => {
  const many = lines(...Array.from({ length: 6000 }, (_, n) => n))
  const { lines: kept } = received(emptyTail, [many], follow)
  expect([kept.length, kept[0]?.id, kept.at(-1)?.id]).toEqual([5000, '5999', '1000'])
  const paused = received(emptyTail, [many], pause)
  expect([paused.waiting.length, paused.waitingCount]).toEqual([5000, 6000])
})
