// Searches over spans: the same questions among one million and ten million of them. Rows are made in the engine.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { createEventStore } from '../src/store/events/clickhouse.ts'
import { connect } from '../src/store/events/connection.ts'
import type { EventStore } from '../src/store/events/event-store.ts'
import type { SpanValue } from '../src/store/events/span-search.ts'
import { percentile } from './load.ts'
import type { Row } from './measure.ts'

const dayMs = 86_400_000
const days = 7
const asks = 20
const goalMs = 300
const growthMax = 2.5
const memoryBytes = 600 * 2 ** 20
/** Spans by project. */
const sizes = [1_000_000, 10_000_000]
const endMs = Date.UTC(2026, 10, 23)

async function startEngine(folder: string): Promise<{ child: ChildProcess; socketPath: string }> {
  const socketPath = join(folder, 'engine.sock')
  const entry = join(import.meta.dirname, '../src/processes/engine.ts')
  const words = ['--max-http-header-size=4194304', entry, join(folder, 'data'), socketPath, String(memoryBytes)]
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { NODE_ENV: 'test', UV_THREADPOOL_SIZE: '32' },
  })
  await once(child, 'message')
  return { child, socketPath }
}

/** Requests of 20 spans each, spread evenly over a quarter of a day. */
const rowsOf = (project: number, count: number, fromS: number, jpos: number): string => `INSERT INTO bench.spans
  (project_id, trace_id, span_id, parent_id, segment_id, is_segment, item, transaction, op, description, start, duration,
   self_time, status, platform, release, environment, user_hash, received, jpos, place, route, category, weight, failed,
   tags, numbers)
  SELECT ${project}, unhex(hex(sipHash128(intDiv(number, 20), ${jpos}))), cityHash64(number, ${jpos}),
    if(number % 20 = 0, 0, cityHash64(intDiv(number, 20) * 20, ${jpos})), cityHash64(intDiv(number, 20) * 20, ${jpos}),
    number % 20 = 0, 'span', concat('GET /route/', toString(intDiv(number, 20) % 40)),
    if(number % 20 = 0, 'http.server', ['db', 'db.query', 'cache.get', 'http.client', 'resource.script'][1 + number % 5]),
    concat('SELECT * FROM t', toString(number % 50), ' WHERE id = ', toString(number)),
    toDateTime64(${fromS}, 6, 'UTC') + toIntervalMicrosecond(toUInt64(number * ${21_600e6 / count})),
    toUInt64(exp(6 + rand(1) % 700 / 100)), -1, if(rand(2) % 50 = 0, 'internal_error', 'ok'), 'node',
    concat('web@1.0.', toString(${project})), if(rand(3) % 10 = 0, 'staging', 'production'), rand(4) % 5000,
    toDateTime64(${fromS}, 3, 'UTC') + toIntervalMillisecond(toUInt64(number * ${21_600e3 / count})),
    ${jpos} + number, 0, concat('/route/', toString(intDiv(number, 20) % 40)),
    if(number % 20 = 0, 'http', ['db', 'db', 'cache', 'http', 'resource'][1 + number % 5]), 10, rand(2) % 50 = 0,
    map('db.system', 'postgresql', 'server.address', concat('db-', toString(number % 8)), 'url.path', concat('/route/', toString(number))),
    map('thread.id', toFloat64(number % 16))
  FROM numbers(${count}) SETTINGS max_partitions_per_insert_block = 0, max_threads = 1`

async function fill(socketPath: string): Promise<void> {
  const connection = connect({ url: 'http://localhost', socketPath, database: 'bench', clock: systemClock })
  for (const [at, total] of sizes.entries())
    for (let part = 0; part < days * 4; part++) {
      const fromS = endMs / 1000 - days * 86_400 + part * 21_600
      const jpos = (at + 1) * 1e12 + part * 1e9
      await connection.command(rowsOf(at + 1, Math.floor(total / days / 4), fromS, jpos), {}, { seconds: 300 })
    }
  await connection.close()
}

