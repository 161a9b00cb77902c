import { expect, test } from 'vitest'
import type { EventStore } from '../event-store.ts'
import type { SpanRow } from '../span-store.ts'
import { encodeSpanRow } from './encode-span.ts'

const day = 86_400_000
/** Monday 2026-11-16 10:00 UTC. */
const monday = Date.UTC(2026, 10, 16, 10)
const traceOf = (n: number) => `abc${n.toString(16)}`.padEnd(32, '0')
const idOf = (n: number) => `f${n.toString(16)}`.padStart(16, '0')

export type SpanChanges = Partial<SpanRow>

/** Makes a span. `n` determines its id and place. */
export function spanRow(n: number, changes: SpanChanges = {}): SpanRow {
  return {
    projectId: 51,
    traceId: traceOf(1),
    spanId: idOf(n),
    parentId: idOf(0),
    segmentId: idOf(0),
    isSegment: false,
    item: 'transaction',
    transaction: 'GET /cart',
    op: 'db',
    name: '',
    description: `SELECT '\\t' FROM a\n\t-- ${n}`,
    startUs: monday * 1000 + n * 100 + 3,
    durationUs: 2500,
    selfUs: -1,
    status: 'ok',
    kind: '',
    origin: 'auto.db',
    cut: '',
    attributes: { 'db.system': 'postgres"q\'l', 'thread.id': 7.5, flags: ['a', '\t'], ok: true, text: '[x' },
    measurements: {},
    links: '',
    events: '',
    platform: 'node',
    release: 'api@1',
    environment: 'production',
    userHash: '00000000000000b1',
    receivedMs: monday + 40,
    jpos: 900_000_000,
    place: n,
    repaired: 0,
    route: '/cart/[id]',
    category: 'db',
    statement: "SELECT '\\t' FROM a",
    weight: 4,
    failed: false,
    httpStatus: 0,
    clockShiftUs: -1500,
    ...changes,
  }
}

const spanTsv = (rows: readonly SpanRow[]) => Buffer.from(rows.map(encodeSpanRow).join(''))
const seen = ({ jpos: _jpos, place: _place, item: _item, ...rest }: SpanRow) => rest

