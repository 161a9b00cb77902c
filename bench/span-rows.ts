// Ten million spans and one million for benches of their searches and pages. Rows are made in the engine.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { createEventStore } from '../src/store/events/clickhouse.ts'
import { connect } from '../src/store/events/connection.ts'
import { startTestEngine } from '../src/store/events/engine.cases.ts'
import type { EventStore } from '../src/store/events/event-store.ts'

const memoryBytes = 600 * 2 ** 20
/** Spans by project: the first is project 1. */
export const spanCounts = [1_000_000, 10_000_000]
export const spanDays = 7
export const spansEndMs = Date.UTC(2026, 10, 23)
export const routesMax = 40
const day = 86_400

/** Starts an engine with its data in this folder. */
export async function startEngine(folder: string): Promise<{ child: ChildProcess; socketPath: string }> {
  const socketPath = join(folder, 'engine.sock')
  const child = await startTestEngine(join(folder, 'data'), socketPath, memoryBytes)
  return { child, socketPath }
}

const agents = [
  'Chrome/140.0.0.0',
  'Chrome/140.0.0.0 Mobile',
  'Firefox/141.0',
  'Edg/140.0',
  'Version/18.0 Safari/605.1',
]
/** Requests of 20 spans each, spread evenly over a quarter of a day. Every fourth is a page load in a browser. */
const rowsOf = (project: number, count: number, fromS: number, jpos: number): string => {
  const request = 'intDiv(number, 20)'
  const isSegment = 'number % 20 = 0'
  const isLoad = `${request} % 4 = 3`
  const agent = `arrayElement([${agents.map((a) => `'Mozilla/5.0 (X11) ${a}'`).join(', ')}], 1 + ${request} % 7 % ${agents.length})`
  return `INSERT INTO bench.spans
  (project_id, trace_id, span_id, parent_id, segment_id, is_segment, item, transaction, op, description, start, duration,
   self_time, status, platform, release, environment, user_hash, received, jpos, place, route, category, statement, weight, failed,
   tags, numbers, measurements)
  SELECT ${project}, unhex(hex(sipHash128(${request}, ${jpos}))), cityHash64(number, ${jpos}),
    if(${isSegment}, 0, cityHash64(${request} * 20, ${jpos})), cityHash64(${request} * 20, ${jpos}),
    ${isSegment}, 'span', concat('GET /route/', toString(${request} % ${routesMax})),
    if(${isSegment}, if(${isLoad}, 'pageload', 'http.server'), ['db', 'db.query', 'cache.get', 'http.client', 'resource.script'][1 + number % 5]),
    concat('SELECT * FROM t', toString(number % 50), ' WHERE id = ', toString(number)),
    toDateTime64(${fromS}, 6, 'UTC') + toIntervalMicrosecond(toUInt64(number * ${21_600e6 / count})),
    toUInt64(exp(6 + rand(1) % 700 / 100)), -1, if(rand(2) % 50 = 0, 'internal_error', 'ok'), 'node',
    concat('web@1.0.', toString(intDiv(${fromS}, 86400) % 100)), if(rand(3) % 10 = 0, 'staging', 'production'), rand(4) % 5000,
    toDateTime64(${fromS}, 3, 'UTC') + toIntervalMillisecond(toUInt64(number * ${21_600e3 / count})),
    ${jpos} + number, 0, concat('/route/', toString(${request} % ${routesMax})),
    if(${isSegment}, 'http', ['db', 'db', 'cache', 'http', 'resource'][1 + number % 5]),
    if(${isSegment} OR number % 5 > 1, '', concat('SELECT * FROM t', toString(number % 50), ' WHERE id = ?')), 10, rand(2) % 50 = 0,
    if(${isSegment} AND ${isLoad}, map('user_agent.original', ${agent}, 'browser.web_vital.lcp.element', concat('img.a', toString(${request} % 9)), 'url.path', concat('/route/', toString(number))),
      map('db.system', 'postgresql', 'server.address', concat('db-', toString(number % 8)), 'url.path', concat('/route/', toString(number)), 'customer.id', toString(cityHash64(number) % 20000))),
    map('thread.id', toFloat64(number % 16)),
    if(${isSegment} AND ${isLoad}, map('lcp', exp(6 + rand(5) % 250 / 100), 'fcp', exp(5 + rand(6) % 250 / 100), 'ttfb', exp(4 + rand(7) % 250 / 100)), map())
  FROM numbers(${count}) SETTINGS max_partitions_per_insert_block = 0, max_threads = 1`
}

