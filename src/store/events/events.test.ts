import type { ChildProcess } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import { engineAnswers } from './alive.ts'
import { createEventStore } from './clickhouse.ts'
import { connect } from './connection.ts'
import { encodeEventRow, eventColumns } from './encode.ts'
import { startTestEngine } from './engine.cases.ts'
import type { EventStore } from './event-store.ts'
import { eventsCases, ids, monday, row, tsv, wide } from './events.cases.ts'
import type { EventFilter } from './events.ts'
import { logRollupCases } from './log-rollup.cases.ts'
import { tagPairCases } from './reading/tag-pairs.cases.ts'
import { spanRollupCases } from './span-rollup.cases.ts'
import { syncCases } from './sync.cases.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-events-'))
const socketPath = join(folder, 'engine.sock')
const state: { engine?: ChildProcess; store?: EventStore } = {}

const startEngine = () => startTestEngine(join(folder, 'data'), socketPath)

function gone(child: ChildProcess): Promise<number | null> {
  return child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('exit', resolve))
}

function store(): EventStore {
  if (!state.store) throw new Error('not started')
  return state.store
}

/** Node supports socketPath here, but its types lack the option. */
const onSocket = { socketPath }
const client = createClient({
  url: 'http://localhost',
  http_agent: new Agent({ ...onSocket, keepAlive: true, maxSockets: 20 }),
  log: { level: 127 },
})
const ask = async <T>(query: string, more: object = {}) =>
  (await client.query({ query, format: 'JSONEachRow', ...more })).json<T>()

beforeAll(async () => {
  state.engine = await startEngine()
  state.store = createEventStore({
    url: 'http://localhost',
    socketPath,
    database: 'mishap',
    observe: silent,
    clock: systemClock,
  })
  await state.store.migrate()
}, 20_000)

afterAll(async () => {
  await state.store?.close()
  await client.close()
  state.engine?.kill('SIGTERM')
  if (state.engine) await gone(state.engine)
  rmSync(folder, { recursive: true, force: true })
})

describe('the embedded engine holds what every events store does', () => eventsCases(store))

describe('the rollup of spans', () => {
  const connection = connect({ url: 'http://localhost', socketPath, database: 'mishap', clock: systemClock })
  afterAll(() => connection.close())
  spanRollupCases(store, () => ({ connection, name: 'mishap' }))
})

describe('the rollup of log lines', () => {
  const connection = connect({ url: 'http://localhost', socketPath, database: 'mishap', clock: systemClock })
  afterAll(() => connection.close())
  logRollupCases(store, () => ({ connection, name: 'mishap' }))
})

describe('what a power cut must not take back', () => syncCases(store, client))

describe('patterns of tags', () => tagPairCases(store, client))

test('tables of this version are left alone at a start: on a full disk a definition that is written anew is cut off', async () => {
  const folderOf = join(folder, 'data', 'metadata')
  const definitions = () =>
    globSync('**/*.sql', { cwd: folderOf, followSymlinks: true })
      .map((name) => [name, statSync(join(folderOf, name)).ino, statSync(join(folderOf, name)).mtimeMs])
      .sort()
  const before = definitions()
  expect(before.length).toBeGreaterThan(4)
  await store().migrate()
  expect(definitions()).toEqual(before)
})

