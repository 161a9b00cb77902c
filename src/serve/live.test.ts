import { describe, expect, test } from 'vitest'
import type { LiveChange } from '../contract/live.ts'
import { createLive } from './live.ts'

const change = (id: string): LiveChange => ({ kind: 'issue', id })

test('listeners of an organization hear its changes and no other', () => {
  const live = createLive(100)
  const heard: [number, LiveChange][] = []
  const stop = live.subscribe(1, 0, (id, liveChange) => heard.push([id, liveChange]))
  live.publish(1, change('a'))
  live.publish(2, change('b'))
  stop()
  live.publish(1, change('c'))
  expect(heard).toEqual([[101, change('a')]])
})

test('the last id is that of the newest change of the organization', () => {
  const live = createLive(100)
  expect([live.lastId(1), live.lastId(2)]).toEqual([100, 100])
  live.publish(1, change('a'))
  expect([live.lastId(1), live.lastId(2)]).toEqual([101, 100])
})

test('a change for all reaches each organization that is heard', () => {
  const live = createLive(100)
  const heard: [number, number, LiveChange][] = []
  for (const id of [1, 2]) live.subscribe(id, 0, (changeId, liveChange) => heard.push([id, changeId, liveChange]))
  live.publish(2, change('a'))
  live.publishToAll({ kind: 'database', up: false })
  expect(heard).toEqual([
    [2, 101, change('a')],
    [1, 101, { kind: 'database', up: false }],
    [2, 102, { kind: 'database', up: false }],
  ])
})

describe('a stream that was away', () => {
  const missed: [number, LiveChange][] = [[1600, { kind: 'missed' }]]
  const ids = (from: number, count: number): [number, LiveChange][] =>
    Array.from({ length: count }, (_one, at) => [from + at, change(String(from + at - 1000))])
  test.each<[string, number, [number, LiveChange][]]>([
    ['is told what it missed', 1597, ids(1598, 3)],
    ['is told of all that are kept', 1100, ids(1101, 500)],
    ['missed nothing', 1600, []],
    ['begins now without an id', 0, []],
    ['missed one more than is kept', 1099, missed],
    ['comes from an earlier start', 7, missed],
    ['comes from a start whose clock was ahead', 9000, missed],
  ])('%s', (_name, lastId, expected) => {
    const live = createLive(1000)
    for (let i = 1; i <= 600; i++) live.publish(1, change(String(i)))
    const heard: [number, LiveChange][] = []
    live.subscribe(1, lastId, (id, liveChange) => heard.push([id, liveChange]))
    expect(heard).toEqual(expected)
    live.publish(1, change('after'))
    expect(heard.slice(expected.length)).toEqual([[1601, change('after')]])
  })

  test('comes behind an earlier start before anything happened', () => {
    const heard: LiveChange[] = []
    createLive(1000).subscribe(1, 900, (_id, liveChange) => heard.push(liveChange))
    expect(heard).toEqual([{ kind: 'missed' }])
  })
})
