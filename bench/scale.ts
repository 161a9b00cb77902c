// Times of list, issue and event by id with 1 and 10 million events. The events store copies rows of normally ingested
// events with new ids, users, positions, and times over 30 days.
import { execFile } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { settled } from '../e2e/crash/traffic.ts'
import { api, bootstrap, discard, type Product, type Project, ready, root, start } from '../e2e/product.ts'
import { percentile, realBodies, runLoad } from './load.ts'
import type { Row } from './measure.ts'

const issues = 2000
const blockRows = 20_000
const asks = 100
const msMax = 50
const days = 30

/** Runs a statement on the engine through its socket. */
function run(product: Product, sql: string): Promise<string> {
  const path = `/?max_execution_time=900&max_threads=1&max_block_size=500&max_joined_block_size_rows=500&min_insert_block_size_rows=5000&min_insert_block_size_bytes=33554432&max_partitions_per_insert_block=0&insert_deduplicate=0&query=`
  return new Promise((resolve, reject) => {
    const req = request(
      { socketPath: join(product.data, 'run/engine.sock'), path: path + encodeURIComponent(sql), method: 'POST' },
      (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8')
        })
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve(text.trim())
            : reject(new Error(`${text.slice(0, 500)} (${sql.slice(0, 120)})`)),
        )
      },
    )
    req.on('error', reject)
    req.end()
  })
}

const countOf = async (product: Product): Promise<number> =>
  Number(await run(product, 'SELECT count() FROM mishap.events'))

/** Sends one event of each issue through ingest. */
async function seed(product: Product, project: Project): Promise<void> {
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const { mix } = realBodies()
  const bodies = Array.from({ length: issues }, (_, i) => {
    const text = (mix[i % mix.length] ?? Buffer.alloc(0)).toString('latin1')
    return Buffer.from(text.replace(/"type":"(\w*Error)"/, `"type":"Scale${i}Error"`), 'latin1')
  })
  for (let sent = 0; sent < issues; )
    sent += (await runLoad({ port: product.port, path, bodies: bodies.slice(sent), connections: 1 }, 2)).sent
  await settled(product, project, 120_000)
}

/**
 * Fills the store up to `rows`. A few issues get most events (cube of a uniform random number), over the last 30 days.
 * `more`: expressions over the row number `n` for further columns.
 */
async function fill(product: Product, rows: number, more: Record<string, string> = {}): Promise<void> {
  const columns = (
    await run(
      product,
      "SELECT arrayStringConcat(groupArray(name), ',') FROM system.columns WHERE database = 'mishap' AND table = 'events' AND default_kind IN ('', 'DEFAULT')",
    )
  ).split(',')
  const made: Record<string, string> = {
    event_id: 'unhex(concat(hex(rand64(n)), hex(rand64(n + 1))))',
    timestamp: `toDateTime64(now64(6) - toIntervalSecond(shift), 6, 'UTC')`,
    received: `toDateTime64(now64(3) - toIntervalSecond(shift), 3, 'UTC')`,
    user_hash: 'rand64(n + 2) % 50000',
    jpos: 'n',
    ...more,
  }
  const there = await countOf(product)
  // Positions far below the journal's first segment, so that no row is mistaken for part of a batch.
  await run(
    product,
    'CREATE OR REPLACE TABLE mishap.bench_base ENGINE = Memory AS SELECT *, rowNumberInAllBlocks() AS i FROM (SELECT * FROM mishap.events LIMIT 1 BY group_hash)',
  )
  const base = Number(await run(product, 'SELECT count() FROM mishap.bench_base'))
  for (let at = there; at < rows; at += blockRows) {
    const count = Math.min(blockRows, rows - at)
    await run(
      product,
      `INSERT INTO mishap.events (${columns.join(', ')}) SELECT ${columns.map((name) => (made[name] ? `${made[name]} AS ${name}_made` : `b.${name}`)).join(', ')}
       FROM (SELECT number + ${at} AS n, toUInt64(floor(pow(rand64(number) / 18446744073709551616., 3) * ${base})) AS i, rand64(number + 3) % ${days * 86_400} AS shift FROM numbers(${at}, ${count})) AS a
       INNER JOIN mishap.bench_base AS b ON a.i = b.i`,
    )
    if ((at / blockRows) % 50 === 0) console.error(`scale: ${at + count} rows`)
  }
  await run(product, 'DROP TABLE mishap.bench_base')
}

type Counted = { projectId: number; hash: string; events: number; firstMs: number; lastMs: number }

/** Counts the events of each group, and finds its first and last one. */
async function countsOf(product: Product): Promise<Counted[]> {
  const lines = await run(
    product,
    "SELECT project_id, lower(leftPad(hex(group_hash), 16, '0')), count(), toUnixTimestamp64Milli(toDateTime64(min(timestamp), 3)), toUnixTimestamp64Milli(toDateTime64(max(timestamp), 3)) FROM mishap.events GROUP BY project_id, group_hash",
  )
  return lines.split('\n').map((line) => {
    const [projectId, hash = '', events, firstMs, lastMs] = line.split('\t')
    return {
      projectId: Number(projectId),
      hash,
      events: Number(events),
      firstMs: Number(firstMs),
      lastMs: Number(lastMs),
    }
  })
}