test('a rollup without days is brought over, also when that was broken off, and goes', {
  timeout: 90_000,
}, async () => {
  const projectId = 980
  const at = (hoursAgo: number) => ({ projectId, timestampUs: (monday - hoursAgo * 3_600_000) * 1000 })
  const users = ['00000000000000c1', '00000000000000c2', '00000000000000c1']
  const rows = users.map((userHash, n) => row(1_200_000 + n, { ...at(20 * n), userHash }))
  await store().insert('events', Buffer.concat(rows.map((item) => Buffer.from(encodeEventRow(item)))), 'moved')
  const scope = { projectIds: [projectId], environments: [], fromMs: monday - 72 * 3_600_000, toMs: monday + 1000 }
  const sets = [[{ projectId, groupHash: row(1).groupHash }]]
  const figures = async () => (await store().statsOf(scope, 86_400_000, sets))[0]
  const before = await figures()
  expect(before).toMatchObject({ events: 3, users: 2, lifetimeUsers: 2 })
  const total = async () => Number((await ask<{ n: string }>('SELECT sum(n) AS n FROM mishap.issue_time'))[0]?.n)
  const all = await total()
  const run = (query: string) => client.command({ query })
  const keys = 'week, project_id, group_hash, environment, hour, n, first_at, last_at, users'
  const made = `CREATE TABLE mishap.issue_hour ENGINE = AggregatingMergeTree PARTITION BY week
    ORDER BY (project_id, group_hash, hour, environment) AS SELECT ${keys} FROM mishap.issue_time WHERE span = 0`
  const feed = `CREATE MATERIALIZED VIEW mishap.issue_hour_feed TO mishap.issue_hour AS SELECT toMonday(received) AS week,
    project_id, group_hash, environment, toStartOfHour(timestamp) AS hour, count() AS n FROM mishap.events GROUP BY ALL`
  for (const broken of [
    'TRUNCATE TABLE mishap.issue_time',
    'DELETE FROM mishap.issue_time WHERE span = 1',
    'DELETE FROM mishap.issue_time WHERE span = 2',
    'SELECT 1',
  ]) {
    await run(made)
    await run(feed)
    await run(broken)
    await store().migrate()
    expect([await total(), await figures()]).toEqual([all, before])
    expect(await ask("SELECT name FROM system.tables WHERE name LIKE 'issue_hour%'")).toEqual([])
  }
  await run('DELETE FROM mishap.events WHERE project_id = 980')
  for (const table of ['issue_time', 'hour_issue']) await run(`DELETE FROM mishap.${table} WHERE project_id = 980`)
})

test('a rollup without rows of projects gets them and its new view, also when that was broken off', {
  timeout: 90_000,
}, async () => {
  const projectId = 981
  const events = (first: number, gen = 0) =>
    Buffer.from(
      [0, 30, 200]
        .map((hours, n) => ({
          projectId,
          gen,
          userHash: `00000000000000d${n % 2}`,
          timestampUs: (monday - hours * 3_600_000) * 1000,
        }))
        .map((changes, n) => encodeEventRow(row(first + n, changes)))
        .join(''),
    )
  const scope = { projectIds: [projectId], environments: [], fromMs: monday - 999 * 3_600_000, toMs: monday + 1000 }
  const split = monday - 100 * 3_600_000
  const run = (query: string) => client.command({ query })
  const numbers = async () => {
    const points = await store().projectSeries(scope, 86_400_000)
    const { now, before } = await store().userSeries(scope, 86_400_000, split)
    const { rollups } = await store().check()
    return [points.reduce((sum, point) => sum + point.events, 0), now, before, rollups]
  }
  await store().insert('events', events(1_400_000), 'of-projects')
  const all = await numbers()
  expect(all.slice(0, 3)).toEqual([3, 2, 1])
  // The view of the version before: rows of issues only.
  const older = `CREATE MATERIALIZED VIEW mishap.issue_time_feed TO mishap.issue_time AS SELECT toMonday(received) AS week,
    project_id, group_hash, environment, multiIf(span = 2, toDateTime(toMonday(timestamp), 'UTC'), span = 1, toStartOfDay(timestamp), toStartOfHour(timestamp)) AS hour,
    span, count() AS n, min(toDateTime64(timestamp, 3, 'UTC')) AS first_at, max(toDateTime64(timestamp, 3, 'UTC')) AS last_at,
    uniqCombined64StateIf(12)(user_hash, user_hash != 0) AS users
    FROM mishap.events ARRAY JOIN [toUInt8(0), toUInt8(1), toUInt8(2)] AS span GROUP BY ALL`
  for (const broken of [
    'DELETE FROM mishap.issue_time WHERE span > 2',
    'DELETE FROM mishap.issue_time WHERE span > 3',
    `DELETE FROM mishap.issue_time WHERE span = 3 AND project_id = ${projectId} AND toDate(hour) = '2026-11-16'`,
    'SELECT 1',
  ]) {
    await run('DROP VIEW mishap.issue_time_feed')
    await run(older)
    await run(broken)
    await store().migrate()
    expect([broken, ...(await numbers())]).toEqual([broken, ...all])
  }
  // The view of today: new events count for their project, rewritten ones do not count twice.
  await store().insert('events', events(1_400_010), 'of-projects-2')
  await store().insert('events', events(1_400_020, 1), 'of-projects-3')
  expect((await numbers())[0]).toBe(6)
  for (const table of ['events', 'issue_time', 'hour_issue'])
    await run(`DELETE FROM mishap.${table} WHERE project_id = ${projectId}`)
})

