import { expect, test } from 'vitest'
import type { EventStore } from './event-store.ts'
import type { MetricRow } from './metric-store.ts'
import { encodeMetricRow } from './metrics/encode.ts'

const day = 86_400_000
/** Monday 2026-11-16 10:00 UTC. */
const monday = Date.UTC(2026, 10, 16, 10)

/** Makes a point. `n` determines its time and place. */
function metricRow(n: number, changes: Partial<MetricRow> = {}): MetricRow {
  return {
    projectId: 71,
    timeMs: monday + n,
    name: 'orders "q\'l',
    type: 'counter',
    unit: 'item',
    value: n + 0.5,
    count: 1,
    min: 0,
    max: 0,
    sum: 0,
    isBucket: false,
    traceId: `abc${n.toString(16)}`.padEnd(32, '0'),
    spanId: `f${n.toString(16)}`.padStart(16, '0'),
    service: 'shop',
    environment: 'production',
    release: 'shop@1',
    attributes: { 'order.id': n, plan: 'gold "q\'l', flags: ['a', '\t'], ok: true },
    folded: 0,
    repaired: 1,
    stream: '',
    total: 0,
    receivedMs: monday + 40,
    jpos: 920_000_000,
    place: n,
    entries: 1,
    ...changes,
  }
}

const metricTsv = (rows: readonly MetricRow[]) => Buffer.from(rows.map(encodeMetricRow).join(''))

/** What the store does with points of metrics, on each kind of events store. */
export function metricCases(open: () => EventStore): void {
  test('points are stored once, counted by project, and leave with their day or their project', async () => {
    const events = open()
    const [old, next] = [monday - 400 * day, monday - 399 * day]
    const rows = [
      metricRow(1),
      metricRow(2),
      metricRow(3, { projectId: 72, receivedMs: old, jpos: 920_000_100 }),
      metricRow(5, { projectId: 72, receivedMs: next, jpos: 920_000_200, entries: 0 }),
      metricRow(4, { projectId: 72, receivedMs: next, jpos: 920_000_200 }),
    ]
    for (let round = 0; round < 2; round++) await events.insert('metrics', metricTsv(rows), 'metrics:1-2')
    const counts = async () =>
      new Map((await events.countByProject('metrics')).map((entry) => [entry.projectId, entry.rows]))
    expect([(await counts()).get(71), (await counts()).get(72)]).toEqual([2, 3])
    const places = await events.settle('metrics', 'metrics:9-9', 920_000_000, 920_000_050)
    expect([...(places.get(920_000_000) ?? [])].sort()).toEqual([1, 2])
    const tally = (await events.tally('metrics')).find(({ projectId }) => projectId === 72)
    expect(tally).toEqual({ projectId: 72, counts: { trace_metric: 2 }, twice: 0, lastJpos: 920_000_200 })
    const oldDay = new Date(old).toISOString().slice(0, 10)
    expect(await events.dropOldest('metrics', old)).toBe(undefined)
    expect(await events.dropOldest('metrics', old + day)).toBe(oldDay)
    expect((await counts()).get(72)).toBe(2)
    expect(await events.rowsOf(72)).toBe(2)
    await events.remove(72)
    expect([await events.rowsOf(72), (await counts()).get(71)]).toEqual([0, 2])
    await events.remove(71)
  })
}
