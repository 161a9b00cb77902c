import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { DetectionRecord } from '../domain/detectors/detection.ts'
import { changedDetectors, defaultDetectors, readDetectors } from '../domain/detectors/detectors.ts'
import type { CandidateRequest } from '../store/events/detector-store.ts'
import { type SpanChanges, spanRow } from '../store/events/traces/span-rows.cases.ts'
import type { Project } from '../store/meta/meta.ts'
import { createDetecting, limitsOf } from './detectors.ts'
import { jobTable } from './jobs.ts'

const ms = 1000
const item = 'SELECT * FROM items WHERE order_id = ?'
/** A request with a list and a query for each of `count` rows. */
function trace(n: number, count = 6) {
  const traceId = `abc${n}`.padEnd(32, '0')
  const span = (id: number, at: number, changes: SpanChanges) =>
    spanRow(id, {
      projectId: 1,
      traceId,
      startUs: at * ms,
      durationUs: 12 * ms,
      attributes: {},
      description: '',
      ...changes,
    })
  return [
    span(0, 0, {
      isSegment: true,
      parentId: '',
      op: 'http.server',
      category: 'http',
      statement: '',
      durationUs: 900 * ms,
    }),
    span(1, 1, { statement: 'SELECT id FROM orders' }),
    ...Array.from({ length: count }, (_, at) => span(at + 2, 14 + at * 13, { statement: item })),
  ]
}

function rig() {
  const clock = testClock()
  const state = {
    cursor: 1000,
    values: new Map<string, string>(),
    asked: [] as CandidateRequest[],
    rows: [trace(1)],
    total: undefined as number | undefined,
    known: [] as string[],
    appended: [] as DetectionRecord[],
    settings: [] as { projectId: number; detectors: typeof defaultDetectors }[],
    fails: false,
    /** Answers a query for these many traces with this error. */
    unreadable: undefined as { error: Error; from: number } | undefined,
    unanswered: undefined as Error | undefined,
    reads: [] as number[],
  }
  const create = () =>
    createDetecting({
      clock,
      meta: {
        batches: { cursor: async () => state.cursor },
        values: {
          getValue: async (name) => state.values.get(name),
          setValue: async (name, text) => void state.values.set(name, text),
        },
        projects: {
          projectById: async (id) => (id === 1 ? ({ id, organizationId: 3 } as Project) : undefined),
          listDetectorSettings: async () => state.settings,
        },
      },
      events: {
        detectorCandidates: async (request) => {
          state.asked.push(request)
          if (state.unanswered) throw state.unanswered
          const traces = state.rows.map((own) => ({
            projectId: own[0]?.projectId ?? 0,
            traceId: own[0]?.traceId ?? '',
            spans: own.length,
          }))
          return { traces, total: state.total ?? traces.length, receivedMs: 5 }
        },
        spansOfTraces: async (keys, _since, { each, max }) => {
          state.reads.push(keys.length)
          if (state.unreadable && keys.length >= state.unreadable.from) throw state.unreadable.error
          const ids = new Set(keys.map(({ traceId }) => traceId))
          return state.rows
            .filter(([row]) => ids.has(row?.traceId ?? ''))
            .flatMap((own) => own.slice(0, each))
            .slice(0, max)
        },
        eventsAmong: async (_project, _hashes, ids) => ids.filter((id) => state.known.includes(id)),
      },
      append: async (project, body) => {
        if (state.fails) throw new Error('the journal is full')
        expect(project).toMatchObject({ id: 1, organizationId: 3 })
        state.appended.push(JSON.parse(body.toString()) as DetectionRecord)
        return 7
      },
    })
  return { clock, state, create }
}

const none = { traces: 0, skipped: 0, found: 0, skippedFindings: 0, skippedBytes: 0 }

/** Runs until what was committed at the first run is complete. */
async function runTwice({ clock, state, create }: ReturnType<typeof rig>, detecting = create()) {
  await detecting.begin()
  await detecting.run()
  state.cursor = 5000
  await detecting.run()
  clock.advance(10_000)
  return { detecting, result: await detecting.run() }
}