test('a table made before gets the look-up indexes of today, and its rows are in them', async () => {
  await store().insert(
    'events',
    Buffer.from(encodeEventRow(row(1_100_000, { projectId: 979, digest: '2774530904' }))),
    'refit',
  )
  const from = (step: string) => client.command({ query: `ALTER TABLE mishap.events ${step}` })
  await from('DROP INDEX event_id')
  await from('ADD INDEX event_id event_id TYPE bloom_filter(0.001)')
  await from('DROP INDEX digest')
  await store().migrate()
  const made = await ask<{ name: string; granularity: string }>(
    "SELECT name, granularity FROM system.data_skipping_indices WHERE table = 'events' AND type = 'bloom_filter' ORDER BY name",
  )
  expect(made.map((item) => [item.name, Number(item.granularity)])).toEqual([
    ['digest', 64],
    ['event_id', 64],
    ['trace_id', 64],
  ])
  await expect
    .poll(() => ask("SELECT 1 FROM system.mutations WHERE table = 'events' AND NOT is_done"), { timeout: 20_000 })
    .toEqual([])
  const [bytes] = await ask<{ n: string }>(
    "SELECT min(data_compressed_bytes) AS n FROM system.data_skipping_indices WHERE table = 'events' AND name IN ('event_id', 'digest')",
  )
  expect(Number(bytes?.n)).toBeGreaterThan(0)
  expect(await store().byDigest([979], '2774530904', 9)).toHaveLength(1)
  expect(await store().byEventId([979], row(1_100_000).eventId)).toHaveLength(1)
  await client.command({ query: 'DELETE FROM mishap.events WHERE project_id = 979' })
})

test('a table made before gets the frames: what it holds is not found by them, what comes is', async () => {
  const at = { projectId: 976, timestampUs: monday * 1000, frames: ['function=pay', 'in_app=true'] }
  const columns = eventColumns.filter((eventColumn) => eventColumn !== 'frames')
  const older = encodeEventRow(row(1_300_000, at)).split('\t').toSpliced(eventColumns.indexOf('frames'), 1).join('\t')
  for (const step of ['DROP INDEX frames', 'DROP COLUMN frames'])
    await client.command({ query: `ALTER TABLE mishap.events ${step}` })
  const connection = connect({ url: 'http://localhost', socketPath, database: 'mishap', clock: systemClock })
  await connection.insert('events', columns, Buffer.from(older), 'older')
  await connection.close()
  for (let starts = 0; starts < 2; starts++) await store().migrate()
  await store().insert('events', Buffer.from(encodeEventRow(row(1_300_001, at))), 'newer')
  const found = async (filter: EventFilter) =>
    ids(await store().inScope({ scope: wide(976), filter, order: 'newest', max: 9 })).toSorted()
  const pay = { op: 'frame', key: 'function', match: 'is', value: 'pay' } as const
  for (const merged of [false, true]) {
    // The index must also be built for a part without the column. Otherwise each merge fails, forever.
    if (merged) await client.command({ query: 'OPTIMIZE TABLE mishap.events FINAL' })
    expect(await found(pay)).toEqual([1_300_001])
    expect(await found({ ...pay, match: 'like', value: 'PA*' })).toEqual([1_300_001])
    expect(await found({ ...pay, match: 'has', value: '' })).toEqual([1_300_001])
    expect(await found({ op: 'not', of: pay })).toEqual([1_300_000])
  }
  expect((await store().eventsBetween(row(1_300_000).jpos, row(1_300_001).jpos))[0]?.frames).toEqual([])
  expect(await ask("SELECT type FROM system.data_skipping_indices WHERE table = 'events' AND name = 'frames'")).toEqual(
    [{ type: 'text' }],
  )
  await client.command({ query: 'DELETE FROM mishap.events WHERE project_id = 976' })
})

