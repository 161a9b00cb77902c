import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../api/app.cases.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import type { SpanRow } from '../store/events/span-store.ts'
import { tableSizes } from '../store/events/tables.cases.ts'
import { encodeSpanRow } from '../store/events/traces/encode-span.ts'
import { spanRow } from '../store/events/traces/span-rows.cases.ts'
import type { DiskState } from './disk.ts'
import { createLock } from './lock.ts'
import { createTraceDownsampling, type TraceDownsamplingDeps } from './trace-downsampling.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const traceCount = 120
const budget = 1000
const today = Math.floor(systemClock.now() / dayMs) * dayMs
const dayOf = (ago: number) => new Date(today - ago * dayMs).toISOString().slice(0, 10)
const traceOf = (n: number) =>
  (BigInt(n + 1) * 0x9e3779b97f4a7c15f39cc0605cedc835n).toString(16).slice(-32).padStart(32, '1')
const traces = Array.from({ length: traceCount }, (_, n) => traceOf(n))
/** Above every row of these tests. */
const cursor = 500_000_000

/** Time in which waiting takes none. */
const quick: Clock = { ...systemClock, sleep: async () => undefined }
const later: Clock = { ...quick, now: () => systemClock.now() + 20 * 60_000 }

const writes = {
  events: ['chooseTraces', 'buildDay', 'replaceDay', 'removeBeforeStep', 'copySegments', 'forgetTraces'],
  meta: ['planTraceStep', 'countTraceStep', 'setTraceStep', 'dropTraceStep', 'endDownsampleRun'],
} as const

/** Kills the process at the write number `at`: before it, or after it before its answer. Later calls fail too. */
function killedAt(at: number, when: 'before' | 'after', calls: string[]) {
  const state = { isDead: false }
  const die = () => {
    state.isDead = true
    throw new Error('killed')
  }
  return <Store extends object>(store: Store, names: readonly string[]): Store =>
    new Proxy(store, {
      get(target, name: string) {
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function') return value
        return async (...given: unknown[]) => {
          if (state.isDead) die()
          const isWrite = names.includes(name)
          if (isWrite) calls.push(name)
          const isMark = isWrite && calls.length === at
          if (isMark && when === 'before') die()
          const answer: unknown = await Reflect.apply(value, target, given)
          return isMark ? die() : answer
        }
      },
    })
}

/** Passes the writes of these deps through a kill. */
const wrapped = (deps: TraceDownsamplingDeps, wrap: ReturnType<typeof killedAt>): TraceDownsamplingDeps => ({
  ...deps,
  events: wrap(deps.events, writes.events),
  meta: { ...deps.meta, retention: wrap(deps.meta.retention, writes.meta) },
})

const state: { world?: TestApp } = {}
const world = (): TestApp => {
  if (!state.world) throw new Error('not started')
  return state.world
}
beforeAll(async () => {
  state.world = await openTestApp()
})
afterAll(() => state.world?.close())

async function insertDay(ago: number, token = `spans:day-${ago}`): Promise<void> {
  const receivedMs = today - ago * dayMs + 5 * hourMs
  const rows = Array.from({ length: traceCount }, (_, n): SpanRow[] => {
    const base = {
      projectId: world().project.id,
      traceId: traceOf(n),
      startUs: (receivedMs - (n % 3) * hourMs) * 1000,
      receivedMs,
      route: n % 2 ? '/cart' : '/',
      durationUs: 1000 + n,
      failed: n === 33,
      release: '',
      weight: 2,
      jpos: ago * 1000 + n,
      item: 'span' as const,
    }
    const id = (place: number) => (0xabc000 + n * 2 + place).toString(16).padStart(16, '0')
    return [
      spanRow(0, { ...base, spanId: id(0), place: 0, isSegment: true, statement: '' }),
      spanRow(1, { ...base, spanId: id(1), place: 1, failed: false, statement: 'SELECT ?' }),
    ]
  })
  await world().app.events.insert('spans', Buffer.from(rows.flat().map(encodeSpanRow).join('')), token)
}