test('what was committed before the first start is not examined, and new traces only when they are complete', async () => {
  const own = rig()
  const { result } = await runTwice(own)
  expect(own.state.asked).toHaveLength(1)
  expect(own.state.asked[0]).toMatchObject({ sinceJpos: 1000, fromJpos: 1000, toJpos: 5000, max: 400 })
  expect(result).toEqual({ ...none, traces: 1, found: 1 })
  expect(own.state.appended).toMatchObject([
    {
      platform: 'node',
      release: 'api@1',
      detection: { detector: 'nPlusOneQueries', cause: item, route: '/cart/[id]', count: 6, totalUs: 72_000 },
    },
  ])
})

test('a trace that is found again has the same event, which is not appended when it is stored', async () => {
  const own = rig()
  await runTwice(own)
  own.state.values.set('detectors_cursor', JSON.stringify({ from: 1000, to: 1000 }))
  await runTwice(own)
  const [first, second] = own.state.appended
  expect(second?.eventId).toBe(first?.eventId)
  own.state.known.push(first?.eventId ?? '')
  own.state.values.set('detectors_cursor', JSON.stringify({ from: 1000, to: 1000 }))
  expect((await runTwice(own)).result).toMatchObject({ traces: 1, found: 0 })
  expect(own.state.appended).toHaveLength(2)
})

test('two traces with one cause are two events of one group; another statement is another group', async () => {
  const own = rig()
  own.state.rows = [
    trace(1),
    trace(2),
    trace(3).map((row) => ({ ...row, statement: row.statement.replace('items', 'parts') })),
  ]
  await runTwice(own)
  const [a, b, c] = own.state.appended
  expect(new Set([a?.eventId, b?.eventId, c?.eventId]).size).toBe(3)
  expect([a?.detection.cause === b?.detection.cause, a?.detection.cause === c?.detection.cause]).toEqual([true, false])
})

test('a journal that refuses leaves the cursor, and the next run takes the same traces', async () => {
  const own = rig()
  own.state.fails = true
  const detecting = own.create()
  await expect(runTwice(own, detecting)).rejects.toThrow('the journal is full')
  own.state.fails = false
  expect(await detecting.run()).toMatchObject({ found: 1 })
  expect(own.state.asked.map(({ fromJpos }) => fromJpos)).toEqual([1000, 1000])
})

test('traces that cannot be read together are read one by one, and one that cannot be read is skipped', async () => {
  const own = rig()
  own.state.rows = [trace(1), trace(2)]
  own.state.unreadable = { error: new Error('Result over the limit'), from: 2 }
  expect((await runTwice(own)).result).toEqual({ ...none, traces: 2, found: 2 })
  const worse = rig()
  worse.state.unreadable = { error: new MishapError('QUERY_TIMEOUT'), from: 1 }
  const { detecting, result } = await runTwice(worse)
  expect(result).toEqual({ ...none, skipped: 1 })
  expect(await detecting.run()).toEqual(none)
})

