import { describe, expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import type { TextColumn, TraceColumns } from '../../store/events/trace-store.ts'
import type { Project } from '../../store/meta/meta.ts'
import { traceView } from './view.ts'

type Deps = Parameters<typeof traceView>[0]
const trace = 'ab'.repeat(16)
const id = (n: number) => n.toString(16).padStart(16, '0')
const project = (n: number, slug: string) => ({ id: n, slug, platform: 'node' }) as Project
const [web, secret] = [project(1, 'web'), project(2, 'secret')]

function textColumn(list: readonly string[]): TextColumn {
  const texts = ['', ...new Set(list)]
  return { texts, numbers: list.map((text) => texts.indexOf(text, 1)) }
}

/** Columns of spans by project, in any order of start. */
const columns = (list: readonly { n: number; projectId: number; startUs?: number; lcp?: number }[]): TraceColumns => ({
  projectIds: list.map((span) => span.projectId),
  ids: list.map((span) => id(span.n)),
  parentIds: list.map(() => id(1)),
  segmentIds: textColumn(list.map(() => '')),
  segments: list.map(() => 0),
  originUs: 10,
  starts: list.map((span) => (span.startUs ?? span.n * 10) - 10),
  durationsUs: list.map(() => 5),
  ops: textColumn(list.map((span) => (span.projectId === 1 ? 'db' : ''))),
  names: textColumn(list.map((span) => (span.projectId === 1 ? `SELECT ${span.n % 2}` : ''))),
  statuses: textColumn(list.map(() => '')),
  failures: list.map(() => 0),
  platforms: textColumn(list.map(() => '')),
  environments: textColumn(list.map(() => '')),
  cuts: textColumn(list.map(() => '')),
  measurements: list.flatMap((span) => (span.lcp ? [[id(span.n), { lcp: span.lcp }] as const] : [])),
})

/** A store with these spans. `asked` notes the queries and their limits. */
function storeOf(
  list: Parameters<typeof columns>[0],
  events: { projectId: number; span: number }[] = [],
  lines: { projectId: number; span: number }[] = [],
) {
  const logs = lines.map(({ projectId, span }, n) => ({
    projectId,
    timeUs: 30 + n,
    jpos: 1,
    place: n,
    level: 'info',
    body: 'x'.repeat(600),
    spanId: span === 0 ? '' : id(span),
  }))
  const asked: [string, number?][] = []
  const signals: (AbortSignal | undefined)[] = []
  const refs = events.map(({ projectId }, n) => ({
    projectId,
    eventId: `${n}`.padStart(32, '0'),
    groupHash: 'f'.repeat(16),
    timestampUs: 500,
    receivedMs: 0,
  }))
  const deps = {
    events: {
      traceSpans: async (_projects: unknown, _trace: string, max: number, signal?: AbortSignal) => {
        asked.push(['spans', max])
        signals.push(signal)
        return columns(list.slice(0, max))
      },
      largestSpans: async (_projects: unknown, _trace: string, max: number) => {
        asked.push(['largest', max])
        return columns(list.slice(0, max))
      },
      traceTotals: async (_projects: unknown, _trace: string, signal?: AbortSignal) => {
        asked.push(['totals'])
        signals.push(signal)
        const byProject = new Map<number, number>()
        for (const span of list) byProject.set(span.projectId, (byProject.get(span.projectId) ?? 0) + 1)
        return { spans: list.length, byProject, fromUs: 0, toUs: 0 }
      },
      byTraceId: async () => refs,
      logsOfTrace: async () => logs,
      spansOfEvents: async () =>
        events.map(({ projectId, span }, n) => ({
          projectId,
          eventId: `${n}`.padStart(32, '0'),
          spanId: id(span),
          parentId: id(1),
          title: 'E: x',
          culprit: '',
          type: 'error',
          errorType: 'E',
          errorValue: 'x',
          level: 'fatal',
          transaction: '',
        })),
    },
    meta: {
      retention: {
        downsampledDays: async () => [
          { day: '1970-01-02', level: 1, spans: 70 },
          { day: '2026-11-01', level: 4, spans: 900 },
        ],
      },
      issues: {
        issueIdsOf: async () => new Map([[`1:${'f'.repeat(16)}`, 9]]),
        issueById: async (issue: number) => ({ id: issue, shortId: 'WEB-9', title: 'E', level: 'error' }),
      },
      feedback: {
        feedbackOfIssue: async () => [
          { id: 3, projectId: 1, eventId: '0'.padStart(32, '0'), name: 'Ada', message: 'broken' },
          { id: 4, projectId: 1, eventId: 'f'.repeat(32), name: 'Bob', message: 'another event' },
        ],
      },
    },
  } as unknown as Deps
  const view = (options = {}, reader = { projects: [secret, web], readable: [web] }) =>
    traceView(deps, reader, trace, { keptDays: 30, ...options })
  /** The count of the spans fails, with this error and before the spans are read. */
  const failCount = (error: Error) => {
    const { traceSpans } = deps.events
    deps.events.traceTotals = () => Promise.reject(error)
    deps.events.traceSpans = async (...asked) => {
      await new Promise((resolve) => setImmediate(resolve))
      return traceSpans(...asked)
    }
  }
  return { view, asked, failCount, stopped: () => signals.map((signal) => signal?.aborted ?? false) }
}

describe('a trace in the form of its page', () => {
  test('spans by start, each once in its project, texts as numbers, vitals at their spans', async () => {
    const { view } = storeOf([
      { n: 3, projectId: 1, lcp: 7 },
      { n: 2, projectId: 1 },
      { n: 2, projectId: 1, startUs: 25 },
      { n: 4, projectId: 1 },
    ])
    const { spans, origin, vitals, spanCount } = await view()
    expect([origin, spanCount, spans.ids, spans.starts]).toEqual([20, 3, [2, 3, 4].map(id), [0, 10, 20]])
    expect([spans.texts, spans.names, spans.ops]).toEqual([
      ['', 'db', 'SELECT 0', 'SELECT 1'],
      [2, 3, 2],
      [1, 1, 1],
    ])
    expect(vitals).toEqual([{ span: 1, values: { lcp: 7 } }])
  })

  test('log lines are at their spans, the first 200 of them; a trace can have nothing else', async () => {
    const spans = [
      { n: 2, projectId: 1 },
      { n: 3, projectId: 1 },
    ]
    const lines = [3, 9, 0].map((span) => ({ projectId: 1, span }))
    const { logs, logsTruncated } = await storeOf(spans, [], lines).view()
    expect(logs.map(({ id: name, at, span, message }) => [name, at, span, message.length])).toEqual([
      ['30-1-1-0', 10, 1, 500],
      ['31-1-1-1', 11, -1, 500],
      ['32-1-1-2', 12, -1, 500],
    ])
    expect(logsTruncated).toBe(false)
    const alone = await storeOf(
      [],
      [],
      Array.from({ length: 201 }, () => ({ projectId: 1, span: 0 })),
    ).view()
    expect([alone.origin, alone.logs.length, alone.logsTruncated, alone.projects.length]).toEqual([30, 200, true, 1])
  })

  test('spans of a project that the reader may not read are last in the list, without a name', async () => {
    const { projects, spans } = await storeOf([
      { n: 1, projectId: 1 },
      { n: 2, projectId: 2 },
    ]).view()
    expect(projects).toEqual([
      { id: '1', slug: 'web', platform: 'node', place: 0, spans: 1 },
      { id: null, slug: null, platform: null, place: -1, spans: 1 },
    ])
    expect([spans.projects, JSON.stringify({ projects, spans }).includes('secret')]).toEqual([[0, 1], false])
  })

  test('a trace of such projects alone is like one that does not exist', async () => {
    const { view } = storeOf([{ n: 2, projectId: 2 }])
    expect(await view()).toMatchObject({ spanCount: 0, projects: [], vitals: [], spans: { ids: [] } })
  })

  test('a trace without spans says which days the disk budget removed spans of, near its errors if it has any', async () => {
    const none = storeOf([])
    expect((await none.view()).downsampled).toEqual({ from: '1970-01-02', to: '2026-11-01' })
    const errors = storeOf([], [{ projectId: 1, span: 2 }])
    expect((await errors.view()).downsampled).toEqual({ from: '1970-01-02', to: '1970-01-02' })
    const whole = storeOf([{ n: 1, projectId: 1 }])
    expect((await whole.view()).downsampled).toBeNull()
  })

  test('errors are at their spans, else at the span above, and bring their feedback', async () => {
    const { view } = storeOf(
      [
        { n: 1, projectId: 1 },
        { n: 2, projectId: 1 },
      ],
      [
        { projectId: 1, span: 2 },
        { projectId: 1, span: 77 },
      ],
    )
    const { events, feedback } = await view()
    expect(events.map(({ span, shortId, level, at }) => [span, shortId, level, at])).toEqual([
      [1, 'WEB-9', 'fatal', 490],
      [0, 'WEB-9', 'fatal', 490],
    ])
    expect(feedback).toMatchObject([{ id: 3, groupID: '9', message: 'broken', span: 1 }])
  })

  test('a count that fails does not matter to a small trace, and fails a larger one with its error', async () => {
    const away = new MishapError('STORE_UNAVAILABLE')
    const small = storeOf([
      { n: 1, projectId: 1 },
      { n: 2, projectId: 1 },
    ])
    small.failCount(away)
    expect((await small.view().catch((error: unknown) => error)) as object).toMatchObject({ spanCount: 2 })
    const larger = storeOf(Array.from({ length: 3000 }, (_, n) => ({ n: n + 1, projectId: 1 })))
    larger.failCount(away)
    await expect(larger.view()).rejects.toBe(away)
  })

  test('first rows and count are asked at once; a larger trace is read whole, over the limit as a sample', async () => {
    const many = Array.from({ length: 6000 }, (_, n) => ({ n: n + 1, projectId: 1 }))
    const small = storeOf(many.slice(0, 2000))
    expect([(await small.view()).isSampled, small.asked]).toEqual([false, [['spans', 2001], ['totals']]])
    expect(small.stopped()).toEqual([true, true])
    const middle = storeOf(many)
    expect([(await middle.view()).spans.ids.length, middle.asked]).toEqual([
      6000,
      [['spans', 2001], ['totals'], ['spans', 50_000]],
    ])
    expect(middle.stopped()).toEqual([true, true, false])
    const preload = storeOf(many)
    expect([(await preload.view({ isPreload: true })).isSampled, preload.asked]).toEqual([true, [['spans', 2001]]])
    const large = storeOf(many)
    const view = await large.view({ max: 5500 })
    expect([view.isSampled, view.spanCount, view.spans.ids.length, view.projects[0]?.spans]).toEqual([
      true,
      6000,
      5000,
      6000,
    ])
    expect(large.asked.at(-1)).toEqual(['largest', 5000])
  })
})