const overBudget = (stored: number): DiskState => ({
  tables: tableSizes({ spans: { rows: 1, bytes: 1 } }),
  blobs: 0,
  database: 0,
  copies: 0,
  stored,
  budget,
})

/** The deps of one day. A step brings the stored bytes below the budget. */
function depsOf(ago: number, change: Partial<TraceDownsamplingDeps> = {}): TraceDownsamplingDeps {
  const { meta, events } = world().app
  return {
    clock: quick,
    observe: silent,
    meta: { ...meta, batches: { ...meta.batches, cursor: async () => cursor } },
    events: { ...events, spanDays: async () => [dayOf(ago)], replacedBytes: async () => 0 },
    lock: createLock(),
    pause: async () => () => undefined,
    measure: async () => overBudget(0),
    ...change,
  }
}
const create = (deps: TraceDownsamplingDeps) => createTraceDownsampling(deps, new AbortController().signal)
const run = (deps: TraceDownsamplingDeps) => create(deps).run(overBudget(budget + 1), budget)
const levelOf = async (ago: number) =>
  (await world().app.meta.retention.downsampledDays()).find(({ day }) => day === dayOf(ago))
const thinned = async () =>
  (await world().app.meta.ledger.outcomeSums({ fromMs: 0 })).find(({ outcome }) => outcome === 'thinned')?.quantity ?? 0

/** What is left of a day: the numbers of its traces, and the sums of the weights. One statement reads all traces. */
async function leftOf(ago: number) {
  const projectIds = [world().project.id]
  const [fromMs, toMs] = [today - ago * dayMs, today - (ago - 1) * dayMs]
  const rows = await world().app.events.listRows({
    from: 'spans',
    scope: { projectIds, environments: [], fromMs, toMs },
    filter: undefined,
    values: [
      { of: 'id', column: 'trace' },
      { of: 'flag', column: 'isSegment' },
      { of: 'number', column: 'weight' },
    ],
    order: [],
    max: 10 * traceCount,
    offset: 0,
  })
  const spans = rows.flatMap(([trace, isSegment, weight]) => {
    const n = traces.indexOf(String(trace))
    return n < 0 ? [] : [{ n, isSegment: Boolean(isSegment), weight: Number(weight) }]
  })
  const sum = (isSegment: boolean) =>
    Math.round(spans.reduce((total, span) => total + (span.isSegment === isSegment ? span.weight : 0), 0) * 1000) / 1000
  const found = new Set(spans.map(({ n }) => n))
  return { traces: [...found].sort((a, b) => a - b), sums: [sum(true), sum(false)] }
}

const uninterrupted: { calls: string[]; left: Awaited<ReturnType<typeof leftOf>>; removed: number } = {
  calls: [],
  left: { traces: [], sums: [] },
  removed: 0,
}

test('a step removes about half of the traces, counts them, keeps sums, and is verified later', async () => {
  await insertDay(4)
  const before = await leftOf(4)
  const deps = depsOf(4)
  const watched = wrapped(deps, killedAt(0, 'before', uninterrupted.calls))
  const { spans, waits } = await run(watched)
  const left = await leftOf(4)
  Object.assign(uninterrupted, { left, removed: spans })
  expect(spans).toBe((traceCount - left.traces.length) * 2)
  expect(left.traces.length).toBeGreaterThan(traceCount * 0.4)
  expect(left.traces.length).toBeLessThan(traceCount * 0.7)
  expect(left.traces).toEqual(expect.arrayContaining([33, 119, 118, 117]))
  expect([waits, left.sums, before.sums]).toEqual([false, [240, 240], [240, 240]])
  expect([await levelOf(4), await thinned()]).toEqual([{ day: dayOf(4), level: 1, spans }, spans])
  expect((await world().app.meta.retention.downsampleRuns(1))[0]).toMatchObject({ spans, events: 0, reached: true })
  expect((await world().app.meta.retention.traceSteps()).map(({ stage }) => stage)).toEqual(['cut'])
  await create(deps).check()
  expect((await world().app.meta.retention.traceSteps()).map(({ stage }) => stage)).toEqual(['cut'])
  await create({ ...deps, clock: later }).check()
  expect(await world().app.meta.retention.traceSteps()).toEqual([])
  const { span_hour, span_day, segments } = (await world().app.events.check()).rollups
  expect([span_hour, span_day, segments]).toEqual([0, 0, 0])
})

