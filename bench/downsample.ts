// Time, memory and effect of the downsampling of traces over a day of a million spans, in the embedded engine:
// `node bench/downsample.ts [spans]`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import { createEventStore } from '../src/store/events/clickhouse.ts'
import { connect } from '../src/store/events/connection.ts'
import { traceLevels } from '../src/store/events/downsample-traces.ts'

const total = Number(process.argv[2] ?? 1_000_000)
const spansOfTrace = 25
const routes = 200
/** One trace of 50 has an error. */
const failing = 50
const day = '2026-11-20'
const memoryMiB = 400

const folder = mkdtempSync(join(tmpdir(), 'mishap-downsample-'))
const socketPath = join(folder, 'engine.sock')
const engine: ChildProcess = spawn(
  process.execPath,
  [
    '--max-http-header-size=4194304',
    join(import.meta.dirname, '../src/processes/engine.ts'),
    join(folder, 'data'),
    socketPath,
    String(memoryMiB * 2 ** 20),
  ],
  { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { NODE_ENV: 'production', UV_THREADPOOL_SIZE: '32' } },
)

/** The highest resident memory of the engine so far, MB. */
const peakMb = () => {
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${engine.pid}/status`, 'utf8'))
  return Math.round(Number(found?.[1] ?? 0) / 1024)
}

/** A day of spans: traces of one segment and 24 children, over all hours, with skewed durations. */
const insertDay = (database: string, from: number, to: number) => `INSERT INTO ${database}.spans
  (project_id, trace_id, span_id, parent_id, segment_id, is_segment, item, transaction, op, name, description, start, duration,
   self_time, status, kind, origin, cut, measurements, links, platform, release, environment, user_hash, received, jpos, place,
   repaired, route, category, statement, weight, failed, http_status, clock_shift, tags, numbers, events)
  SELECT 1, toFixedString(unhex(hex(MD5(toString(trace)))), 16), number + 1, if(place = 0, 0, trace * ${spansOfTrace} + 1),
    trace * ${spansOfTrace} + 1, place = 0, 'span', route, if(place = 0, 'http.server', 'db'), concat('span ', toString(place)), '',
    toDateTime64('${day} 00:00:00', 6, 'UTC') + toIntervalMillisecond(trace * 86400000 / ${Math.ceil(total / spansOfTrace)}),
    toUInt64(exp(7 + 4 * randCanonical(number))), -1, 'ok', '', 'auto', '', map(), '', 'node',
    concat('shop@', toString(intDiv(trace, 10000))), 'production', 0,
    toDateTime64('${day} 00:00:00', 3, 'UTC') + toIntervalMillisecond(trace * 86000000 / ${Math.ceil(total / spansOfTrace)}),
    number, place, 0, route, if(place = 0, 'http', 'db'), if(place = 0, '', concat('SELECT ', toString(place))), 4,
    place = 0 AND trace % ${failing} = 0, 0, 0,
    map('http.request.method', 'GET', 'url.path', concat('/x/', toString(rand(number))), 'db.system.name', 'postgresql'),
    map('thread.id', place), ''
  FROM (SELECT number, intDiv(number, ${spansOfTrace}) AS trace, number % ${spansOfTrace} AS place,
      concat('/route-', toString(cityHash64(trace) % ${routes}), '/[id]') AS route
    FROM numbers(${from}, ${to - from}))`

const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const began = performance.now()
  return [await work(), Math.round(performance.now() - began)]
}

try {
  await once(engine, 'message')
  const access = { url: 'http://localhost', socketPath, database: 'mishap', clock: systemClock }
  const store = createEventStore({ ...access, observe: silent })
  const connection = connect(access)
  await store.migrate()
  for (let from = 0; from < total; from += 100_000)
    await connection.command(insertDay('mishap', from, Math.min(total, from + 100_000)), {}, { seconds: 600 })
  const sumOf = async () =>
    (
      await connection.rows<{ n: string; about: number; failures: number; mean: number; p95: number; bytes: string }>(
        `SELECT count() AS n, sum(toFloat64(weight)) AS about, sum(toFloat64(weight) * failed) AS failures,
           avgWeighted(toFloat64(duration), weight) AS mean,
           quantileTDigestWeighted(0.95)(duration, toUInt64(round(weight))) AS p95,
           (SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'mishap' AND table = 'spans') AS bytes
         FROM mishap.spans WHERE is_segment`,
      )
    )[0]
  console.log(`${total} spans of ${day}, engine limit ${memoryMiB} MiB, peak ${peakMb()} MB after the inserts`)
  console.log('before', JSON.stringify(await sumOf()))
  for (const [at] of traceLevels.entries()) {
    const cut = { step: at + 1, day, before: total, level: at + 1 }
    const [, choose] = await timed(() => store.chooseTraces(cut))
    const [built, build] = await timed(() => store.buildDay(cut))
    const [, replace] = await timed(() => store.replaceDay(cut))
    console.log(
      `level ${cut.level}: choose ${choose} ms, build ${build} ms, replace ${replace} ms; ${built.rows} -> ${built.kept} spans, peak ${peakMb()} MB`,
      JSON.stringify(await sumOf()),
    )
  }
  await connection.close()
  await store.close()
} finally {
  const ended = once(engine, 'exit')
  engine.kill('SIGKILL')
  await ended
  rmSync(folder, { recursive: true, force: true })
}