async function fill(socketPath: string, counts: readonly number[]): Promise<void> {
  const connection = connect({ url: 'http://localhost', socketPath, database: 'bench', clock: systemClock })
  for (const [at, total] of counts.entries())
    for (let part = 0; part < spanDays * 4; part++) {
      const fromS = spansEndMs / 1000 - spanDays * day + part * 21_600
      const jpos = (at + 1) * 1e12 + part * 1e9
      await connection.command(rowsOf(at + 1, Math.floor(total / spanDays / 4), fromS, jpos), {}, { seconds: 300 })
    }
  await connection.close()
}

/** Log lines of the same projects, as many as spans. Their words are not indexed: no group asks for them. */
const logRowsOf = (project: number, count: number, fromS: number, jpos: number): string => `INSERT INTO bench.logs
  (project_id, time, trace_id, severity, level, body, service, host, logger, environment, release, platform, tags, numbers,
   weight, received, jpos, place)
  SELECT ${project}, toDateTime64(${fromS}, 6, 'UTC') + toIntervalMicrosecond(toUInt64(number * ${21_600e6 / count})),
    unhex(hex(sipHash128(intDiv(number, 10), ${jpos}))), [9, 9, 9, 5, 13, 17][1 + rand(1) % 6],
    ['info', 'info', 'info', 'debug', 'warning', 'error'][1 + rand(1) % 6], concat('request ', toString(number), ' handled'),
    concat('service-', toString(rand(2) % 20)), concat('host-', toString(rand(3) % 50)), 'app', 'production', 'web@1.0.1', 'node',
    map('plan', ['free', 'pro'][1 + number % 2]), map('latency', exp(rand(4) % 700 / 100)), 1,
    toDateTime64(${fromS}, 3, 'UTC') + toIntervalMillisecond(toUInt64(number * ${21_600e3 / count})), ${jpos} + number, 0
  FROM numbers(${count}) SETTINGS max_partitions_per_insert_block = 0, max_threads = 1, materialize_skip_indexes_on_insert = 0`

/** Adds log lines to such a store. */
export async function fillLogs(socketPath: string): Promise<void> {
  const connection = connect({ url: 'http://localhost', socketPath, database: 'bench', clock: systemClock })
  await connection.command('SYSTEM STOP MERGES bench.logs')
  for (const [at, total] of spanCounts.entries())
    for (let part = 0; part < spanDays * 4; part++) {
      const fromS = spansEndMs / 1000 - spanDays * day + part * 21_600
      const jpos = (at + 1) * 1e12 + part * 1e9
      await connection.command(logRowsOf(at + 1, Math.floor(total / spanDays / 4), fromS, jpos), {}, { seconds: 300 })
    }
  await connection.close()
}

/** Runs a bench on a store with so many spans by project. The client is local. */
export async function withSpans<T>(
  run: (store: EventStore, socketPath: string) => Promise<T>,
  counts: readonly number[] = spanCounts,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-span-bench-'))
  const { child, socketPath } = await startEngine(folder)
  const clock = { ...systemClock, now: () => spansEndMs }
  const store = createEventStore({ url: 'http://localhost', socketPath, database: 'bench', observe: silent, clock })
  try {
    await store.migrate()
    await fill(socketPath, counts)
    return await run(store, socketPath)
  } finally {
    await store.close()
    child.kill('SIGTERM')
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}
