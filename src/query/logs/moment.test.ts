import { expect, test } from 'vitest'
import type { LogLine } from '../../store/events/log-search.ts'
import { keyOfLine } from './line.ts'
import { linesOfEvent, traceMoment } from './moment.ts'

const atMs = Date.UTC(2026, 10, 27, 10)
const trace = 'ab'.repeat(16)
const text = (texts: string[]) => ({ texts: ['', ...texts], numbers: texts.map((_, at) => at + 1) })

/** A store with a line each second from 30 s before the moment to 5 s after it, and with spans at these times. */
function storeOf(spanStartsS: number[]) {
  const asked: { fromMs: number; toMs: number; max: number; newest: boolean }[] = []
  const lines = Array.from({ length: 36 }, (_, n) => atMs + (n - 30) * 1000)
  const events = {
    logsOfTrace: async (request: { fromMs: number; toMs: number; max: number; newest: boolean }) => {
      asked.push(request)
      const found = lines.filter((ms) => ms >= request.fromMs && ms < request.toMs)
      const kept = request.newest ? found.slice(-request.max) : found.slice(0, request.max)
      return kept.map(
        (ms): LogLine => ({
          projectId: 1,
          timeUs: ms * 1000,
          jpos: 5,
          place: 0,
          level: 'info',
          severity: 9,
          body: `at ${(ms - atMs) / 1000}`,
          template: '',
          pattern: '',
          traceId: trace,
          spanId: '',
          columns: [],
        }),
      )
    },
    traceSpans: async () => ({
      ids: spanStartsS.map((_, at) => `${at}`.padStart(16, '0')),
      originUs: 0,
      starts: spanStartsS.map((seconds) => (atMs + seconds * 1000) * 1000),
      durationsUs: spanStartsS.map(() => 1500),
      ops: text(spanStartsS.map(() => 'db')),
      names: text(spanStartsS.map((seconds) => `span ${seconds}`)),
      failures: spanStartsS.map((seconds) => (seconds === -1 ? 1 : 0)),
      projectIds: spanStartsS.map(() => 1),
    }),
  }
  return { events: events as unknown as Parameters<typeof traceMoment>[0]['events'], asked }
}

test('lines and spans around a moment, oldest first; the line of the moment itself comes before it', async () => {
  const { events, asked } = storeOf([-700, -3, -1, 2, 90])
  const { lines, spans } = await traceMoment({ events }, [1], trace, atMs)
  expect(lines.map(({ message }) => message).slice(-7)).toEqual([
    'at -1',
    'at 0',
    'at 1',
    'at 2',
    'at 3',
    'at 4',
    'at 5',
  ])
  expect(spans.map(({ name, failed, duration }) => [name, failed, duration])).toEqual([
    ['span -3', false, 1.5],
    ['span -1', true, 1.5],
    ['span 2', false, 1.5],
  ])
  expect(asked.map(({ fromMs, toMs, newest }) => [fromMs - atMs, toMs - atMs, newest])).toEqual([
    [-600_000, 1, true],
    [1, 60_000, false],
  ])
})

test('of many spans those nearest to the moment', async () => {
  const { spans } = await traceMoment(storeOf(Array.from({ length: 60 }, (_, n) => n - 60)), [1], trace, atMs)
  expect([spans.length, spans[0]?.name, spans.at(-1)?.name]).toEqual([40, 'span -40', 'span -1'])
})

test('an event without a trace, or with a wrong one, has no lines and asks for none', async () => {
  const { events, asked } = storeOf([])
  const dateCreated = new Date(atMs).toISOString()
  for (const traceId of [null, '', 'nonsense', '<b>'])
    expect(await linesOfEvent({ events }, [1], { traceId, dateCreated })).toEqual([])
  expect(asked).toEqual([])
  expect(await linesOfEvent({ events }, [1], { traceId: trace, dateCreated })).toHaveLength(36)
})

test.each([
  '',
  '1-2-3',
  '1-2-3-4-5',
  '-1-2-3-4',
  '1-2-3-x',
  '99999999999999999-1-1-1',
  '9999999999999999-1-1-1',
  "1-1-1-1'",
])('no id of a line: %j', (id) => {
  expect(keyOfLine(id)).toBe(undefined)
})
