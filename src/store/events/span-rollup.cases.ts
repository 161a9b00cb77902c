import { beforeAll, describe, expect, test } from 'vitest'
import type { Connection } from './connection.ts'
import { traceDownsampleCases } from './downsample-traces.cases.ts'
import type { EventStore } from './event-store.ts'
import { segmentsCases } from './segments.cases.ts'
import { encodeSpanRow } from './traces/encode-span.ts'
import { type SpanChanges, spanRow } from './traces/span-rows.cases.ts'

const hour = 3_600_000
const day = 24 * hour
/** Wednesday 2026-11-18 23:30 UTC. */
const at = Date.UTC(2026, 10, 18, 23, 30)
const projectId = 57

type Database = { connection: Connection; name: string }
type Sum = {
  length: number
  metric: string
  op: string
  statement: string
  n: number
  weight: number
  failed: number
  total: number
}

/** Sums of metrics, as a page reads them. */
const sumsOf = ({ connection, name }: Database, where: string) =>
  connection.rows<Sum>(
    `SELECT length, metric, op, statement, toUInt32(sum(n)) AS n, sum(weight) AS weight, sum(failed) AS failed, sum(total) AS total
     FROM ${name}.span_rollup WHERE project_id = ${projectId} AND ${where} GROUP BY ALL ORDER BY length, metric, op, statement`,
  )

const rows = (list: (SpanChanges & { n: number })[], jpos = 950_000_000) =>
  Buffer.from(
    list
      .map(({ n, ...changes }) =>
        encodeSpanRow(
          spanRow(n, {
            projectId,
            jpos,
            place: n,
            receivedMs: at + hour,
            startUs: at * 1000,
            statement: '',
            ...changes,
          }),
        ),
      )
      .join(''),
  )
const segment = { isSegment: true, op: 'http.server', category: 'http', route: '/orders/[id]', weight: 10 } as const

