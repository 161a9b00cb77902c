import { expect, test } from 'vitest'
import type { LiveChange } from '../protocol/rest.ts'
import { createLive } from './live.ts'

const change = (id: string): LiveChange => ({ kind: 'issue', id })

test('listeners of an organization hear its changes and no other', () => {
  const live = createLive(100)
  const heard: [number, LiveChange][] = []
  const stop = live.subscribe(1, 0, (id, one) => heard.push([id, one]))
  live.publish(1, change('a'))
  live.publish(2, change('b'))
  stop()
  live.publish(1, change('c'))
  expect(heard).toEqual([[101, change('a')]])
})

test('a stream that was away is told what it missed, as far as it is still known', () => {
  const live = createLive(0)
  for (let i = 1; i <= 600; i++) live.publish(1, change(String(i)))
  const heard: number[] = []
  live.subscribe(1, 597, (id) => heard.push(id))
  expect(heard).toEqual([598, 599, 600])
  const all: number[] = []
  live.subscribe(1, 1, (id) => all.push(id))
  expect([all.length, all[0]]).toEqual([500, 101])
  const fresh: number[] = []
  live.subscribe(1, 0, (id) => fresh.push(id))
  expect(fresh).toEqual([])
})