/**
 * Writes numbers and times of the copied events to the meta store of a stopped product, as ingest would have done. Queries
 * depend on them: an issue with a million copies of one sent event was read like an issue of one event. Also marks the
 * forecasts of the issues as made, because the job that makes them would run beside the measurement.
 */
function updateIssues(data: string, counts: readonly Counted[]): void {
  if (counts.length === 0) return
  const file = join(data, 'meta/mishap.sqlite')
  if (!existsSync(file)) {
    console.error('scale: no SQLite database, so issues keep the counts of the sent events')
    return
  }
  const meta = new DatabaseSync(file, { timeout: 5000 })
  try {
    const prints = meta.prepare('SELECT project_id, hash, issue_id FROM fingerprint').all()
    const issueOf = new Map(prints.map((row) => [`${row['project_id']} ${row['hash']}`, Number(row['issue_id'])]))
    const update = meta.prepare('UPDATE issue SET count = ?, first_seen_ms = ?, last_seen_ms = ? WHERE id = ?')
    const forecast = meta.prepare(
      "INSERT OR REPLACE INTO issue_forecast (issue_id, made_ms, limits) VALUES (?, ?, '[]')",
    )
    const byIssue = Map.groupBy(counts, ({ projectId, hash }) => issueOf.get(`${projectId} ${hash}`) ?? 0)
    meta.exec('BEGIN')
    for (const [id, groups] of byIssue) {
      if (id === 0) continue
      const events = groups.reduce((sum, group) => sum + group.events, 0)
      const [firsts, lasts] = [groups.map(({ firstMs }) => firstMs), groups.map(({ lastMs }) => lastMs)]
      update.run(events, Math.min(...firsts), Math.max(...lasts), id)
      forecast.run(id, Date.now())
    }
    meta.exec('COMMIT')
  } finally {
    meta.close()
  }
}

/** Merges past weeks. The store itself does this for partitions that were unchanged for an hour. */
async function rest(product: Product): Promise<void> {
  const parts = await run(
    product,
    "SELECT DISTINCT table, partition FROM system.parts WHERE active AND database = 'mishap' AND partition != toString(toMonday(now()))",
  )
  for (const part of parts.split('\n').filter(Boolean)) {
    const [table, week] = part.split('\t')
    await run(product, `OPTIMIZE TABLE mishap.${table} PARTITION '${week}' FINAL`)
  }
}

const quietEnv = { MISHAP_LOG_LEVEL: 'warn' }
// chDB counts memory that such inserts allocate but not all that they free, so raise the limit during the fill.
const unlimitedEnv = { ...quietEnv, MISHAP_ENGINE_MEMORY_BYTES: String(2 ** 34) }

/**
 * A product that has a high limit during a fill and the defaults for queries. Each `fillTo` restarts the process.
 * `folder`: a data folder that is kept, and whose events are used if it has them.
 */
export async function growing(folder?: string): Promise<{
  product: () => Product
  /** Whether the folder had the events of an earlier run when it was opened. */
  isFilled(): Promise<boolean>
  fillTo(rows: number, more?: Record<string, string>): Promise<void>
  end(): Promise<void>
}> {
  let product = await start({ env: unlimitedEnv, ...(folder === undefined ? {} : { data: folder }) })
  let isUnlimited = true
  const restart = async (env: Record<string, string>, counts: readonly Counted[] = []) => {
    await product.stop()
    updateIssues(product.data, counts)
    product = await start({ data: product.data, port: product.port, env })
    await ready(product)
    isUnlimited = env === unlimitedEnv
  }
  return {
    product: () => product,
    isFilled: async () => folder !== undefined && (await countOf(product)) > 0,
    fillTo: async (rows, more) => {
      const isFull = (await countOf(product)) >= rows
      if (!isFull) {
        if (!isUnlimited) await restart(unlimitedEnv)
        await fill(product, rows, more)
      }
      await restart(quietEnv, await countsOf(product))
      if (!isFull) await rest(product)
    },
    end: () => (folder === undefined ? discard(product) : product.stop()),
  }
}

type Times = { list: number[]; issue: number[]; event: number[]; common: number[] }