const duration: SpanValue = { of: 'number', column: 'duration' }
const op: SpanValue = { of: 'text', column: 'op' }
const isDb = { op: 'match', value: op, match: 'is', text: 'db' } as const
const list = { values: [{ of: 'id', column: 'span' }, duration, op] as SpanValue[], max: 100, offset: 0 }
const groups = { withCut: false, having: [], max: 50, offset: 0 } as const

/** The questions, each with the most spans that it reads (src/query/span-events.ts). */
const questions: readonly [
  what: string,
  spansMax: number,
  ask: (store: EventStore, scope: Scope) => Promise<unknown>,
][] = [
  [
    'newest 100 spans by op',
    Number.POSITIVE_INFINITY,
    (store, scope) => store.spanRows({ scope, filter: isDb, ...list, order: [] }),
  ],
  [
    'slowest 100 spans by op',
    2_000_000,
    (store, scope) => store.spanRows({ scope, filter: isDb, ...list, order: [{ at: 1, descending: true }] }),
  ],
  [
    'facets of five columns',
    2_000_000,
    (store, scope) =>
      store.spanFacets({
        scope,
        filter: isDb,
        columns: ['op', 'category', 'status', 'environment', 'release'],
        max: 6,
      }),
  ],
  [
    'facets of attributes',
    2_000_000,
    (store, scope) => store.attributeFacets({ scope, filter: isDb, keys: 6, max: 6 }),
  ],
  ['distribution of durations', 2_000_000, (store, scope) => store.durationHistogram({ scope, filter: isDb })],
  [
    'count over time',
    2_000_000,
    (store, scope) =>
      store.spanSeries({
        scope,
        filter: isDb,
        withCut: true,
        values: [],
        only: [],
        aggregates: [{ fn: 'count' }],
        bucketMs: 10_800_000,
      }),
  ],
  [
    'p75 by transaction',
    2_000_000,
    (store, scope) =>
      store.spanGroups({
        scope,
        filter: { op: 'compare', value: { of: 'flag', column: 'isSegment' }, compare: '=', number: 1 },
        ...groups,
        values: [{ of: 'text', column: 'transaction' }],
        aggregates: [{ fn: 'percentile', level: 0.75, of: duration }],
        order: [{ at: 1, descending: true }],
      }),
  ],
]
type Scope = Parameters<EventStore['newestSpans']>[0]

async function measured(store: EventStore, projectId: number, at: number): Promise<number> {
  const [, spansMax, ask] = questions[at] ?? []
  const scope = { projectIds: [projectId], environments: [], fromMs: endMs - days * dayMs, toMs: endMs }
  const times: number[] = []
  for (let n = 0; n < asks; n++) {
    const began = performance.now()
    // A part of the question: the range is narrowed first.
    const { fromMs } = Number.isFinite(spansMax) ? await store.newestSpans(scope, spansMax ?? 0) : scope
    await ask?.(store, { ...scope, fromMs })
    if (n > 0) times.push(performance.now() - began)
  }
  return percentile(times, 0.95)
}

/** Rows for searches over one million and ten million spans. The client is local. */
export async function benchSpanSearch(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-span-search-'))
  const { child, socketPath } = await startEngine(folder)
  const store = createEventStore({
    url: 'http://localhost',
    socketPath,
    database: 'bench',
    observe: silent,
    clock: systemClock,
  })
  try {
    await store.migrate()
    await fill(socketPath)
    const rows: Row[] = []
    for (const [at, [what]] of questions.entries()) {
      const [small = 0, large = 0] = [await measured(store, 1, at), await measured(store, 2, at)]
      rows.push({
        what: `${what} among 10 million spans, and growth from 1 million`,
        goal: `p95 at most ${goalMs} ms and ${growthMax}x`,
        result: `p95 ${Math.round(large)} ms, ${(large / small).toFixed(1)}x of ${Math.round(small)} ms`,
        met: large <= goalMs && large / small <= growthMax,
      })
    }
    return rows
  } finally {
    await store.close()
    child.kill('SIGTERM')
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}