test('a kill at any write ends in the same traces, weights and counts', { timeout: 120_000 }, async () => {
  const { calls, left, removed } = uninterrupted
  expect(calls).toEqual([
    'planTraceStep',
    'chooseTraces',
    'buildDay',
    'countTraceStep',
    'replaceDay',
    'setTraceStep',
    'endDownsampleRun',
  ])
  let [ago, days] = [7, 1]
  for (let at = 1; at <= calls.length; at++)
    for (const when of ['before', 'after'] as const) {
      await insertDay(ago)
      const deps = depsOf(ago)
      const dying = wrapped(deps, killedAt(at, when, []))
      await expect(run(dying), `${calls[at - 1]} ${when}`).rejects.toThrow('killed')
      const open = (await world().app.meta.retention.traceSteps()).filter(({ stage }) => stage === 'counted')
      const rollups = (
        await world().app.events.check(
          undefined,
          undefined,
          open.map(({ day }) => day),
        )
      ).rollups
      const differing = () => ['span_hour', 'span_day', 'segments'].map((name) => rollups[name])
      expect([calls[at - 1], when, ...differing()]).toEqual([calls[at - 1], when, 0, 0, 0])
      await create(deps).resume()
      if ((await levelOf(ago)) === undefined) await run(deps)
      days++
      expect([calls[at - 1], when, await leftOf(ago)]).toEqual([calls[at - 1], when, left])
      expect([await levelOf(ago), await thinned()]).toEqual([
        { day: dayOf(ago), level: 1, spans: removed },
        removed * days,
      ])
      ago += 3
    }
  await create({ ...depsOf(4), clock: later }).check()
  expect(await world().app.meta.retention.traceSteps()).toEqual([])
})

test('levels follow each other; then nothing is left to downsample, and recent days are never touched', async () => {
  const ago = 100
  await insertDay(ago)
  await insertDay(0)
  await insertDay(1)
  const still = depsOf(ago, { measure: async () => overBudget(budget + 1) })
  const deps = { ...still, events: { ...still.events, spanDays: async () => [dayOf(ago), dayOf(1), dayOf(0)] } }
  const { spans } = await run(deps)
  const left = await leftOf(ago)
  expect([(await levelOf(ago))?.level, left.sums]).toEqual([4, [240, 240]])
  expect(spans).toBe((traceCount - left.traces.length) * 2)
  // Six routes and hours: the slowest and one more of each at most, and the failed one.
  expect(left.traces.length).toBeLessThanOrEqual(6 * 3 + 1)
  expect(await run(deps)).toMatchObject({ spans: 0, waits: false })
  expect([await levelOf(0), await levelOf(1)]).toEqual([undefined, undefined])
})

test('a day whose spans still arrive, or an open batch, is left for later; replaced parts are waited for', async () => {
  const ago = 110
  await insertDay(ago)
  const deps = depsOf(ago)
  const early = {
    ...deps,
    meta: { ...deps.meta, batches: { ...deps.meta.batches, cursor: async () => ago * 1000 + 60 } },
  }
  const before = await leftOf(ago)
  expect((await run(early)).spans).toBe(0)
  const open = {
    ...deps,
    meta: { ...deps.meta, batches: { ...deps.meta.batches, openBatches: async () => [{ from: 1, to: 2 }] as never } },
  }
  expect((await run(open)).spans).toBe(0)
  const full = { ...deps, events: { ...deps.events, replacedBytes: async () => budget } }
  expect(await run(full)).toMatchObject({ spans: 0, waits: true })
  expect([await leftOf(ago), await levelOf(ago)]).toEqual([before, undefined])
  expect((await run(deps)).spans).toBe(uninterrupted.removed)
})

