import { expect, test } from 'vitest'
import { detectorAttributes } from '../../../domain/detectors/detector-rows.ts'
import type { CandidateLimits, CandidateRequest } from '../detector-store.ts'
import type { EventStore } from '../event-store.ts'
import { encodeSpanRow } from './encode-span.ts'
import { type SpanChanges, spanRow } from './span-rows.cases.ts'

const base = 970_000_000
const limits: CandidateLimits = {
  repeatsMin: 5,
  repeatedUs: 10_000,
  statementUs: 500_000,
  requestsMin: 3,
  requestUs: 500_000,
  assetUs: 500_000,
}
const isRead: ReadonlySet<string> = new Set(detectorAttributes)
const traceOf = (n: number) => `d${n.toString(16)}`.padEnd(32, '0')

export function detectorCases(open: () => EventStore): void {
  const span = (trace: number, n: number, changes: SpanChanges = {}) =>
    spanRow(n, { projectId: 81, traceId: traceOf(trace), jpos: base + 100 * trace, ...changes })
  const rows = [
    ...Array.from({ length: 6 }, (_, n) => span(1, n)),
    ...Array.from({ length: 6 }, (_, n) => span(2, n, { statement: `SELECT ${'abcdef'[n]}` })),
    span(3, 0, { durationUs: 600_000 }),
    ...Array.from({ length: 3 }, (_, n) => span(4, n, { category: 'http', durationUs: 600_000 })),
    span(5, 0, { category: 'resource', durationUs: 600_000 }),
    span(6, 0, { category: 'cache', durationUs: 900_000 }),
    // The second half of trace 7 comes later.
    ...Array.from({ length: 6 }, (_, n) => span(7, n, { jpos: base + (n < 3 ? 700 : 2000) })),
    span(8, 0, { isSegment: true, item: 'span', category: 'http', durationUs: 11_000_000 }),
  ]
  const find = async (
    fromJpos: number,
    toJpos: number,
    max = 10,
    sinceJpos = fromJpos,
    more: Partial<CandidateRequest> = {},
  ) => {
    const found = await open().detectorCandidates({
      sinceJpos,
      fromJpos,
      toJpos,
      untilJpos: toJpos + 5000,
      limits,
      max,
      projectMax: 10,
      ...more,
    })
    const own = found.traces.filter(({ projectId }) => projectId === 81)
    return { ...found, traces: own.map(({ traceId }) => Number.parseInt(traceId[1] ?? '', 16)).sort() }
  }

  test('candidates are traces with enough of what a detector needs', async () => {
    await open().insert('spans', Buffer.from(rows.map(encodeSpanRow).join('')), 'spans:81-82')
    const found = await find(base, base + 1000)
    expect([found.traces, found.total]).toEqual([[1, 3, 4, 5, 8], 5])
    expect(found.receivedMs).toBe(spanRow(0).receivedMs)
    expect(await find(base, base + 1000, 2)).toMatchObject({ total: 5 })
    expect((await find(base + 900, base + 1000)).traces).toEqual([])
  })

  test('a project with many candidates leaves room for others, and the rest is counted', async () => {
    await open().insert(
      'spans',
      Buffer.from(encodeSpanRow(span(9, 0, { projectId: 82, durationUs: 600_000 }))),
      'spans:82',
    )
    const asked = { sinceJpos: base, fromJpos: base, toJpos: base + 1000, untilJpos: base + 6000, limits }
    const two = await open().detectorCandidates({ ...asked, max: 2, projectMax: 10 })
    expect(two.traces.map(({ projectId }) => projectId).sort()).toEqual([81, 82])
    const few = await open().detectorCandidates({ ...asked, max: 10, projectMax: 3 })
    expect([few.traces.filter(({ projectId }) => projectId === 81).length, few.total]).toEqual([3, 6])
  })

  test('rows after the end of the reach are not read', async () => {
    expect((await find(base + 1000, base + 3000, 10, base + 700, { untilJpos: base + 1000 })).traces).toEqual([])
  })

  test('a trace that still grows waits for the next step, and is counted with its earlier spans there', async () => {
    expect((await find(base + 700, base + 800)).traces).toEqual([])
    expect((await find(base + 1000, base + 3000)).traces).toEqual([])
    expect((await find(base + 1000, base + 3000, 10, base + 700)).traces).toEqual([7])
  })

  test('spans of several traces, segments first, and which of them are left', async () => {
    const keys = [1, 8].map((n) => ({ projectId: 81, traceId: traceOf(n) }))
    const found = await open().spansOfTraces(keys, spanRow(0).receivedMs, { each: 4, max: 100 })
    expect(found.map(({ traceId }) => traceId[1])).toEqual(['1', '1', '1', '1', '8'])
    expect(await open().spansOfTraces(keys, spanRow(0).receivedMs, { each: 4, max: 2 })).toHaveLength(2)
    expect(Object.keys(found[0]?.attributes ?? {}).filter((key) => !isRead.has(key))).toEqual([])
    expect(await open().spansOfTraces([{ projectId: 82, traceId: traceOf(1) }], 0, { each: 4, max: 100 })).toEqual([])
    const ids = ['f1', 'f2', 'ff'].map((id) => id.padStart(16, '0'))
    expect((await open().storedSpans(81, traceOf(1), [...ids, "' OR 1"])).sort()).toEqual(ids.slice(0, 2))
    expect(await open().storedSpans(81, 'none', ids)).toEqual([])
  })
}