async function measure(product: Product, project: Project): Promise<Times> {
  const times: Times = { list: [], issue: [], event: [], common: [] }
  const ids = (
    await run(product, `SELECT lower(hex(event_id)) FROM mishap.events ORDER BY cityHash64(event_id) LIMIT ${asks}`)
  ).split('\n')
  const list = (await api(product, project, '/organizations/scale/issues/?per_page=100&statsPeriod=14d')).json as {
    id: string
  }[]
  const periods = ['24h', '14d', '30d']
  const sorts = ['date', 'new', 'freq']
  const timed = async (name: keyof Times, path: string) => {
    const began = performance.now()
    const answer = await api(product, project, path)
    times[name].push(performance.now() - began)
    if (answer.status !== 200) throw new Error(`${path} gave ${answer.status}: ${answer.text.slice(0, 200)}`)
  }
  for (let n = 0; n < asks; n++) {
    await timed(
      'list',
      `/organizations/scale/issues/?per_page=25&statsPeriod=${periods[n % 3]}&sort=${sorts[Math.floor(n / 3) % 3]}`,
    )
    await timed('issue', `/organizations/scale/issues/${list[n % list.length]?.id}/events/latest/`)
    await timed('event', `/projects/scale/web/events/${ids[n % ids.length]}/`)
    await timed(
      'common',
      `/organizations/scale/issues/${list[n % list.length]?.id}/in-common/?statsPeriod=${periods[n % 3]}`,
    )
  }
  for (const time of Object.values(times)) time.sort((a, b) => a - b)
  return times
}

const restoreSMax = 300
/** Limit for the tags that an issue’s events have in common, in ms (issue 5). */
const commonMsMax = 300
const whats: Record<keyof Times, string> = {
  list: 'list',
  issue: 'newest event of an issue',
  event: 'event by id',
  common: 'what the events of an issue have in common',
}
const mishap = (...words: string[]) =>
  promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    join(root, 'src/processes/main.ts'),
    ...words,
  ])

/** Backs up the running product and restores it to an empty folder. Every table must have the same number of rows. */
async function measureRestore(product: Product, size: number): Promise<Row> {
  const counts = `SELECT arrayStringConcat(groupArray(concat(table, ' ', toString(n))), ', ') FROM (
    SELECT table, sum(rows) AS n FROM system.parts WHERE active AND database = 'mishap' GROUP BY table ORDER BY table)`
  const sum =
    "SELECT concat(toString(count()), ' ', toString(sum(cityHash64(event_id, group_hash, timestamp)))) FROM mishap.events"
  const file = join(product.data, '..', `mishap-bench-${process.pid}.tar`)
  const data = `${file}.restored`
  const before = await run(product, sum)
  let began = performance.now()
  await mishap('backup', file, '--data', product.data)
  const backupS = (performance.now() - began) / 1000
  began = performance.now()
  await mishap('restore', file, '--data', data)
  const restoreS = (performance.now() - began) / 1000
  const restarted = await start({ data, env: { MISHAP_LOG_LEVEL: 'warn' } })
  await ready(restarted)
  const [after, countsAfter] = [await run(restarted, sum), await run(restarted, counts)]
  await discard(restarted)
  const megabytes = statSync(file).size / 1e6
  rmSync(file)
  return {
    what: `restore of ${size / 1e6}M events`,
    goal: `within ${restoreSMax} s with equal counts`,
    result: `${restoreS.toFixed(0)} s from a file of ${megabytes.toFixed(0)} MB, taken in ${backupS.toFixed(0)} s while running; count and checksum of the events ${before === after ? 'equal' : `differ: ${before}, then ${after}`} (${countsAfter})`,
    met: restoreS <= restoreSMax && before === after,
  }
}

/** Rows for each number of events in `sizes`, ascending. The first size is the baseline. `folder`: see `growing`. */
export async function benchScale(sizes: number[], folder?: string): Promise<Row[]> {
  const { product: at, isFilled, fillTo, end } = await growing(folder)
  let product = at()
  const project = bootstrap(product, 'scale', 'web')
  await ready(product)
  if (!(await isFilled())) await seed(product, project)
  const rows: Row[] = []
  let first: Record<string, number> | undefined
  for (const size of sizes) {
    const began = performance.now()
    await fillTo(size)
    product = at()
    console.error(`scale: ${size} rows after ${Math.round((performance.now() - began) / 1000)} s`)
    // The first measurement warms the caches.
    await measure(product, project)
    const times = await measure(product, project)
    console.error(`scale: measured at ${size} rows`)
    const p95 = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, percentile(list, 0.95)]))
    for (const [name, list] of Object.entries(times)) {
      const own = percentile(list, 0.95)
      const most = name === 'common' ? commonMsMax : msMax
      const ratio = first ? own / (first[name] ?? own) : 1
      rows.push({
        what: `${whats[name as keyof Times]}, ${size / 1e6}M events, by the API`,
        goal: first ? `p95 at most ${most} ms, at most 2x of ${(sizes[0] ?? 0) / 1e6}M` : `p95 at most ${most} ms`,
        result: `p50 ${percentile(list, 0.5).toFixed(0)} ms, p95 ${own.toFixed(0)} ms${first ? `, ${ratio.toFixed(1)}x` : ''}`,
        met: own <= most && ratio <= 2,
      })
    }
    if (!first && folder === undefined) rows.push(await measureRestore(product, size))
    first ??= p95
  }
  await end()
  return rows
}
