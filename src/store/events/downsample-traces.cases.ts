import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Connection } from './connection.ts'
import { createTraceDownsampling, type TraceCut } from './downsample-traces.ts'
import { encodeEventRow } from './encode.ts'
import type { EventStore } from './event-store.ts'
import { row } from './events.cases.ts'
import type { SpanRow } from './span-store.ts'
import { encodeSpanRow } from './traces/encode-span.ts'
import { spanRow } from './traces/span-rows.cases.ts'

type Database = { connection: Connection; name: string }

const hour = 3_600_000
const dayMs = 24 * hour
/** A day of arrival that no other case uses, and its successor. */
const [day, next] = ['2026-09-15', '2026-09-16']
const dayStart = Date.parse(`${day}T00:00:00Z`)
const projects = [8101, 8102]
const traceCount = 400
const jpos = 970_000_000
const before = jpos + 1_000_000
/** Spread over all hashes. */
const traceOf = (n: number) =>
  (BigInt(n + 1) * 0x9e3779b97f4a7c15f39cc0605cedc835n).toString(16).slice(-32).padStart(32, '1')
const idOf = (n: number) => (0xe000000 + n).toString(16).padStart(16, '0')

/** Each trace has a segment with a query in one project and a segment of a server in the other. */
function spansOf(n: number): SpanRow[] {
  const route = ['/', '/cart', '/orders/[id]'][n % 3] ?? ''
  const startUs = (dayStart + (n % 5) * hour + n * 1000) * 1000
  // A trace that crosses midnight.
  const receivedMs = n === 7 ? dayStart + dayMs + 5 : dayStart + 6 * hour
  const make = (place: number, changes: Partial<SpanRow>): SpanRow =>
    spanRow(n * 3 + place, {
      traceId: traceOf(n),
      spanId: idOf(n * 3 + place),
      startUs,
      route,
      durationUs: 1000 + n,
      failed: n % 97 === 0 && place === 0,
      release: n < 200 ? 'shop@1' : 'shop@2',
      weight: n % 2 ? 1 : 4,
      jpos: jpos + n,
      place,
      receivedMs: dayStart + 6 * hour,
      projectId: 8101,
      ...changes,
    })
  return [
    make(0, { isSegment: true, statement: '', measurements: n % 4 ? {} : { lcp: 2000 + n } }),
    make(1, { statement: 'SELECT ?' }),
    make(2, { isSegment: true, statement: '', projectId: 8102, route: `POST ${route}`, receivedMs }),
  ]
}

