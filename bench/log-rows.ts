// Log lines of 24 hours for the benches of search. Rows are made in the engine.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { createEventStore } from '../src/store/events/clickhouse.ts'
import { type Connection, connect } from '../src/store/events/connection.ts'
import type { EventStore } from '../src/store/events/event-store.ts'
import { tails, things, verbs } from './log-load.ts'
import { startEngine } from './span-rows.ts'

/** Lines by project: the first is project 1. */
export const logCounts = [1_000_000, 10_000_000]
export const logsEndMs = Date.UTC(2026, 10, 23)
export const logDayMs = 86_400_000
/** A word in one of 100,000 lines. */
export const rareWord = 'quarantined'
const parts = 24

const list = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`
const pick = (texts: readonly string[], number: string) =>
  `arrayElement(${list(texts)}, 1 + ${number} % ${texts.length})`

/** Lines of about 200 bytes with 12 attributes: 320 shapes, traces of 8 lines, a JSON body in one of 50. */
const rowsSql = (table: string, project: number, count: number, fromS: number, jpos: number): string => {
  const request = 'intDiv(number, 8)'
  const shape = `cityHash64(number, ${jpos}) % 320`
  const isJson = 'number % 50 = 7'
  const [sign, order] = ['char(26)', `toString(${request} % 100000)`]
  // The parts between the values, and the values, as `splitText` finds them.
  const texts = `[concat(${pick(things, shape)}, ' '), concat(' ', ${pick(verbs, `intDiv(${shape}, 8)`)}, if(rand(6) % 100000 = 0, ' ${rareWord}', ''), ' in '),
    ' ms, attempt ', concat(', ', ${pick(tails, `intDiv(${shape}, 80)`)}, ', region '), ', node ', '']`
  const values = `[toString(cityHash64(${request}, 5) % 100000), toString(rand(1) % 2000), toString(1 + rand(2) % 3),
    concat('eu-', toString(${request} % 4)), toString(${request} % 12)]`
  const jsonTexts = `['{"order":{"id":', ',"items":[{"id":', ',"sku":', '},{"id":', ',"sku":', '}]},"total":', '}']`
  const jsonValues = `[${order}, toString(rand(4) % 1000), concat('"A', toString(rand(5) % 100), '"'), toString(rand(7) % 1000),
    concat('"B', toString(rand(8) % 100), '"'), toString(rand(9) % 10000)]`
  return `INSERT INTO bench.${table}
  (project_id, time, trace_id, span_id, severity, level, shape, changing, template, pattern, service, host, logger, environment, release,
   platform, origin, user_hash, tags, numbers, repaired, truncated, weight, received, jpos, place)
  SELECT ${project}, toDateTime64(${fromS}, 6, 'UTC') + toIntervalMicrosecond(toUInt64(number * ${((logDayMs / parts) * 1000) / count})) AS at,
    unhex(hex(sipHash128(${request}, ${jpos}))), cityHash64(intDiv(number, 4), ${jpos}),
    [9, 9, 9, 9, 9, 9, 5, 13, 17, 21][1 + rand(3) % 10] AS s, ['trace','debug','info','warning','error','fatal'][1 + intDiv(s - 1, 4)],
    arrayStringConcat(if(${isJson}, ${jsonTexts}, ${texts}), ${sign}),
    arrayStringConcat(arrayMap(value -> concat(${sign}, value), if(${isJson}, ${jsonValues}, ${values}))),
    '', cityHash64(${shape}), ${pick(['shop', 'pay', 'stock', 'mail'], request)}, concat('web-', toString(${request} % 12)), ${pick(['cart', 'checkout', 'jobs'], shape)},
    if(${request} % 10 = 0, 'staging', 'production'), 'shop@1.4.2', 'node', 'auto.log.pino', cityHash64(${request}, 1) % 20000,
    map('sentry.sdk.name', 'sentry.javascript.node', 'sentry.sdk.version', '11.12.0', 'server.address', concat('web-', toString(${request} % 12)),
      'service.name', ${pick(['shop', 'pay', 'stock', 'mail'], request)}, 'logger.name', ${pick(['cart', 'checkout', 'jobs'], shape)},
      'http.route', concat('/api/', ${pick(things, request)}, '/[id]'), 'http.request.method', ${pick(['GET', 'POST', 'PUT'], request)},
      'user.id', concat('u', toString(cityHash64(${request}, 1) % 20000)), 'plan', ${pick(['free', 'pro', 'team'], request)}),
    map('duration', toFloat64(rand(1) % 2000), 'http.response.status_code', [200, 200, 201, 404, 500][1 + ${request} % 5], 'thread.id', toFloat64(${request} % 16)),
    0, 0, 1, toDateTime64(toDateTime64(${fromS}, 6, 'UTC') + toIntervalMicrosecond(toUInt64(number * ${((logDayMs / parts) * 1000) / count})), 3, 'UTC'), ${jpos} + intDiv(number, 100), number % 100
  FROM numbers(${count}) SETTINGS max_partitions_per_insert_block = 0, max_threads = 1`
}

async function fill(connection: Connection, counts: readonly number[]): Promise<void> {
  for (const [at, total] of counts.entries())
    for (let part = 0; part < parts; part++) {
      const fromS = (logsEndMs - logDayMs + (part * logDayMs) / parts) / 1000
      const sql = rowsSql('logs', at + 1, Math.floor(total / parts), fromS, (at + 1) * 1e12 + part * 1e9)
      await connection.command(sql, {}, { seconds: 300 })
    }
}

const mergesEndMs = 240_000

/**
 * Waits until the engine merges nothing for 10 s. The lines of a day came within minutes: while the engine merged them,
 * the facets of a word took 300 to 410 ms, and then 160 to 240.
 */
async function merged(connection: Connection): Promise<void> {
  const end = Date.now() + mergesEndMs
  for (let quiet = 0; quiet < 10 && Date.now() < end; ) {
    await pause(1000)
    quiet = (await connection.rows('SELECT 1 FROM system.merges LIMIT 1', {})).length > 0 ? 0 : quiet + 1
  }
}

/** Runs a bench on a store with these lines. The client is local. */
export async function withLogs<T>(
  run: (store: EventStore) => Promise<T>,
  counts: readonly number[] = logCounts,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-log-bench-'))
  const { child, socketPath } = await startEngine(folder)
  const clock = { ...systemClock, now: () => logsEndMs }
  const store = createEventStore({ url: 'http://localhost', socketPath, database: 'bench', observe: silent, clock })
  const connection = connect({ url: 'http://localhost', socketPath, database: 'bench', clock: systemClock })
  try {
    await store.migrate()
    await fill(connection, counts)
    await merged(connection)
    return await run(store)
  } finally {
    await connection.close()
    await store.close()
    child.kill('SIGTERM')
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}