export function spanCases(open: () => EventStore): void {
  const span = spanRow
  const segment = (changes: Partial<SpanRow> = {}) =>
    span(0, {
      parentId: '',
      isSegment: true,
      op: 'pageload',
      name: '/cart',
      description: '',
      selfUs: 12,
      startUs: monday * 1000 + 5000,
      cut: 'deadline_exceeded',
      measurements: { lcp: 88.5, "it's": -1 },
      ...changes,
    })

  test('a span comes back as it was, segments first, then by start, once although it came twice', async () => {
    const rows = [span(2), segment(), span(1, { description: "ä ' \\ ", links: '[{"span_id":"1"}]', repaired: 3 })]
    await open().insert('spans', spanTsv(rows), 'spans:1-2')
    await open().insert('spans', spanTsv(rows), 'spans:1-2')
    await open().insert('spans', spanTsv([span(2, { jpos: 900_000_100, place: 0 })]), 'spans:2-3')
    const found = await open().spansOfTrace([51], traceOf(1), 10)
    expect(found).toEqual([segment(), rows[2], rows[0]].map((item) => seen(item as SpanRow)))
    expect((await open().spansOfTrace([51], traceOf(1), 2)).map((item) => item.spanId)).toEqual([idOf(0), idOf(1)])
  })

  test('of a trace with more rows than are ordered here the engine gives the same, each once', async () => {
    const at = (n: number, times: number) =>
      Array.from({ length: times }, (_, copy) =>
        span(n, { projectId: 58, jpos: 950_000_000 + n * 10 + copy, isSegment: n === 3, receivedMs: monday + copy }),
      )
    await open().insert('spans', spanTsv([1, 2, 3, 4, 5].flatMap((n) => at(n, 3))), 'spans:60-61')
    const ids = async (max: number) => (await open().spansOfTrace([58], traceOf(1), max)).map((item) => item.spanId)
    // 15 rows of 5 spans: up to twice the requested number of rows is sorted in this process.
    for (const max of [2, 7]) expect(await ids(max)).toEqual([3, 1, 2, 4, 5].slice(0, max).map(idOf))
    expect(await ids(8)).toEqual([3, 1, 2, 4, 5].map(idOf))
  })

  test.each([
    ['another project', [52], traceOf(1)],
    ['no project', [], traceOf(1)],
    ['another trace', [51], traceOf(2)],
    ['no trace', [51], '0'.repeat(32)],
    ['what is no id', [51], "' OR 1"],
  ])('nothing for %s', async (_name, projects, trace) => {
    expect(await open().spansOfTrace(projects, trace, 10)).toEqual([])
  })

  test('what stands of a range is told by record and place', async () => {
    const rows = [0, 1, 2].map((place) => span(place + 10, { jpos: 910_000_000, place }))
    await open().insert('spans', spanTsv([...rows, span(9, { jpos: 910_000_500, place: 7 })]), 'spans:10-11')
    const found = await open().settle('spans', 'spans:10-11', 910_000_000, 910_000_500)
    expect([...found].map(([jpos, places]) => [jpos, [...places].sort()])).toEqual([[910_000_000, [0, 1, 2]]])
  })

  test('transactions of the last hour are remembered, newest first, and no other spans', async () => {
    const at = (n: number, receivedMs: number, changes: Partial<SpanRow> = {}) =>
      segment({ projectId: 53, spanId: idOf(n), jpos: 920_000_000 + n, receivedMs, ...changes })
    const rows = [
      at(1, monday + 3 * day),
      at(2, monday + 3 * day + 5),
      at(3, monday + 3 * day + 9, { item: 'span' }),
      at(4, monday + 3 * day + 9, { isSegment: false }),
      at(5, monday + 3 * day - 1),
    ]
    await open().insert('spans', spanTsv(rows), 'spans:20-21')
    const found = await open().recentTransactions(monday + 3 * day, 10)
    expect(found.filter((item) => item.projectId === 53)).toEqual(
      [2, 1].map((n) => ({ projectId: 53, traceId: traceOf(1), spanId: idOf(n) })),
    )
  })

  test('a project’s spans go with it, and before a day, and no other’s', async () => {
    const rows = [0, 1, 2].flatMap((n) =>
      [54, 55].map((projectId) =>
        span(n, { projectId, jpos: 930_000_000 + projectId, receivedMs: monday + 7 * day + n * day }),
      ),
    )
    await open().insert('spans', spanTsv(rows), 'spans:30-31')
    const left = async (projectId: number) => (await open().spansOfTrace([projectId], traceOf(1), 10)).length
    expect(await open().removeBefore('spans', [54], Date.UTC(2026, 10, 24))).toBe(1)
    expect(await open().removeBefore('spans', [54], Date.UTC(2026, 10, 24))).toBe(0)
    // Each remaining day has a span, and its hour and day in the rollup.
    expect([await left(54), await left(55), await open().rowsOf(54)]).toEqual([2, 3, 2 * 3])
    await open().remove(54)
    await open().rewrite()
    expect([await left(54), await left(55), await open().rowsOf(54)]).toEqual([0, 3, 0])
  })

  test('the tally tells transactions from spans, and rows that stand twice', async () => {
    const rows = [segment({ projectId: 56, jpos: 940_000_000 }), span(1, { projectId: 56, jpos: 940_000_000 })]
    await open().insert('spans', spanTsv(rows), 'spans:40-41')
    await open().insert('spans', spanTsv(rows.slice(1)), 'spans:40-41:again')
    const own = (await open().tally('spans')).filter((item) => item.projectId === 56)
    expect(own).toEqual([{ projectId: 56, counts: { transaction: 1, span: 2 }, twice: 1, lastJpos: 940_000_000 }])
    expect((await open().countByProject('spans')).find((item) => item.projectId === 56)).toEqual({
      projectId: 56,
      rows: 3,
    })
  })

  test('days go whole: those that are over, and the oldest one when the disk is full', async () => {
    const long = Date.UTC(2020, 0, 10, 12)
    const rows = [0, 1, 2].map((n) => span(n, { projectId: 57, jpos: 100 + n, receivedMs: long + n * day }))
    await open().insert('spans', spanTsv(rows), 'spans:50-51')
    expect(await open().dropBefore('spans', long + day, long + 2 * day)).toEqual(['2020-01-10'])
    expect(await open().dropOldest('spans', Date.UTC(2020, 0, 11))).toBe(undefined)
    expect(await open().dropOldest('spans', Date.UTC(2020, 0, 12))).toBe('2020-01-11')
    expect((await open().spansOfTrace([57], traceOf(1), 10)).map((item) => item.spanId)).toEqual([idOf(2)])
    expect(await open().dropBefore('spans', long + 4 * day, long + 2 * day)).toEqual(['2020-01-12'])
  })
}