test('an engine that is away leaves the cursor', async () => {
  const own = rig()
  own.state.unreadable = { error: new MishapError('STORE_UNAVAILABLE'), from: 1 }
  const detecting = own.create()
  await expect(runTwice(own, detecting)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  own.state.unreadable = undefined
  expect(await detecting.run()).toEqual({ ...none, traces: 1, found: 1 })
})

test('a step that the engine refuses three times is left out and counted', async () => {
  const own = rig()
  own.state.unanswered = new MishapError('QUERY_TIMEOUT')
  const detecting = own.create()
  await expect(runTwice(own, detecting)).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' })
  await expect(detecting.run()).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' })
  expect(await detecting.run()).toEqual({ ...none, skippedBytes: 4000 })
  expect(await detecting.run()).toEqual(none)
})

test('large traces are read in several answers', async () => {
  const own = rig()
  own.state.rows = [1, 2, 3, 4, 5].map((n) => trace(n, 4000))
  await runTwice(own)
  expect(own.state.reads).toEqual([2, 2, 1])
})

test('a run that is far behind leaves out the oldest part, and no query reads without an end', async () => {
  const own = rig()
  const detecting = own.create()
  await detecting.begin()
  await detecting.run()
  const [step, reach] = [64 * 2 ** 20, 20 * 64 * 2 ** 20]
  own.state.cursor = 1000 + 7000 + reach
  own.state.rows = []
  await detecting.run()
  own.clock.advance(10_000)
  expect(await detecting.run()).toMatchObject({ skippedBytes: 7000 })
  expect(own.state.asked).toHaveLength(20)
  expect(own.state.asked[0]).toMatchObject({ sinceJpos: 8000, fromJpos: 8000, untilJpos: 8000 + 2 * step })
})

test('a trace with thousands of causes makes ten events, and a project 500 causes in an hour', async () => {
  const slow = (n: number, count: number) =>
    trace(n, count).map((row, at) =>
      row.isSegment ? row : { ...row, durationUs: 600 * ms + at, statement: `SELECT a FROM t${n}_${at}` },
    )
  const own = rig()
  own.state.rows = [slow(1, 3999)]
  expect((await runTwice(own)).result).toEqual({ ...none, traces: 1, found: 10, skippedFindings: 3990 })
  expect(own.state.appended.map(({ detection }) => detection.totalUs).sort()[0]).toBe(600 * ms + 3991)
  const many = rig()
  many.state.rows = Array.from({ length: 60 }, (_, n) => slow(n + 100, 9))
  const { detecting, result } = await runTwice(many)
  expect(result).toEqual({ ...none, traces: 60, found: 500, skippedFindings: 100 })
  many.state.values.set('detectors_cursor', JSON.stringify({ from: 1000, to: 1000 }))
  many.state.rows = [slow(77, 9)]
  expect(await detecting.run()).toMatchObject({ found: 0, skippedFindings: 10 })
  many.state.values.set('detectors_cursor', JSON.stringify({ from: 1000, to: 1000 }))
  many.clock.advance(3_600_000)
  expect(await detecting.run()).toMatchObject({ found: 10, skippedFindings: 0 })
})

test('a flood is examined in part, and the rest is counted', async () => {
  const own = rig()
  own.state.total = 900
  expect((await runTwice(own)).result).toEqual({ ...none, traces: 1, skipped: 899, found: 1 })
})

test('a long way is gone in steps, each counted with the spans of the step before', async () => {
  const own = rig()
  const detecting = own.create()
  await detecting.begin()
  await detecting.run()
  own.state.cursor = 1000 + 150 * 2 ** 20
  own.state.rows = []
  await detecting.run()
  own.clock.advance(10_000)
  await detecting.run()
  const step = 64 * 2 ** 20
  expect(own.state.asked.map(({ sinceJpos, fromJpos, toJpos }) => [sinceJpos, fromJpos, toJpos])).toEqual([
    [1000, 1000, 1000 + step],
    [1000, 1000 + step, 1000 + 2 * step],
    [1000 + step, 1000 + 2 * step, 1000 + 150 * 2 ** 20],
  ])
})

test('settings of a project apply, and a deleted project gets no event', async () => {
  const own = rig()
  const off = readDetectors(changedDetectors('{}', { nPlusOneQueries: { active: false } }))
  own.state.settings = [{ projectId: 1, detectors: off }]
  expect((await runTwice(own)).result).toMatchObject({ found: 0 })
  const gone = rig()
  gone.state.rows = [trace(1).map((row) => ({ ...row, projectId: 2 }))]
  expect((await runTwice(gone)).result).toMatchObject({ traces: 1, found: 0 })
})

test('the search is as wide as the most eager project needs', () => {
  const eager = readDetectors(changedDetectors('{}', { slowQueries: { thresholds: { durationMs: 100 } } }))
  expect(limitsOf([defaultDetectors, eager]).statementUs).toBe(100_000)
  const off = readDetectors(changedDetectors('{}', { slowQueries: { active: false } }))
  expect(limitsOf([off]).statementUs).toBeGreaterThan(1e12)
})

test('it runs by the clock', () => {
  expect(jobTable.find(({ name }) => name === 'detectors')).toMatchObject({ everyMs: 5000 })
})
