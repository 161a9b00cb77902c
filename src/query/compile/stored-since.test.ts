import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { storedSince } from './stored-since.ts'

/** Friday 2026-11-27 12:00 UTC. */
const now = Date.UTC(2026, 10, 27, 12)
const config = { retentionErrorsDays: 90, retentionSpansDays: 30, retentionLogsDays: 14, retentionMetricsDays: 90 }
const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const since = (from: Parameters<typeof storedSince>[1], own: { days: number; projectIds: number[] }[] = []) => {
  const shorterRetentions = async () => own.map((one, at) => ({ organizationId: at + 1, ...one }))
  const meta = { organizations: { shorterRetentions } }
  return storedSince({ clock: testClock(now), config, meta }, from, [1, 2])
}

test('rows are stored from the start of the partition that retention keeps', async () => {
  expect(await since('logs')).toBe(day('2026-11-13'))
  expect(await since('spans')).toBe(day('2026-10-28'))
  // 90 days before is Saturday the 29th; events leave in whole weeks.
  expect(await since('events')).toBe(day('2026-08-24'))
})

test('the ledger has a retention of its own', async () => {
  expect(await since('outcomes')).toBe(0)
})

test('the shortest retention of an organization with one of the projects counts', async () => {
  expect(await since('logs', [{ days: 7, projectIds: [2, 3] }])).toBe(day('2026-11-20'))
  expect(await since('logs', [{ days: 7, projectIds: [3] }])).toBe(day('2026-11-13'))
  expect(await since('logs', [{ days: 30, projectIds: [1] }])).toBe(day('2026-11-13'))
})