test('a granule of large payloads stays small, and so does what a merge holds of each part', async () => {
  const large = { projectId: 978, payload: 'x'.repeat(20_000) }
  for (const from of [2_000_000, 2_001_000]) {
    const rows = Array.from({ length: 1000 }, (_, n) => row(from + n, { ...large, groupHash: 'ab' }))
    await store().insert(
      'events',
      Buffer.concat(rows.map((item) => Buffer.from(encodeEventRow(item)))),
      `granules:${from}`,
    )
  }
  await client.command({ query: 'OPTIMIZE TABLE mishap.events FINAL' })
  const [part] = await ask<{ rows: string; marks: string }>(
    `SELECT rows, marks FROM system.parts
     WHERE database = 'mishap' AND table = 'events' AND active AND name IN (SELECT DISTINCT _part FROM mishap.events WHERE project_id = 978) ORDER BY rows DESC LIMIT 1`,
  )
  expect(Number(part?.rows)).toBeGreaterThanOrEqual(2000)
  expect(Number(part?.rows) / Number(part?.marks)).toBeLessThan(200)
  await client.command({ query: 'DELETE FROM mishap.events WHERE project_id = 978' })
})

describe('engine', () => {
  test('a failing query leaves nothing to the others', async () => {
    const failing = 'SELECT number, throwIf(number = 200000) FROM numbers(1000000)'
    const rounds = Array.from({ length: 12 }, (_, n) =>
      n % 2 === 0
        ? ask(failing).then(
            () => 'passed',
            () => 'failed',
          )
        : ask(`SELECT ${n} AS n`),
    )
    const answers = await Promise.all(rounds)
    expect(answers).toEqual(rounds.map((_, n) => (n % 2 === 0 ? 'failed' : [{ n }])))
  })

  test('neither settings nor values outlive their request', async () => {
    await ask('SELECT {s:String} AS s', {
      query_params: { s: 'x' },
      clickhouse_settings: { max_threads: 1, max_block_size: '77' },
    })
    const [found] = await ask<{ b: string }>(`SELECT getSetting('max_block_size') AS b`)
    expect(found?.b).not.toBe('77')
    await expect(ask('SELECT {s:String}')).rejects.toMatchObject({ code: '456' })
  })

  test.each([
    ['SELECT 1; SELECT 2', true],
    [`SELECT ';' AS a`, false],
    [`SELECT 'a''; b', "c;", \`d;\` FROM (SELECT 1 AS \`d;\`, 2 AS "c;") ; -- end;`, false],
    ['SELECT 1 /* ; */ ;', false],
    [`SELECT 'a\\'; SELECT 2`, true],
  ])('one statement a request: %s', async (sql, refused) => {
    const answered = await client.exec({ query: sql }).then(
      async (result) => {
        result.stream.resume()
        return 'ok'
      },
      (error) => error.code as string,
    )
    if (refused) expect(['62']).toContain(answered)
    else expect(answered).toBe('ok')
  })

  test('what its caller gave up is stopped', async () => {
    const control = new AbortController()
    const running = ask('SELECT max(sipHash64(number)) FROM numbers(30000000000)', {
      abort_signal: control.signal,
    }).catch(() => 'aborted')
    await systemClock.sleep(150)
    control.abort()
    expect(await running).toBe('aborted')
    for (let tries = 0; tries < 40; tries++) {
      const left = await ask(
        `SELECT 1 FROM system.processes WHERE query LIKE '%numbers(30000000000)%' AND query NOT LIKE '%processes%'`,
      )
      if (left.length === 0) return
      await systemClock.sleep(50)
    }
    expect.unreachable()
  })

  test('long values come in a form, 64-bit numbers as strings', async () => {
    const long = `é'\\${'x'.repeat(200_000)}\r\n--`
    const [found] = await ask<{ x: string; n: string }>('SELECT {x:String} AS x, toUInt64(18446744073709551615) AS n', {
      query_params: { x: long },
      use_multipart_params: true,
    })
    expect(found?.x === long).toBe(true)
    expect(found?.n).toBe('18446744073709551615')
  })

  test('a body over 64 MB is refused with 413', async () => {
    const status = await new Promise((resolve) => {
      const sent = request(
        { socketPath, method: 'POST', path: `/?query=${encodeURIComponent('INSERT INTO mishap.events FORMAT TSV')}` },
        (response) => resolve(response.statusCode),
      )
      sent.on('error', () => resolve('reset'))
      const piece = Buffer.alloc(2 ** 20)
      for (let n = 0; n < 65; n++) sent.write(piece)
      sent.end()
    })
    expect([413, 'reset']).toContain(status)
    expect(await store().ping()).toBe(true)
  })

  test('an engine that hangs is given up at the limit of the statement', async () => {
    const connection = connect({ url: 'http://localhost', socketPath, database: 'mishap', clock: systemClock })
    expect(await connection.rows('SELECT 1 AS one', {}, { seconds: 1 })).toEqual([{ one: 1 }])
    expect(await engineAnswers(socketPath)).toBe(true)
    state.engine?.kill('SIGSTOP')
    const startMs = systemClock.now()
    try {
      const codes = await Promise.all(
        [
          connection.rows('SELECT 1', {}, { seconds: 1 }),
          connection.command('SYSTEM FLUSH LOGS', {}, { seconds: 1 }),
        ].map((item: Promise<unknown>) => item.catch((error: { code: string }) => error.code)),
      )
      expect(codes).toEqual(['QUERY_TIMEOUT', 'QUERY_TIMEOUT'])
      expect(systemClock.now() - startMs).toBeLessThan(3000)
    } finally {
      state.engine?.kill('SIGCONT')
      await connection.close()
    }
    expect(await store().ping()).toBe(true)
  })

  test('a statement over its limit is ended by the engine', async () => {
    const connection = connect({ url: 'http://localhost', socketPath, database: 'mishap', clock: systemClock })
    const slow = connection.rows('SELECT max(sipHash64(number)) FROM numbers(30000000000)', {}, { seconds: 1 })
    await expect(slow).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' })
    await connection.close()
  })

  test('its socket is its owner’s alone', () => {
    expect(statSync(socketPath).mode & 0o777).toBe(0o600)
  })

  test('kill -9 loses nothing acknowledged; meanwhile the store says STORE_UNAVAILABLE', async () => {
    const rows = Array.from({ length: 12 }, (_, n) => row(7000 + n, { projectId: 71 }))
    await Promise.all(
      rows.map((item) => store().insert('events', Buffer.from(encodeEventRow(item)), `kill:${item.jpos}`)),
    )
    const child = state.engine
    child?.kill('SIGKILL')
    const away = await store()
      .byEventId([71], row(7000).eventId)
      .catch((error) => error.code)
    if (child) await gone(child)
    expect(away).toBe('STORE_UNAVAILABLE')
    await expect(store().insert('events', Buffer.from(encodeEventRow(row(7099))), 'kill:away')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    expect([await store().ping(), await engineAnswers(socketPath)]).toEqual([false, false])
    state.engine = await startEngine()
    const scope = { projectIds: [71], environments: [], fromMs: monday, toMs: monday + 86_400_000 }
    expect((await store().groups({ scope, order: 'last', max: 5 }))[0]?.events).toBe(12)
  })

  test('deletions that a full disk cut off do not keep it from starting', async () => {
    const run = (query: string) => client.command({ query })
    await run('CREATE TABLE mishap.cut (a UInt64) ENGINE = MergeTree ORDER BY a')
    await client.insert({ table: 'mishap.cut', values: [{ a: 1 }, { a: 2 }, { a: 3 }], format: 'JSONEachRow' })
    for (const a of [1, 2]) await run(`DELETE FROM mishap.cut WHERE a = ${a}`)
    const [table] = await ask<{ path: string }>("SELECT data_paths[1] AS path FROM system.tables WHERE name = 'cut'")
    const child = state.engine
    child?.kill('SIGKILL')
    if (child) await gone(child)
    const files = readdirSync(table?.path ?? '').filter((name) => name.startsWith('mutation_'))
    expect(files.length).toBe(2)
    // One empty file and one truncated file.
    for (const [n, name] of files.entries()) truncateSync(join(table?.path ?? '', name), n * 90)
    state.engine = await startEngine()
    expect(await ask('SELECT a FROM mishap.cut')).toEqual([{ a: '3' }])
    await run('DELETE FROM mishap.cut WHERE a = 3')
    expect(await ask('SELECT a FROM mishap.cut')).toEqual([])
    await run('DROP TABLE mishap.cut')
  })

  test.each<[string, (part: string) => void, 'sources'?]>([
    ['an empty count, with its sources', (part) => truncateSync(join(part, 'count.txt')), 'sources'],
    ['empty indexes, with its sources', (part) => truncateSync(join(part, 'skp_idx_message_lower.idx')), 'sources'],
    ['an empty list of its files', (part) => truncateSync(join(part, 'checksums.txt'))],
    ['half a list of its files', (part) => truncateSync(join(part, 'checksums.txt'), 200)],
    ['an empty text index', (part) => truncateSync(join(part, 'skp_idx_message_lower.dct.idx'))],
    ['an index without its end', (part) => truncateSync(join(part, 'skp_idx_event_id.idx'), 9)],
    ['an index without its marks', (part) => rmSync(join(part, 'skp_idx_tagkv.cmrk4'))],
  ])('rows of a merge that a full disk cut off are there after a start: %s', async (what, damage, sources) => {
    const projectId = 975
    const rows = [1_400_000, 1_400_001].map((n) =>
      row(n, { projectId, timestampUs: monday * 1000, message: `needle ${n}` }),
    )
    for (const item of rows) await store().insert('events', Buffer.from(encodeEventRow(item)), `${what}:${item.jpos}`)
    await client.command({ query: 'OPTIMIZE TABLE mishap.events FINAL' })
    const parts = await ask<{ path: string; active: number }>(
      "SELECT path, active FROM system.parts WHERE database = 'mishap' AND table = 'events'",
    )
    const child = state.engine
    child?.kill('SIGKILL')
    if (child) await gone(child)
    // After eight minutes the engine has removed the parts that were merged.
    if (!sources) for (const { path, active } of parts) if (!active) rmSync(path, { recursive: true })
    for (const { path, active } of parts) if (active) damage(path)
    state.engine = await startEngine()
    const found = (filter?: EventFilter) =>
      store().inScope({ scope: wide(projectId), order: 'newest', max: 9, ...(filter ? { filter } : {}) })
    expect(ids(await found()).toSorted()).toEqual([1_400_000, 1_400_001])
    expect(ids(await found({ op: 'text', value: 'needle 1400001' }))).toEqual([1_400_001])
    expect(await store().byEventId([projectId], row(1_400_000).eventId)).toHaveLength(1)
    if (!sources) expect(await ask('SELECT name FROM system.detached_parts')).toEqual([])
    for (const { name } of await ask<{ name: string }>("SELECT name FROM system.detached_parts WHERE table = 'events'"))
      await client.command({
        query: `ALTER TABLE mishap.events DROP DETACHED PART '${name}' SETTINGS allow_drop_detached = 1`,
      })
    await client.command({ query: `DELETE FROM mishap.events WHERE project_id = ${projectId}` })
  })

  test('a part that a full disk cut off while it runs ends it, so that its next start repairs it', {
    timeout: 40_000,
  }, async () => {
    const at = { projectId: 974, timestampUs: monday * 1000, message: 'needle' }
    await store().insert('events', tsv([row(1_500_000, at)]), 'torn:1')
    await store().insert('events', tsv([row(1_500_001, at)]), 'torn:2')
    await client.command({ query: 'OPTIMIZE TABLE mishap.events FINAL' })
    const found = async () =>
      ids(
        await store().inScope({ scope: wide(974), order: 'newest', max: 9, filter: { op: 'text', value: 'needle' } }),
      ).toSorted()
    const parts = await ask<{ path: string }>("SELECT path FROM system.parts WHERE table = 'events' AND active")
    for (const { path } of parts) truncateSync(join(path, 'skp_idx_message_lower.cmrk4'))
    const child = state.engine
    expect(child && (await gone(child))).toBe(0)
    state.engine = await startEngine()
    expect(await found()).toEqual([1_500_000, 1_500_001])
    await client.command({ query: 'OPTIMIZE TABLE mishap.events FINAL' })
    expect(await found()).toEqual([1_500_000, 1_500_001])
    await client.command({ query: 'DELETE FROM mishap.events WHERE project_id = 974' })
  })

  test('ends when its parent is gone, and a second one on the same folder is refused', async () => {
    await expect(startEngine()).rejects.toThrow('ended')
    const child = state.engine
    child?.disconnect()
    expect(child && (await gone(child))).toBe(0)
    state.engine = await startEngine()
    expect(await store().ping()).toBe(true)
  })
})
