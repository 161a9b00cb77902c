import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import type { App } from '../processes/parts.ts'
import { createLive } from '../serve/live.ts'
import { logTail } from './logs/tail.ts'

const range = { fromMs: 0, toMs: 1, period: '24h' }
const view = { projects: [], environments: [], range }

/** An app whose store has one line at each position up to `stored`, and whose cursor is there. */
function parts() {
  const clock = testClock()
  const state = { stored: 10, dropped: 0, isAway: false }
  const asked: [from: number, to: number, max: number][] = []
  const app = {
    clock,
    live: createLive(1),
    observe: { warn: () => undefined },
    meta: {
      batches: { cursor: async () => state.stored },
      ledger: {
        outcomeSums: async () => [{ category: 'log_item', outcome: 'rate_limited', quantity: state.dropped }],
      },
    },
    events: {
      logTail: async ({ from, to, max }: { from: number; to: number; max: number }) => {
        if (state.isAway) throw new Error('away')
        asked.push([from, to, max])
        const total = Math.max(0, to - from)
        const lines = Array.from({ length: Math.min(total, max) }, (_, n) => ({
          projectId: 1,
          timeUs: 1000 + to - n,
          jpos: to - n,
          place: 0,
          level: 'info',
          severity: 9,
          body: `line ${to - n}`,
          template: '',
          pattern: '',
          traceId: '',
          spanId: '',
          columns: [],
        }))
        return { lines, total }
      },
    },
  } as unknown as App
  return { app, clock, state, asked }
}

async function open(position: string, { app }: Pick<ReturnType<typeof parts>, 'app'>) {
  const stop = new AbortController()
  const request = { view, query: '', columns: [], position, signal: stop.signal }
  const answer = await logTail(app, 'p', request, async () => true)
  const reader = answer.body?.getReader()
  const next = async () => {
    const { value, done } = (await reader?.read()) ?? { done: true }
    return done ? 'ended' : new TextDecoder().decode(value)
  }
  expect(await next()).toBe('retry: 1000\n\n')
  return { answer, stop, next }
}

test('a tail goes on at a position, and its messages name the next one', async () => {
  const made = parts()
  const { next, answer } = await open('7', made)
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  const message = await next()
  expect(message).toMatch(/^id: 10\nevent: tail\ndata: \{"kind":"lines"/)
  expect(message.match(/line \d+/g)).toEqual(['line 10', 'line 9', 'line 8'])
  expect(made.asked).toEqual([[7, 10, 1000]])
})

test.each(['', 'x', '99'])('without a known position a tail begins now: %j', async (position) => {
  const made = parts()
  const { next } = await open(position, made)
  await new Promise((resolve) => setTimeout(resolve, 5))
  made.clock.advance(300)
  made.state.stored = 11
  made.app.live.committed()
  expect(await next()).toContain('line 11')
})

test('more lines than a read shows are a gap with their number', async () => {
  const made = parts()
  made.state.stored = 5000
  const { next } = await open('0', made)
  expect((await next()).match(/line \d+/g)).toHaveLength(1000)
  expect(await next()).toContain('{"kind":"gap","count":4000,"reason":"slow"')
})

test('lines that the rate limit drops meanwhile are a gap, those before are not', async () => {
  const made = parts()
  made.state.dropped = 70
  const { next } = await open('', made)
  await new Promise((resolve) => setTimeout(resolve, 5))
  made.state.dropped = 75
  made.clock.advance(6000)
  made.app.live.committed()
  expect(await next()).toContain('{"kind":"gap","count":5,"reason":"dropped"')
})

test('a store that is away ends the tail, so that the browser connects again; an abort frees the stream', async () => {
  const made = parts()
  made.state.isAway = true
  expect(await (await open('1', made)).next()).toBe('ended')
  const good = parts()
  const { stop, next } = await open('10', good)
  expect(good.app.live.isHeard()).toBe(true)
  stop.abort()
  expect(await next()).toBe('ended')
  expect(good.app.live.isHeard()).toBe(false)
})

test('a reader who leaves while lines are read, and whose request then ends, is no fault of the process', async () => {
  const made = parts()
  const waiting = Promise.withResolvers<void>()
  const { logTail: read } = made.app.events
  made.app.events.logTail = async (asked) => {
    await waiting.promise
    return read(asked)
  }
  const faults: unknown[] = []
  const note = (error: unknown) => faults.push(error)
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  const stop = new AbortController()
  const request = { view, query: '', columns: [], position: '7', signal: stop.signal }
  const answer = await logTail(made.app, 'p', request, async () => true)
  await answer.body?.cancel()
  expect(made.app.live.isHeard()).toBe(false)
  waiting.resolve()
  await new Promise((resolve) => setTimeout(resolve, 20))
  stop.abort()
  await new Promise((resolve) => setTimeout(resolve, 20))
  process.off('unhandledRejection', note)
  process.off('uncaughtException', note)
  expect(faults).toEqual([])
})