/** Cases of the downsampling of whole traces. Every kind of events store passes them. */
export function traceDownsampleCases(open: () => EventStore, database: () => Database): void {
  const ask = <T>(query: string) => database().connection.rows<T>(query)
  const table = () => `${database().name}.spans`
  const own = `project_id IN (${projects.join(', ')})`
  const cut = (level: number, step = level): TraceCut => ({ step, day, before, level })
  const all = Array.from({ length: traceCount }, (_, n) => spansOf(n)).flat()
  const insert = (rows: readonly SpanRow[], token: string) =>
    open().insert('spans', Buffer.from(rows.map(encodeSpanRow).join('')), token)

  type Stratum = { key: string; weight: number }
  const sums = async () => {
    const rows = await ask<Stratum>(
      `SELECT concat(toString(project_id), ' ', route, ' ', toString(toStartOfHour(start)), ' ', toString(is_segment), ' ', toString(failed)) AS key,
         sum(toFloat64(weight)) AS weight FROM ${table()} WHERE ${own} GROUP BY key ORDER BY key`,
    )
    return new Map(rows.map(({ key, weight }) => [key, weight]))
  }
  const traces = async () =>
    new Map(
      (
        await ask<{ trace: string; n: string; marks: number[] }>(
          `SELECT lower(hex(trace_id)) AS trace, count() AS n, groupUniqArray(downsampled) AS marks FROM ${table()} WHERE ${own} GROUP BY trace`,
        )
      ).map(({ trace, n, marks }) => [trace, { n: Number(n), marks }]),
    )
  const expectSums = async (expected: ReadonlyMap<string, number>) => {
    const found = await sums()
    expect([...found.keys()]).toEqual([...expected.keys()])
    // Weights are stored with 24 bits.
    for (const [key, weight] of expected) expect(Math.abs((found.get(key) ?? 0) / weight - 1)).toBeLessThan(1e-5)
  }
  const rollup = () =>
    ask(
      `SELECT metric, length, sum(n) AS n, sum(weight) AS weight FROM ${database().name}.span_rollup WHERE ${own} GROUP BY ALL ORDER BY ALL`,
    )
  const differing = async () => {
    const { span_hour, span_day, segments } = (await open().check()).rollups
    return [span_hour, span_day, segments]
  }
  /** Sums of segments by their own table, which must be those of the spans. */
  const segmentWeights = async () => {
    const sum = (from: string) =>
      ask<{ project_id: string; n: string; weight: number }>(
        `SELECT project_id, count() AS n, round(sum(toFloat64(weight)), 3) AS weight FROM ${database().name}.${from}
         WHERE ${own} AND is_segment GROUP BY project_id ORDER BY project_id`,
      )
    return [await sum('segments'), await sum('spans')]
  }
  const expectSegments = async () => {
    const [copies, rows] = await segmentWeights()
    expect(copies).toHaveLength(2)
    expect(copies).toEqual(rows)
  }
  const state: { sums: Map<string, number>; others: number[] } = { sums: new Map(), others: [] }
  const apply = async (step: TraceCut) => {
    await open().chooseTraces(step)
    const built = await open().buildDay(step)
    await open().replaceDay(step)
    return built
  }

  beforeAll(async () => {
    await insert(all, 'spans:traces-1')
    const error = row(7301, {
      projectId: 8101,
      traceId: traceOf(11),
      receivedMs: dayStart + 7 * hour,
      jpos: jpos + 900_000,
    })
    await open().insert('events', Buffer.from(encodeEventRow(error)), 'events:traces-1')
    // A performance issue is no error: its traces are usual ones.
    const slow = Array.from({ length: traceCount }, (_, n) =>
      row(7400 + n, {
        projectId: 8101,
        traceId: traceOf(n),
        type: 'generic',
        receivedMs: dayStart + 7 * hour,
        jpos: jpos + 900_001 + n,
      }),
    )
    await open().insert('events', Buffer.from(slow.map(encodeEventRow).join('')), 'events:traces-2')
    state.sums = await sums()
    state.others = (await differing()) as number[]
  })

  // The restored rows of a case below were counted by the view.
  afterAll(async () => {
    for (const projectId of projects) await open().remove(projectId)
  })

  test('days are listed, and spans that came after the step are seen', async () => {
    expect(await open().spanDays()).toEqual(expect.arrayContaining([day, next]))
    expect(await open().spansAfter(cut(1))).toBe(0)
    expect(await open().spansAfter({ ...cut(1), before: jpos + 395 })).toBe(15)
    await expect(open().spansAfter({ ...cut(1), day: "2026' OR 1" })).rejects.toThrow('not a day')
  })

  test('a day of which no second copy fits on the disk is not built', async () => {
    const { connection, name } = database()
    const asked: string[] = []
    const full: Connection = {
      ...connection,
      rows: async <Row>(sql: string, bound?: Record<string, unknown>): Promise<Row[]> => {
        const found = await connection.rows<Row & { free?: string }>(sql, bound)
        return sql.includes('system.disks') ? found.map((item) => ({ ...item, free: '70000000' })) : found
      },
      command: async (sql: string, ...rest: [Record<string, unknown>?]) => {
        asked.push(sql.trim().slice(0, 6))
        return connection.command(sql, ...rest)
      },
    }
    const large: Connection = {
      ...full,
      rows: async <Row>(sql: string, bound?: Record<string, unknown>): Promise<Row[]> => {
        const found = await full.rows<Row & { needed?: string }>(sql, bound)
        expect(found.every(({ needed }) => needed === undefined || Number(needed) > 10_000)).toBe(true)
        return found.map((item) => (item.needed === undefined ? item : { ...item, needed: '3000000' }))
      },
    }
    await expect(createTraceDownsampling(large, name).buildDay(cut(1))).rejects.toThrow('70000000 bytes free')
    expect(new Set(asked)).toEqual(new Set(['DROP T']))
  })

  test('half of the traces go whole, the kept ones stay, and the weights of each route and hour stay the same', async () => {
    const counted = await rollup()
    const step = cut(1)
    await open().chooseTraces(step)
    const first = await open().buildDay(step)
    expect((await traces()).size).toBe(traceCount)
    // A second try after a kill takes the same.
    await open().chooseTraces(step)
    expect(await open().buildDay(step)).toEqual(first)
    expect(await open().spansOfStep(step)).toEqual({ older: first.rows, own: 0 })
    await open().replaceDay(step)
    expect(await open().spansOfStep(step)).toEqual({ older: 0, own: first.kept })
    const left = await traces()
    expect(left.size).toBeGreaterThan(traceCount * 0.45)
    expect(left.size).toBeLessThan(traceCount * 0.65)
    const whole = [...left].filter(([trace]) => trace !== traceOf(7))
    expect(whole.every(([, { n, marks }]) => n === 3 && marks.length === 1 && marks[0] === 1)).toBe(true)
    const gone = traceCount - whole.length - 1
    // The last span of trace 7 came the next day.
    expect([first.rows - first.kept, first.removed.reduce((sum, { rows }) => sum + rows, 0)]).toEqual(
      left.get(traceOf(7))?.n === 3 ? [gone * 3, gone * 3] : [gone * 3 + 2, gone * 3 + 2],
    )
    const failed = Array.from({ length: traceCount }, (_, n) => n).filter((n) => n % 97 === 0)
    // With an error, with an event, slowest of a route and hour, first of a release.
    for (const n of [...failed, 11, 399, 398, 397, 0, 200]) expect(left.has(traceOf(n))).toBe(true)
    await expectSums(state.sums)
    expect(await rollup()).toEqual(counted)
    expect(await differing()).toEqual(state.others)
    await expectSegments()
    await open().forgetTraces(step.step)
  })

  test('what a power cut restores is found and removed, or the whole day is done again with the same result', async () => {
    const step = cut(1, 11)
    const left = await traces()
    const restored = all.slice(0, 30).filter(({ traceId }) => !left.has(traceId))
    await insert(restored, 'spans:traces-2')
    // The view counted them as new spans.
    await database().connection.command(`DELETE FROM ${database().name}.span_rollup WHERE ${own}`)
    expect((await open().spansOfStep(step)).older).toBe(restored.length)
    await open().removeBeforeStep(step)
    expect([(await open().spansOfStep(step)).older, await traces()]).toEqual([0, left])
    await expectSegments()
    // The segments of the day came back alone.
    await database().connection.command(
      `INSERT INTO ${database().name}.segments SELECT * REPLACE (place + 1000 AS place) FROM ${database().name}.segments WHERE ${own} AND day = '${day}'`,
    )
    await open().copySegments(step)
    await expectSegments()
    await insert(
      all.filter(({ receivedMs }) => receivedMs < dayStart + dayMs),
      'spans:traces-3',
    )
    await apply(step)
    expect(await traces()).toEqual(left)
    await expectSums(state.sums)
  })

  test('at the last level only kept traces stay, and one for each route and hour that carries the weight', async () => {
    const half = await traces()
    const built = await apply(cut(4))
    const left = await traces()
    expect(left.size).toBeLessThan(traceCount * 0.25)
    expect([...left.keys()].every((trace) => half.has(trace))).toBe(true)
    expect(built.removed.map(({ projectId, category }) => [projectId, category])).toEqual([
      [8101, 'span'],
      [8101, 'transaction'],
      [8102, 'transaction'],
    ])
    for (const n of [0, 97, 11, 399, 200]) expect(left.has(traceOf(n))).toBe(true)
    await expectSums(state.sums)
    // No kept trace stands for others while there is another.
    const [slowest] = await ask<{ weight: number }>(
      `SELECT max(weight) AS weight FROM ${table()} WHERE ${own} AND lower(hex(trace_id)) = '${traceOf(399)}'`,
    )
    expect(slowest?.weight).toBeLessThan(4.001)
    await open().chooseTraces(cut(4, 5))
    expect(await open().buildDay(cut(4, 5))).toEqual({ rows: 0, kept: 0, removed: [] })
  })
}