/** Cases of the tables that are made from spans. Every kind of events store passes them. */
export function spanRollupCases(open: () => EventStore, database: () => Database): void {
  const ask = <T>(query: string) => database().connection.rows<T>(query)
  const run = (statement: string) => database().connection.command(statement)
  const table = () => `${database().name}.span_rollup`

  beforeAll(async () => {
    await open().insert(
      'spans',
      rows([
        { n: 1, ...segment, durationUs: 300_000 },
        { n: 2, ...segment, durationUs: 3_000_000, failed: true },
        // A limit of the SDK is no duration.
        { n: 3, ...segment, durationUs: 30_000_000, cut: 'deadline_exceeded' },
        { n: 4, ...segment, durationUs: 310_000, startUs: (at + hour) * 1000 },
        { n: 5, category: 'db', statement: 'SELECT ?', durationUs: 2000, weight: 2 },
        { n: 6, category: 'db', statement: 'SELECT ?', durationUs: 4000, weight: 2 },
        { n: 7, op: 'ui.webvital.lcp', measurements: { lcp: 2600, other: 1 }, weight: 4 },
        { n: 8, op: 'ui.webvital.cls', measurements: { cls: 0.3 } },
        // Counts nowhere.
        { n: 9 },
      ]),
      'spans:rollup-1',
    )
  })

  test('counts weigh what was not sampled, hours are apart, and a day has both', async () => {
    const segments = await sumsOf(database(), `metric IN ('duration', 'cut')`)
    expect(
      segments.map(({ length, metric, n, weight, failed, total }) => [length, metric, n, weight, failed, total]),
    ).toEqual([
      [0, 'cut', 1, 10, 0, 300e6],
      [0, 'duration', 3, 30, 10, 36.1e6],
      [1, 'cut', 1, 10, 0, 300e6],
      [1, 'duration', 3, 30, 10, 36.1e6],
    ])
    const starts = await ask<{ hour: string; n: string }>(
      `SELECT toString(hour) AS hour, toString(sum(n)) AS n FROM ${table()}
       WHERE project_id = ${projectId} AND metric = 'duration' GROUP BY length, hour ORDER BY length, hour`,
    )
    expect(starts).toEqual([
      { hour: '2026-11-18 23:00:00', n: '2' },
      { hour: '2026-11-19 00:00:00', n: '1' },
      { hour: '2026-11-18 00:00:00', n: '2' },
      { hour: '2026-11-19 00:00:00', n: '1' },
    ])
  })

  test('a percentile from buckets is within 2.5% of the value', async () => {
    const [found] = await ask<{ p95: number; p50: number }>(
      `SELECT exp2((quantileExactWeighted(0.95)(bucket, toUInt64(weight)) + 0.5) / 16) AS p95,
         exp2((quantileExactWeighted(0.5)(bucket, toUInt64(weight)) + 0.5) / 16) AS p50
       FROM ${table()} WHERE project_id = ${projectId} AND metric = 'duration' AND length = 1`,
    )
    expect(Math.abs((found?.p95 ?? 0) / 3_000_000 - 1)).toBeLessThan(0.025)
    expect(Math.abs((found?.p50 ?? 0) / 310_000 - 1)).toBeLessThan(0.06)
  })

  test('routes that are paths are listed by project, those with most spans first', async () => {
    const found = await open().pathsByProject(at, 10)
    expect(found.filter((entry) => entry.projectId === projectId)).toEqual([{ projectId, routes: ['/orders/[id]'] }])
    expect(await open().pathsByProject(at + 30 * day, 10)).toEqual([])
  })

  test('statements and web vitals have their own rows', async () => {
    expect(await sumsOf(database(), `metric = 'statement' AND length = 0`)).toEqual([
      { length: 0, metric: 'statement', op: 'db', statement: 'SELECT ?', n: 2, weight: 4, failed: 0, total: 12_000 },
    ])
    const vitals = await ask<object>(
      `SELECT metric, rating, toUInt8(n) AS n, weight, total FROM ${table()}
       WHERE project_id = ${projectId} AND length = 0 AND metric IN ('lcp', 'cls') ORDER BY metric`,
    )
    expect(vitals).toEqual([
      { metric: 'cls', rating: 2, n: 1, weight: 4, total: 1_200_000 },
      { metric: 'lcp', rating: 1, n: 1, weight: 4, total: 10_400_000 },
    ])
  })

  test('an unclear insert is counted again, once, and the check finds a sum that is wrong', async () => {
    const whole = await sumsOf(database(), '1')
    const { rollups } = await open().check()
    expect(rollups).toMatchObject({ span_hour: 0, span_day: 0 })
    await open().settle('spans', 'spans:rollup-1', 950_000_000, 950_000_001)
    expect(await sumsOf(database(), '1')).toEqual(whole)
    await run(`INSERT INTO ${table()} SELECT * FROM ${table()}
      WHERE project_id = ${projectId} AND metric = 'lcp' SETTINGS insert_deduplicate = 0`)
    expect((await open().check()).rollups).toMatchObject({ span_hour: 1, span_day: 1 })
    await open().settle('spans', 'spans:rollup-1', 950_000_000, 950_000_001)
    expect(await sumsOf(database(), '1')).toEqual(whole)
    expect((await open().check()).rollups).toMatchObject({ span_hour: 0, span_day: 0 })
  })

  test('a start builds the rollup of an older version, and leaves a complete one alone', async () => {
    const whole = await sumsOf(database(), '1')
    for (const empties of [true, false]) {
      await run(`DROP VIEW IF EXISTS ${table()}_feed`)
      if (empties) await run(`TRUNCATE TABLE ${table()}`)
      await open().migrate()
      expect(await sumsOf(database(), '1')).toEqual(whole)
    }
    // Its first version was ordered by hour.
    const [old, engine] = [`${table()}_old`, 'ENGINE = AggregatingMergeTree PARTITION BY day']
    const key = 'project_id, length, metric, hour, route, op, statement, environment, release, rating, bucket'
    await run(`CREATE TABLE ${old} AS ${table()} ${engine} ORDER BY (${key})`)
    await run(`DROP VIEW ${table()}_feed`)
    await run(`DROP TABLE ${table()}`)
    await run(`CREATE TABLE ${table()} AS ${old} ${engine} ORDER BY (${key})`)
    await run(`DROP TABLE ${old}`)
    await open().migrate()
    expect(await sumsOf(database(), '1')).toEqual(whole)
    const [made] = await ask<{ order: string }>(
      `SELECT sorting_key AS order FROM system.tables WHERE database = '${database().name}' AND name = 'span_rollup'`,
    )
    expect(made?.order).toMatch(/^project_id, length, metric, route, op, hour,/)
    await open().insert('spans', rows([{ n: 10, ...segment, durationUs: 1000 }], 950_000_001), 'spans:rollup-2')
    expect((await open().check()).rollups).toMatchObject({ span_hour: 0, span_day: 0 })
  })

  test('own retention deletes the same days, and a removal everything', async () => {
    await open().insert(
      'spans',
      rows([{ n: 11, ...segment, receivedMs: at - 5 * day, startUs: (at - 5 * day) * 1000 }], 949_000_000),
      'spans:rollup-3',
    )
    expect(await open().removeBefore('spans', [projectId], Date.UTC(2026, 10, 16))).toBe(1)
    expect((await open().check()).rollups).toMatchObject({ span_hour: 0, span_day: 0 })
    await open().remove(projectId)
    expect(await sumsOf(database(), '1')).toEqual([])
    expect(await open().rowsOf(projectId)).toBe(0)
  })

  describe('segments', () => segmentsCases(open, database))
  describe('downsampled by whole traces', () => traceDownsampleCases(open, database))
}
