import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClickHouseNode, noNodeReason, startClickHouseNode } from '../../../e2e/engines/clickhouse-node/node.ts'
import { systemClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import { createEventStore } from './clickhouse.ts'
import { type Connection, connect } from './connection.ts'
import { encodeEventRow } from './encode.ts'
import type { EventStore } from './event-store.ts'
import { eventsCases, row } from './events.cases.ts'
import { setUpStatements } from './grants.ts'
import { serverKind } from './kind.ts'
import { logRollupCases } from './log-rollup.cases.ts'
import { logTextCases } from './log-text.cases.ts'
import { checkServer } from './server-check.ts'
import { spanRollupCases } from './span-rollup.cases.ts'
import { ownerSqlCases } from './sql/owner-sql.cases.ts'

const skipped = noNodeReason()
const user = { name: 'mishap', password: 'a:b/c', database: 'errors', backup: true }
/** Two more databases, for restores, and a user that lacks a grant. */
const others = ['second', 'third'].map((database) => ({ name: database, password: 'x', database, backup: true }))
const poor = { name: 'poor', password: 'x', database: 'errors', without: /^GRANT (?:INSERT|ALTER DELETE) / }
const state: { node?: ClickHouseNode; store?: EventStore } = {}
const folder = mkdtempSync(join(tmpdir(), 'mishap-server-'))

function node(): ClickHouseNode {
  if (!state.node) throw new Error('not started')
  return state.node
}
function store(): EventStore {
  if (!state.store) throw new Error('not started')
  return state.store
}
type Who = { name: string; password: string; database: string }
const access = ({ name, password, database }: Who = user) => ({
  url: node().url,
  host: 'ch:8123',
  kind: serverKind,
  user: name,
  password,
  database,
  clock: systemClock,
})
const open = (who?: Who, more: { installation?: string; requestTimeoutMs?: number; backupTarget?: string } = {}) =>
  createEventStore({ ...access(who), installation: 'one', observe: silent, ...more })
const bytes = (rows: readonly { n: number; projectId: number; payload?: string }[]) =>
  Buffer.concat(rows.map(({ n, ...changes }) => Buffer.from(encodeEventRow(row(n, changes)))))
const count = async (projectId: number, where = '1') =>
  Number(await node().ask(`SELECT count() FROM errors.events WHERE project_id = ${projectId} AND ${where}`))
const counted = async (projectId: number) =>
  (
    await node().ask(`SELECT sum(n) FROM errors.issue_time WHERE span = 0 AND project_id = ${projectId}
    UNION ALL SELECT sum(n) FROM errors.hour_issue WHERE project_id = ${projectId}`)
  )
    .split('\n')
    .map(Number)

describe.skipIf(skipped)('a ClickHouse server, as a user with the grants of `mishap events grants`', () => {
  beforeAll(async () => {
    state.node = await startClickHouseNode({ users: [user, ...others, poor] })
    for (const { database } of [user, ...others]) await node().ask(`CREATE DATABASE ${database}`)
    state.store = open()
    await store().migrate()
  }, 90_000)

  afterAll(async () => {
    await state.store?.close()
    await state.node?.discard()
    rmSync(folder, { recursive: true, force: true })
  })

  // On a busy machine a deletion with its syncs takes seconds.
  describe('holds what every events store does', { timeout: 90_000 }, () => eventsCases(store))

  describe('the rollup of spans', { timeout: 90_000 }, () => {
    const opened: { connection?: Connection } = {}
    afterAll(() => opened.connection?.close())
    spanRollupCases(store, () => {
      opened.connection ??= connect(access())
      return { connection: opened.connection, name: 'errors' }
    })
  })

  describe('the rollup of log lines', { timeout: 90_000 }, () => {
    const opened: { connection?: Connection } = {}
    afterAll(() => opened.connection?.close())
    logRollupCases(store, () => {
      opened.connection ??= connect(access())
      return { connection: opened.connection, name: 'errors' }
    })
  })

  describe('texts of log lines', { timeout: 90_000 }, () => {
    const opened: { connection?: Connection } = {}
    afterAll(() => opened.connection?.close())
    logTextCases(store, () => {
      opened.connection ??= connect(access())
      const merge = (table: string) => node().ask(`OPTIMIZE TABLE errors.${table} FINAL`)
      return { connection: opened.connection, name: 'errors', merge }
    })
  })

  describe('the SQL of owners', { timeout: 90_000 }, () => {
    const opened: { connection?: Connection } = {}
    afterAll(() => opened.connection?.close())
    ownerSqlCases(store, () => {
      opened.connection ??= connect(access())
      return { connection: opened.connection, name: 'errors' }
    })
  })

  describe('an insert whose sender is gone', { timeout: 90_000 }, () => {
    /** Takes an insert off the wire: returns a function that sends it now, as a network that was away would. */
    async function caught(projectId: number, token: string): Promise<() => Promise<string>> {
      const real = open()
      const held = Promise.withResolvers<{ path: string; body: Buffer; headers: Record<string, string> }>()
      const { createServer } = await import('node:http')
      const wire = createServer((req, res) => {
        const parts: Buffer[] = []
        req.on('data', (part: Buffer) => parts.push(part))
        req.on('end', () => {
          const all = {
            path: req.url ?? '',
            body: Buffer.concat(parts),
            headers: { authorization: req.headers.authorization ?? '' },
          }
          if (all.path.includes('INSERT+INTO') || all.path.includes('INSERT%20INTO')) {
            held.resolve(all)
            return void res.destroy()
          }
          const passed = request(
            `${node().url}${all.path}`,
            {
              method: req.method,
              headers: { ...all.headers, 'content-type': req.headers['content-type'] ?? 'text/plain' },
            },
            (answer) => {
              res.writeHead(answer.statusCode ?? 500, answer.headers)
              answer.pipe(res)
            },
          )
          passed.end(all.body)
        })
      })
      await new Promise<void>((done) => wire.listen(0, '127.0.0.1', done))
      const address = wire.address()
      const port = address && typeof address === 'object' ? address.port : 0
      const lost = createEventStore({ ...access(), url: `http://127.0.0.1:${port}`, observe: silent })
      const rows = bytes([1, 2, 3].map((n) => ({ n: 5_000_000 + n, projectId })))
      await expect(lost.insert('events', rows, token)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      await lost.close()
      await real.close()
      wire.close()
      const { path, body, headers } = await held.promise
      return async () =>
        (await fetch(`${node().url}${path}`, { method: 'POST', body: new Uint8Array(body), headers })).text()
    }

    test('stores its rows once if it arrives late, and nobody asked meanwhile', async () => {
      const send = await caught(700, 'journal:700-1')
      expect(await send()).toBe('')
      expect([await count(700), await counted(700)]).toEqual([3, [3, 3]])
      expect(await send()).toBe('')
      expect([await count(700), await counted(700)]).toEqual([3, [3, 3]])
    })

    test('stores nothing if a recovery has asked before it arrives, and what the recovery stores is stored once', async () => {
      const send = await caught(701, 'journal:701-1')
      const [from, to] = [row(5_000_001).jpos, row(5_000_009).jpos]
      const recovery = open()
      // Rows of other projects are at the same positions.
      const stored = await recovery.settle('events', 'journal:701-1', from, to)
      expect(stored.has(from)).toBe((await count(700)) > 0)
      const rows = bytes([1, 2, 3].map((n) => ({ n: 5_000_000 + n, projectId: 701 })))
      await recovery.insert('events', rows, 'journal:701-1:again')
      expect(await send()).toContain('fenced')
      expect([await count(701), await counted(701)]).toEqual([3, [3, 3]])
      // A second recovery ends the first one, whose insert may be on its way too.
      const next = open()
      await next.settle('events', 'journal:701-1', from, to)
      await expect(recovery.insert('events', rows, 'journal:701-1:more')).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      })
      expect(await count(701)).toBe(3)
      await recovery.close()
      await next.close()
    })

    test('a token whose name merely begins alike is no part of it', async () => {
      await store().settle('events', 'journal:702-1', 1, 2)
      const other = open()
      await other.insert('events', bytes([{ n: 5_100_000, projectId: 702 }]), 'journal:702-12')
      expect(await count(702)).toBe(1)
      await other.close()
    })
  })

  test('a large insert is one part in each table, so its token covers all of it', async () => {
    const rows = bytes(
      Array.from({ length: 2000 }, (_, n) => ({ n: 5_200_000 + n, projectId: 703, payload: 'x'.repeat(9000) })),
    )
    for (let tries = 0; tries < 2; tries++) await store().insert('events', rows, 'large')
    expect([await count(703), await count(703, '1 GROUP BY _part')]).toEqual([2000, 2000])
    expect(await counted(703)).toEqual([2000, 2000])
  })

  test('a statement that its caller gave up is ended before the next one', async () => {
    const connection = connect(access())
    await connection.command('CREATE TABLE errors.slow (a UInt64) ENGINE = MergeTree ORDER BY a')
    const fill = 'INSERT INTO errors.slow SELECT sipHash64(number) FROM numbers(300000000000)'
    await expect(connection.command(fill, {}, { seconds: 1 })).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' })
    const running = () => node().ask("SELECT count() FROM system.processes WHERE query LIKE 'INSERT INTO errors.slow%'")
    await connection.command('TRUNCATE TABLE errors.slow')
    expect(await running()).toBe('0')
    await connection.command('DROP TABLE errors.slow')
    await connection.close()
  })

  test('a read that its caller gave up is stopped', async () => {
    const connection = connect(access())
    const control = new AbortController()
    const asked = connection.rows(
      'SELECT max(sipHash64(number)) FROM numbers(300000000000)',
      {},
      { signal: control.signal },
    )
    const running = () =>
      node().ask(
        "SELECT count() FROM system.processes WHERE query LIKE '%300000000000%' AND query NOT LIKE '%processes%'",
      )
    await expect.poll(running, { timeout: 10_000 }).toBe('1')
    control.abort()
    await expect(asked).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' })
    await expect.poll(running, { timeout: 10_000 }).toBe('0')
    await connection.close()
  })

  test('a new process ends what an earlier one left running', async () => {
    const [earlier, later] = [connect(access()), connect(access())]
    const left = earlier.rows('SELECT max(sipHash64(number)) FROM numbers(400000000000)').catch((error) => error.code)
    const running = () =>
      node().ask(
        "SELECT count() FROM system.processes WHERE query LIKE '%400000000000%' AND query NOT LIKE '%processes%'",
      )
    await expect.poll(running, { timeout: 10_000 }).toBe('1')
    await later.endEarlier()
    expect(await running()).toBe('0')
    expect(await left).toBe('STORE_UNAVAILABLE')
    await earlier.close()
    await later.close()
  })

  test('limits of memory and time go with each query', async () => {
    const connection = connect(access())
    const names = ['max_memory_usage', 'max_execution_time', 'session_timezone']
    const asked = `SELECT ${names.map((name) => `toString(getSetting('${name}')) AS ${name}`).join(', ')}`
    expect(await connection.rows(asked, {}, { seconds: 7 })).toEqual([
      { max_memory_usage: String(2 * 2 ** 30), max_execution_time: '7', session_timezone: 'UTC' },
    ])
    const slow = 'SELECT max(sipHash64(number)) FROM numbers(300000000000)'
    await expect(connection.rows(slow, {}, { seconds: 1 })).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' })
    await connection.close()
  })

  test('a database belongs to one installation', async () => {
    const other = open(user, { installation: 'two' })
    await expect(other.migrate()).rejects.toMatchObject({ code: 'START_EVENTS_TAKEN' })
    await other.close()
    await store().migrate()
  })

  describe('at a start', () => {
    const asked = (who: Who) => checkServer({ ...access(who), user: who.name })
    test('it passes with its grants, and without one it says which is missing', async () => {
      expect(await asked(user)).toBe('ready')
      await expect(asked({ ...user, password: 'wrong' })).rejects.toMatchObject({ code: 'START_EVENTS_CREDENTIALS' })
      await expect(asked(poor)).rejects.toMatchObject({
        code: 'START_EVENTS_GRANTS',
        message: expect.stringContaining('lacks: INSERT ON errors.*; ALTER DELETE ON errors.*.'),
      })
      await expect(asked({ ...user, database: 'none' })).rejects.toMatchObject({ code: 'START_EVENTS_DATABASE' })
    })

    test('the printed statements are valid', async () => {
      for (const sql of setUpStatements({ user: 'ada', database: 'errors' }, true))
        expect(await node().ask(`EXPLAIN AST ${sql}`)).not.toBe('')
    })
  })

  test('it names itself and its disk', async () => {
    expect(await store().version()).toMatch(/^\d+\.\d+\./)
    const disk = await store().serverDisk()
    expect(disk && disk.total > disk.used && disk.used > 0).toBe(true)
  })

  describe('a backup', { timeout: 120_000 }, () => {
    const rollup = 'week, project_id, group_hash, environment, hour, n, finalizeAggregation(users)'
    const compared = {
      events: '*',
      spans: '*',
      sessions: '*',
      'issue_time FINAL': rollup,
      'hour_issue FINAL': rollup,
      thinned: rollup,
      'span_rollup FINAL': '*',
      segments: '*',
      'log_rollup FINAL': '*',
    }
    /** Number and content of the rows of each table. */
    const everything = async (database: string) => {
      const asked = Object.entries(compared).map(
        ([name, columns]) => `SELECT '${name}', count(), sum(cityHash64(${columns})) FROM ${database}.${name}`,
      )
      return (await node().ask(asked.join(' UNION ALL '))).split('\n').sort()
    }

    test('streams the rows into files, and another database has them all', async () => {
      await store().insert('events', bytes([{ n: 5_300_000, projectId: 704, payload: 'a\tb\nc\\d\u0000é' }]), 'odd')
      const rows = await store().backup('rows', join(folder, 'rows'))
      expect(rows.events).toBe(Number(await node().ask('SELECT count() FROM errors.events')))
      const second = open(others[0])
      await second.restore('rows', join(folder, 'rows'), false)
      expect(await everything('second')).toEqual(await everything('errors'))
      expect((await second.eventsBetween(row(5_300_000).jpos, row(5_300_000).jpos + 1))[0]?.payload).toBe(
        'a\tb\nc\\d\u0000é',
      )
      // Its views work again, and a database with rows is left alone.
      await second.insert('events', bytes([{ n: 5_300_001, projectId: 705 }]), 'after')
      expect(await node().ask('SELECT sum(n) FROM second.hour_issue WHERE project_id = 705')).toBe('1')
      await expect(second.restore('rows', join(folder, 'rows'), false)).rejects.toMatchObject({ code: 'VALIDATION' })
      await second.restore('rows', join(folder, 'rows'), true)
      expect(await everything('second')).toEqual(await everything('errors'))
      await second.close()
    })

    test('is left to the server if it has a target for it', async () => {
      const [from, to] = [
        open(user, { backupTarget: "Disk('backups')" }),
        open(others[1], { backupTarget: "Disk('backups')" }),
      ]
      const rows = await from.backup('take-1', join(folder, 'take-1'))
      expect([rows.events > 0, await from.copying()]).toEqual([true, false])
      await expect(store().restore('take-1', join(folder, 'take-1'), false)).rejects.toMatchObject({
        code: 'BACKUP_NO_TARGET',
      })
      await to.restore('take-1', join(folder, 'take-1'), false)
      expect(await everything('third')).toEqual(await everything('errors'))
      await from.close()
      await to.close()
    })

    test('that is cut off is no backup', async () => {
      const connection = connect(access())
      const taken = async (sql: string) => {
        let text = ''
        for await (const part of await connection.stream(sql, 'complete\n')) text += String(part)
        return text
      }
      expect(await taken('SELECT 1, 2')).toBe('1\t2\ncomplete\n')
      const broken = await taken(
        'SELECT number, throwIf(number = 200000) FROM numbers(300000) SETTINGS max_block_size = 1000',
      ).catch(() => 'failed')
      expect(broken.endsWith('complete\n')).toBe(false)
      await connection.close()
    })
  })

  test('kill -9 loses nothing acknowledged; meanwhile the error names the server', async () => {
    const rows = Array.from({ length: 12 }, (_, n) => n)
    await Promise.all(
      rows.map((n) => store().insert('events', bytes([{ n: 5_400_000 + n, projectId: 706 }]), `kill:${n}`)),
    )
    await node().kill()
    const away = {
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('The ClickHouse server at ch:8123 does not answer'),
    }
    await expect(store().byEventId([706], row(5_400_000).eventId)).rejects.toMatchObject(away)
    await expect(
      store().insert('events', bytes([{ n: 5_400_099, projectId: 706 }]), 'kill:away'),
    ).rejects.toMatchObject(away)
    expect(await store().ping()).toBe(false)
    await node().start()
    expect(await count(706)).toBe(12)
    expect(await store().ping()).toBe(true)
  })
})
