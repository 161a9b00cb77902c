import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { createDurableReports } from './durable-reports.ts'

/** Reports of a journal that grows by `bytes` every `everyMs`. `run` returns the times of reports, ms since its call. */
function bench(bytes = 100) {
  const clock = testClock()
  const sent: number[] = []
  let at = 0
  const listeners = new Set<(position: number) => void>()
  const onDurable = (listener: (position: number) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const reports = createDurableReports(clock, onDurable, () => void sent.push(clock.now()))
  const write = () => {
    at += bytes
    for (const listener of listeners) listener(at)
  }
  const run = (ms: number, everyMs: number): number[] => {
    const began = clock.now()
    sent.length = 0
    for (let passed = 0; passed < ms; passed += everyMs) {
      write()
      clock.advance(everyMs)
    }
    return sent.map((time) => time - began)
  }
  /** A request that is open until the returned function is called. */
  const request = (socket = new EventEmitter()) => {
    const res = new EventEmitter()
    reports.reading({ socket } as never, res as never)
    return {
      end: () => res.emit('close'),
      cut: () => socket.emit('close'),
    }
  }
  return { clock, sent, reports, write, run, request }
}

test('a journal that stands still is reported each second', () => {
  const { clock, sent, reports, write } = bench()
  clock.advance(3500)
  expect(sent).toHaveLength(3)
  write()
  reports.stop()
  write()
  clock.advance(5000)
  expect(sent).toHaveLength(3)
})

test('the first record after a pause is reported after 20 ms, and others each 200 ms while nobody reads', () => {
  const { clock, run } = bench()
  clock.advance(500)
  expect(run(650, 10).slice(0, 4)).toEqual([20, 220, 420, 500])
})

test.each<[string, (entry: ReturnType<typeof bench>) => void, number]>([
  ['a request is open', ({ request }) => void request(), 50],
  ['a request has just ended', ({ request }) => request().end(), 50],
  [
    'a request was open until a moment ago',
    ({ request, clock }) => {
      const { end } = request()
      clock.advance(60_000)
      end()
      clock.advance(9000)
    },
    50,
  ],
  [
    'a request ended 10 s ago',
    ({ request, clock }) => {
      request().end()
      clock.advance(10_500)
    },
    8,
  ],
  ['nobody has read', () => undefined, 8],
])('reports of a second: %s', (_name, before, most) => {
  const entry = bench()
  entry.clock.advance(100)
  before(entry)
  const count = entry.run(1000, 10).length
  expect(count).toBeLessThanOrEqual(most)
  expect(count).toBeGreaterThan(most / 2)
})

test('requests end with their answers or with their connection, which is listened to once', () => {
  const { clock, run, request } = bench()
  const isOpen = () => {
    clock.advance(60_000)
    return run(1000, 10).length === 50
  }
  const connection = new EventEmitter()
  const requests = [request(connection), request(connection), request(connection)]
  expect(connection.listenerCount('close')).toBe(1)
  requests[0]?.end()
  requests[1]?.end()
  expect(isOpen()).toBe(true)
  requests[2]?.cut()
  expect(isOpen()).toBe(false)
  requests[2]?.end()
  const { end, cut } = request()
  end()
  expect(isOpen()).toBe(false)
  cut()
  expect(isOpen()).toBe(false)
})

test('a request is passed on with what came before it, and a journal without news is not reported again', () => {
  const { clock, sent, write, request } = bench()
  clock.advance(1100)
  sent.length = 0
  write()
  request()
  expect(sent).toHaveLength(1)
  request()
  expect(sent).toHaveLength(1)
  clock.advance(25)
  expect(sent).toHaveLength(1)
})

test('half of a batch is not late while nobody reads', () => {
  const { clock, run } = bench(300_000)
  clock.advance(500)
  // The first report, then one for each 1.2 MB.
  expect(run(200, 10).slice(0, 4)).toEqual([20, 50, 90, 130])
})