test('a day that a power cut restored is downsampled again, with the same result', async () => {
  const ago = 120
  await insertDay(ago)
  const deps = depsOf(ago)
  await run(deps)
  const left = await leftOf(ago)
  // The older parts instead of the new ones, as a power cut leaves them.
  await world().app.events.removeBefore('spans', [world().project.id], today - (ago - 1) * dayMs)
  await insertDay(ago, 'spans:restored')
  expect((await leftOf(ago)).traces).toHaveLength(traceCount)
  await create({ ...deps, clock: later }).check()
  expect(await leftOf(ago)).toEqual(left)
  const { span_hour, span_day, segments } = (await world().app.events.check()).rollups
  expect([span_hour, span_day, segments]).toEqual([0, 0, 0])
  await create({ ...deps, clock: later }).check()
  expect(await world().app.meta.retention.traceSteps()).toEqual([])
})

test('a day that cannot be built, or replaced, stops neither another day nor the disk budget', async () => {
  for (const ago of [133, 136]) await insertDay(ago)
  const deps = depsOf(133, { measure: async () => overBudget(budget + 1) })
  const failing = (name: 'buildDay' | 'replaceDay', ago: number): TraceDownsamplingDeps => ({
    ...deps,
    events: {
      ...deps.events,
      spanDays: async () => [dayOf(136), dayOf(133)],
      // The code of an exceeded memory limit: an outage for whoever waits, and it comes again.
      [name]: async (cut: { day: string; step: number; before: number; level: number }) => {
        if (cut.day === dayOf(ago)) throw new MishapError('QUERY_TIMEOUT')
        return name === 'buildDay' ? deps.events.buildDay(cut) : deps.events.replaceDay(cut)
      },
    },
  })
  const levels = async () => Promise.all([136, 133].map(async (ago) => (await levelOf(ago))?.level))
  const before = await leftOf(136)
  expect((await run(failing('buildDay', 136))).spans).toBeGreaterThan(0)
  expect([await levels(), await leftOf(136)]).toEqual([[undefined, 4], before])
  const unverified = async () => (await world().app.meta.retention.traceSteps()).filter(({ stage }) => stage !== 'cut')
  expect(await unverified()).toEqual([])
  const stuck = failing('replaceDay', 136)
  expect(await run(stuck)).toMatchObject({ waits: false })
  expect((await unverified()).map(({ day, stage, level }) => [day, stage, level])).toEqual([[dayOf(136), 'counted', 1]])
  // Neither a start nor a run waits for it, and the day gets no second step.
  await create(stuck).resume()
  await create(stuck).check()
  await run(stuck)
  expect(await levels()).toEqual([1, 4])
  await create(deps).check()
  expect([await unverified(), await leftOf(136)]).toEqual([[], uninterrupted.left])
  await create({ ...deps, clock: later }).check()
})

test('a repeated step keeps spans that came after it, with their segments', async () => {
  const ago = 140
  await insertDay(ago)
  const deps = depsOf(ago)
  const stuck = {
    ...deps,
    events: {
      ...deps.events,
      replaceDay: async () => {
        throw new Error('no')
      },
    },
  }
  await run(stuck)
  // A replayed dead letter: it arrived that day, and has a later position.
  const late = spanRow(0, {
    projectId: world().project.id,
    traceId: 'c'.repeat(32),
    receivedMs: today - ago * dayMs + hourMs,
    startUs: (today - ago * dayMs) * 1000,
    isSegment: true,
    jpos: cursor + 1,
  })
  await world().app.events.insert('spans', Buffer.from(encodeSpanRow(late)), 'spans:late')
  await create(deps).resume()
  const spans = await world().app.events.spansOfTrace([world().project.id], late.traceId, 10)
  expect(spans.map(({ weight }) => weight)).toEqual([late.weight])
  expect((await leftOf(ago)).traces).toEqual(uninterrupted.left.traces)
  const { span_hour, span_day, segments } = (await world().app.events.check()).rollups
  expect([span_hour, span_day, segments]).toEqual([0, 0, 0])
})
