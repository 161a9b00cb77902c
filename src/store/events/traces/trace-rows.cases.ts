import { expect, test } from 'vitest'
import type { EventStore } from '../event-store.ts'
import type { TextColumn } from '../trace-store.ts'
import { encodeSpanRow } from './encode-span.ts'
import { type SpanChanges, spanRow } from './span-rows.cases.ts'

const idOf = (n: number) => `f${n.toString(16)}`.padStart(16, '0')
const trace = 'ab'.repeat(16)

const textsOf = ({ texts, numbers }: TextColumn): (string | undefined)[] => numbers.map((number) => texts[number])

export function traceCases(open: () => EventStore): void {
  const span = (n: number, changes: SpanChanges = {}) =>
    spanRow(n, { traceId: trace, projectId: 71, jpos: 960_000_000, ...changes })
  const rows = [
    span(0, { isSegment: true, parentId: '', op: 'pageload', name: '/cart', measurements: { lcp: 88 } }),
    span(1, { durationUs: 9_000_000, attributes: { 'db.system': 'mysql', rows: 3, isCached: true } }),
    span(2, { projectId: 72, op: 'secret', name: 'secret', status: 'ok', measurements: { lcp: 1 } }),
    span(3, { status: 'internal_error', failed: true, durationUs: 1 }),
    span(4, { traceId: 'cd'.repeat(16) }),
  ]
  const all = { all: [71, 72], readable: [71] }
  const insert = () => open().insert('spans', Buffer.from(rows.map(encodeSpanRow).join('')), 'spans:70-71')

  test('a trace as columns: texts of readable projects only', async () => {
    await insert()
    const { names, ...found } = await open().traceSpans(all, trace, 10)
    const by = <Value>(list: Value[]) =>
      Object.fromEntries(found.ids.map((id, at) => [Number.parseInt(id.slice(-1), 16), list[at]]))
    expect(by(found.projectIds)).toEqual({ 0: 71, 1: 71, 2: 72, 3: 71 })
    expect(by(textsOf(found.ops))).toEqual({ 0: 'pageload', 1: 'db', 2: '', 3: 'db' })
    expect(by(textsOf(names))).toMatchObject({ 0: '/cart', 1: rows[1]?.description, 2: '' })
    expect(by(textsOf(found.statuses))).toEqual({ 0: 'ok', 1: 'ok', 2: '', 3: 'internal_error' })
    expect(by(found.starts.map((start) => found.originUs + start))).toEqual(
      Object.fromEntries(rows.slice(0, 4).map((row, n) => [n, row.startUs])),
    )
    expect(by(found.durationsUs)).toMatchObject({ 1: 9_000_000, 2: 2500 })
    expect(by(found.parentIds)).toMatchObject({ 0: '', 1: idOf(0) })
    expect(found.measurements).toEqual([[idOf(0), { lcp: 88 }]])
    expect(JSON.stringify({ names, found })).not.toContain('secret')
    expect((await open().traceSpans(all, trace, 2)).ids).toHaveLength(2)
    expect((await open().traceSpans({ all: [], readable: [] }, trace, 2)).ids).toEqual([])
  })

  test('columns belong together where nearly all values are 0 or empty, which the engine stores apart', async () => {
    const sparse = Array.from({ length: 300 }, (_, n) =>
      span(n, {
        traceId: 'ef'.repeat(16),
        isSegment: n === 150,
        failed: n === 250,
        status: n === 250 ? 'aborted' : '',
      }),
    )
    await open().insert('spans', Buffer.from(sparse.map(encodeSpanRow).join('')), 'spans:72-73')
    const found = await open().traceSpans(all, 'ef'.repeat(16), 400)
    const at = (n: number) => found.ids.indexOf(idOf(n))
    expect([found.segments.indexOf(1), found.failures.indexOf(1), textsOf(found.statuses).indexOf('aborted')]).toEqual([
      at(150),
      at(250),
      at(250),
    ])
  })

  test('a summary has segments, then failures, then the longest; the totals count all', async () => {
    const ids = async (max: number) => (await open().largestSpans(all, trace, max)).ids.sort()
    expect([await ids(1), await ids(2), await ids(3)]).toEqual([[0], [0, 3], [0, 1, 3]].map((list) => list.map(idOf)))
    const totals = await open().traceTotals(all, trace)
    expect(totals).toEqual({
      spans: 4,
      byProject: new Map([
        [71, 3],
        [72, 1],
      ]),
      fromUs: rows[0]?.startUs,
      toUs: (rows[1]?.startUs ?? 0) + 9_000_000,
    })
  })

  test('one span by its id, and spans by an attribute, within projects', async () => {
    expect(await open().spanOfTrace([71], trace, idOf(1))).toMatchObject({
      spanId: idOf(1),
      attributes: rows[1]?.attributes,
    })
    expect(await open().spanOfTrace([71], trace, idOf(2))).toBeUndefined()
    expect(await open().spanOfTrace([71], trace, "' OR 1")).toBeUndefined()
    const matches = (key: string, value: string) => open().spansWithAttribute([71], trace, { key, value }, 10)
    expect(await matches('db.system', 'mysql')).toEqual([idOf(1)])
    expect(await matches('rows', '3')).toEqual([idOf(1)])
    expect(await matches('isCached', 'true')).toEqual([idOf(1)])
    expect(await matches('db.system', 'my')).toEqual([])
  })

  test('spans with links or events, by start and within projects', async () => {
    const traceId = '9'.repeat(32)
    const at = 1_760_000_100_000_000
    const link = JSON.stringify([{ trace_id: trace, span_id: idOf(1), sampled: true }])
    const event = JSON.stringify([{ name: 'retry', timestamp: at / 1e6, attributes: {} }])
    const rich = [
      span(801, { traceId, projectId: 74, startUs: at + 5, events: event }),
      span(802, { traceId, projectId: 74, startUs: at, links: link }),
      span(803, { traceId, projectId: 74, startUs: at }),
      span(804, { traceId, projectId: 75, startUs: at, links: link }),
    ].map((row) => ({ ...row, jpos: 962_000_000 }))
    await open().insert('spans', Buffer.from(rich.map(encodeSpanRow).join('')), 'spans:extras')
    expect(await open().spansWithExtras([74], traceId, 10)).toEqual([
      { spanId: rich[1]?.spanId, startUs: at, links: link, events: '' },
      { spanId: rich[0]?.spanId, startUs: at + 5, links: '', events: event },
    ])
    expect(await open().spansWithExtras([74], traceId, 1)).toHaveLength(1)
    expect(await open().spansWithExtras([74], "' OR 1", 10)).toEqual([])
  })

  test('the longest segment, and the segment of its route before it', async () => {
    const at = 1_760_000_000_000_000
    const segments = [1, 2, 3].map((n) =>
      span(700 + n, {
        traceId: `${n}`.repeat(32),
        projectId: 73,
        isSegment: true,
        op: 'http.server',
        route: 'GET /before',
        startUs: at + n * 1_000_000,
        durationUs: n * 1000,
        jpos: 961_000_000,
      }),
    )
    const inner = span(710, { traceId: '3'.repeat(32), projectId: 73, isSegment: true, durationUs: 5, route: 'x' })
    const lines = [...segments, inner].map(encodeSpanRow).join('')
    await open().insert('spans', Buffer.from(lines), 'spans:74-75')
    const main = await open().mainSegment([73], '3'.repeat(32))
    const key = { projectId: 73, op: 'http.server', route: 'GET /before' }
    expect(main).toEqual({ key, spanId: segments[2]?.spanId, startUs: at + 3_000_000 })
    expect(await open().mainSegment([71], '3'.repeat(32))).toBeUndefined()
    const before = (startUs: number, traceId: string) => open().segmentBefore(key, startUs, traceId)
    expect(await before(at + 3_000_000, '3'.repeat(32))).toEqual({
      traceId: '2'.repeat(32),
      spanId: idOf(702),
      startMs: (at + 2_000_000) / 1000,
      durationMs: 2,
    })
    expect(await before(at + 3_000_000, '2'.repeat(32))).toMatchObject({ traceId: '1'.repeat(32) })
    expect(await before(at + 1_000_000, '1'.repeat(32))).toBeUndefined()
    expect(await before(at + 9 * 86_400_000_000, '9'.repeat(32))).toBeUndefined()
  })

  test('durations of a statement, and spans by op', async () => {
    const startUs = Date.now() * 1000 - 60_000_000
    const slow = [1, 1, 1, 1, 100].map((durationMs, n) =>
      span(800 + n, {
        traceId: 'a1'.repeat(16),
        projectId: 74,
        category: 'db',
        statement: 'SELECT 7',
        startUs,
        durationUs: durationMs * 1000,
        weight: 10,
        jpos: 962_000_000,
      }),
    )
    await open().insert('spans', Buffer.from([...slow, ...slow.slice(0, 1)].map(encodeSpanRow).join('')), 'spans:76-77')
    const found = await open().statementDurations(74, 'SELECT 7', Date.now() - 3_600_000)
    expect([found?.samples, found?.count]).toEqual([6, 60])
    expect(found?.hash).toMatch(/^[0-9a-f]{16}$/)
    expect((found?.p50Ms ?? 0) / 1).toBeCloseTo(1, 0)
    expect(Math.abs((found?.p99Ms ?? 0) / 100 - 1)).toBeLessThan(0.05)
    expect(await open().statementDurations(74, 'SELECT 8', 0)).toBeUndefined()
    expect(await open().spanCounts([74], 'a1'.repeat(16))).toEqual(new Map([['db', 5]]))
  })
}
