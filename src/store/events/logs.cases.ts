import { describe, expect, test } from 'vitest'
import type { EventStore } from './event-store.ts'
import { logSearchCases } from './log-search.cases.ts'
import type { LogRow } from './log-store.ts'
import { encodeLogRow } from './logs/encode.ts'
import { metricCases } from './metrics.cases.ts'

const day = 86_400_000
/** Monday 2026-11-16 10:00 UTC. */
const monday = Date.UTC(2026, 10, 16, 10)

type LogChanges = Partial<LogRow>

/** Makes a log line. `n` determines its time and place. */
function logRow(n: number, changes: LogChanges = {}): LogRow {
  return {
    projectId: 61,
    timeUs: monday * 1000 + n * 1000 + 3,
    traceId: `abc${n.toString(16)}`.padEnd(32, '0'),
    spanId: `f${n.toString(16)}`.padStart(16, '0'),
    severity: 17,
    level: 'error',
    body: `payment ${n} refused:\t"card\\declined" it's\n`,
    template: 'payment %s refused',
    pattern: '00000000000000aa',
    service: 'shop',
    host: 'web-1',
    logger: 'pay',
    environment: 'production',
    release: 'shop@1',
    platform: 'node',
    origin: 'auto.log.console',
    userHash: '00000000000000b1',
    attributes: { 'order.id': n, plan: 'gold "q\'l', flags: ['a', '\t'], ok: true },
    repaired: 1,
    truncated: true,
    weight: 4,
    receivedMs: monday + 40,
    jpos: 910_000_000,
    place: n,
    ...changes,
  }
}

const logTsv = (rows: readonly LogRow[]) => Buffer.from(rows.map(encodeLogRow).join(''))

/** What the store does with log lines, on each kind of events store. */
export function logCases(open: () => EventStore): void {
  describe('metrics, which the store treats alike', () => metricCases(open))
  describe('reads of log lines', () => logSearchCases(open))

  test('lines are stored once, counted by project, and leave with their day or their project', async () => {
    const events = open()
    const [old, next] = [monday - 400 * day, monday - 399 * day]
    const rows = [
      logRow(1),
      logRow(2),
      logRow(3, { projectId: 62, receivedMs: old, jpos: 910_000_100 }),
      logRow(4, { projectId: 62, receivedMs: next, jpos: 910_000_200 }),
    ]
    for (let round = 0; round < 2; round++) await events.insert('logs', logTsv(rows), 'logs:1-2')
    const counts = async () =>
      new Map((await events.countByProject('logs')).map((entry) => [entry.projectId, entry.rows]))
    expect([(await counts()).get(61), (await counts()).get(62)]).toEqual([2, 2])
    const places = await events.settle('logs', 'logs:9-9', 910_000_000, 910_000_050)
    expect([...(places.get(910_000_000) ?? [])].sort()).toEqual([1, 2])
    const tally = (await events.tally('logs')).find(({ projectId }) => projectId === 62)
    expect(tally).toEqual({ projectId: 62, counts: { log_item: 2 }, twice: 0, lastJpos: 910_000_200 })
    const oldDay = new Date(old).toISOString().slice(0, 10)
    expect(await events.dropOldest('logs', old)).toBe(undefined)
    expect(await events.dropOldest('logs', old + day)).toBe(oldDay)
    expect((await counts()).get(62)).toBe(1)
    // The line, and the six rows that count it by its fields.
    expect(await events.rowsOf(62)).toBe(7)
    await events.remove(62)
    expect([await events.rowsOf(62), (await counts()).get(61)]).toEqual([0, 2])
    await events.remove(61)
  })
}
