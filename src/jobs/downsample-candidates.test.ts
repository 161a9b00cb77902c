import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../api/app.cases.ts'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { encodeEventRow } from '../store/events/encode.ts'
import { row } from '../store/events/events.cases.ts'
import { tableSizes } from '../store/events/tables.cases.ts'
import type { EventEffect } from '../store/meta/meta.ts'
import { createDownsampling, type DownsamplingDeps } from './downsampling.ts'
import { createLock } from './lock.ts'

const weekMs = 7 * 86_400_000
const rowBytes = 1000
const hashOf = (n: number) => (0xf000_0000 + n).toString(16).padStart(16, '0')

/** An issue with its groups. Each group maps weeks ago to a number of rows. */
type Given = { groups: Record<number, number>[] }

const many = (count: number, given: Given): Given[] => Array.from({ length: count }, () => given)
/** 230 issues were downsampled to their kept events 12 weeks ago. 50 new issues have many events. */
const steady = [...many(230, { groups: [{ 12: 22 }] }), ...many(50, { groups: [{ 0: 120 }] })]

/** Stores the events of issues by time received. Returns their downsampling under a budget in rows. */
async function open(issues: Given[]) {
  const world: TestApp = await openTestApp()
  const { meta, events, blobs } = world.app
  const startMs = systemClock.now()
  const effects: EventEffect[] = []
  const lines: string[] = []
  let n = 0
  let group = 0
  for (const { groups } of issues) {
    const shared = hashOf(1_000_000 + group)
    for (const weeks of groups) {
      const hashes = [hashOf(group++), shared]
      for (const [ago, count] of Object.entries(weeks))
        for (let at = 0; at < count; at++) {
          const receivedMs = startMs - Number(ago) * weekMs - at * 1000
          const eventRow = row(++n, {
            projectId: world.project.id,
            groupHash: hashes[0] ?? '',
            hashes,
            jpos: n,
            receivedMs,
            timestampUs: receivedMs * 1000,
            payload: '{}\n{}',
          })
          lines.push(encodeEventRow(eventRow))
          effects.push({
            projectId: world.project.id,
            keyId: 1,
            jpos: n,
            eventId: eventRow.eventId,
            hashes,
            title: 't',
            culprit: '',
            kind: 'error',
            level: 'error',
            platform: 'javascript',
            logger: '',
            metadata: {},
            receivedMs,
            timestampMs: receivedMs,
            release: '',
            environment: '',
            digest: '',
            unhandled: false,
          })
        }
    }
  }
  await events.insert('events', Buffer.from(lines.join('')), 'given')
  const batch = await meta.batches.openBatch(0, n + 1)
  await meta.batches.commitBatch(batch, { events: effects, attachments: [], outcomes: [], dead: [] }, startMs)
  const rowsNow = async () => (await events.size()).find((item) => item.table === 'events')?.rows ?? 0
  const thinning = (budgetRows: number) => {
    const deps: DownsamplingDeps = {
      clock: systemClock,
      observe: silent,
      meta,
      blobs,
      events,
      lock: createLock(),
      pause: async () => () => undefined,
      measure: async () => {
        const rows = await rowsNow()
        const stored = rows * rowBytes
        return {
          tables: tableSizes({ events: { rows, bytes: stored } }),
          blobs: 0,
          database: 0,
          copies: 0,
          stored,
          budget: budgetRows * rowBytes,
        }
      },
    }
    return createDownsampling(deps)
  }
  /** Rows of each issue, in the given order. One statement counts the rows of all groups. */
  const left = async () => {
    const rows = await events.groupRows({
      from: 'events',
      scope: { projectIds: [world.project.id], environments: [], fromMs: 0, toMs: startMs + weekMs },
      filter: undefined,
      withCut: true,
      values: [{ of: 'id', column: 'group' }],
      aggregates: [{ fn: 'samples' }],
      having: [],
      order: [],
      max: 10_000,
      offset: 0,
    })
    const counts = new Map(rows.map(([hash, count]) => [String(hash), Number(count)]))
    const ids = issues.map((_, at) => at + 1)
    const hashes = await meta.issues.hashesOf(ids)
    return ids.map((id) => (hashes.get(id) ?? []).reduce((sum, hash) => sum + (counts.get(hash) ?? 0), 0))
  }
  return { world, thinning, left, rows: n }
}

describe('where most issues are down to what they keep', () => {
  let given: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    given = await open(steady)
  }, 100_000)
  afterAll(() => given.world.close())

  test('the others are found, and no more of them goes than is needed', async () => {
    const budget = Math.floor(given.rows * 0.85)
    const { thinned, ...rest } = (await given.thinning(budget).run()) as { thinned: number; stored: number }
    expect(rest).toEqual({ stored: (given.rows - thinned) * rowBytes, budget: budget * rowBytes })
    expect(thinned).toBeGreaterThanOrEqual(given.rows - budget * 0.95)
    expect(thinned).toBeLessThan(given.rows - budget * 0.95 + 200)
    expect((await given.left()).slice(0, 230)).toEqual(Array.from({ length: 230 }, () => 22))
  }, 100_000)

  test('five rows too many are found as well', async () => {
    const before = (await given.world.app.meta.retention.downsampleRuns(1))[0]?.events ?? 0
    const rows = given.rows - before
    const result = await given.thinning(rows - 5).run()
    expect(result).not.toHaveProperty('reached')
    expect(Number(result['thinned'])).toBeGreaterThanOrEqual(5)
  }, 100_000)

  test('it gives up only where each issue has 22; what comes then is thinned again', async () => {
    const thinning = given.thinning(100)
    expect(await thinning.run()).toMatchObject({ reached: false })
    expect(new Set(await given.left())).toEqual(new Set([22]))
    expect(await thinning.run()).toEqual({ stored: 280 * 22 * rowBytes, budget: 100_000, reached: false })
  }, 100_000)
})

test('single events of a week, groups of a few each, and kept ones in front of all: all that may go goes', async () => {
  const given = await open([
    { groups: [{ 0: 1, 1: 1, 2: 30 }] },
    { groups: Array.from({ length: 10 }, (_, at) => ({ [at % 2]: 5 })) },
    ...many(60, { groups: [{ 2: 21, 0: 3 }] }),
    { groups: [{ 0: 300, 1: 40 }, { 2: 10 }] },
    { groups: [{ 2: 7 }] },
  ])
  try {
    expect(await given.thinning(10).run()).toMatchObject({ reached: false })
    expect(await given.left()).toEqual([...Array.from({ length: 63 }, () => 22), 7])
  } finally {
    await given.world.close()
  }
}, 100_000)
