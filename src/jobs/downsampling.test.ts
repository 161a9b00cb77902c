import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../api/app.cases.ts'
import { verify } from '../backup/verify.ts'
import { systemClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import type { RestIssue, RestIssueDetail } from '../contract/issues.ts'
import { tableSizes } from '../store/events/tables.cases.ts'
import { orderOf } from './downsample-candidates.ts'
import { createDownsampling, type DownsamplingDeps } from './downsampling.ts'
import { createLock } from './lock.ts'

const hourMs = 3_600_000
/** Bytes per row in these tests, so that budgets are row counts. */
const rowBytes = 1000

describe('the order', () => {
  const crowd = (week: string, groupHash: string, rows: number) => ({ week, projectId: 1, groupHash, rows })
  test.each<[string, [string, string, number][], string[]]>([
    [
      'of two that are alike the older',
      [
        ['2026-11-16', 'new', 50],
        ['2026-11-09', 'old', 50],
      ],
      ['old', 'new'],
    ],
    [
      'a flood of this week before the few of an old one',
      [
        ['2026-09-07', 'few', 30],
        ['2026-11-16', 'flood', 100_000],
      ],
      ['flood', 'few'],
    ],
    [
      'many that are old before more that are new',
      [
        ['2026-11-16', 'new', 3000],
        ['2026-10-12', 'old', 1000],
      ],
      ['old', 'new'],
    ],
    ['nothing', [], []],
  ])('%s', (_name, crowds, expected) => {
    expect(orderOf(crowds.map((item) => crowd(...item))).map((item) => item.groupHash)).toEqual(expected)
  })
})

/** These tests run in order on the same stores. Each one downsamples them further. */
describe('thinning over the real stores', () => {
  let world: TestApp
  const common = 400

  const event = (n: number, type: string) => ({
    event_id: n.toString(16).padStart(32, '0'),
    platform: 'javascript',
    timestamp: (systemClock.now() - 20 * 24 * hourMs + n * hourMs) / 1000,
    user: { id: String(n % 9) },
    exception: {
      values: [{ type, value: 'no', stacktrace: { frames: [{ function: `f${type}`, filename: 'a.js' }] } }],
    },
  })

  beforeAll(async () => {
    world = await openTestApp()
    for (let at = 0; at < common; at += 20) {
      const events = Array.from({ length: 20 }, (_, n) => event(at + n + 1, 'TypeError'))
      // One event in ten has a file, including the first event of the issue.
      await world.store(events, at % 100 === 0 ? [{ name: 'log.txt', type: 'text/plain', bytes: `file ${at}` }] : [])
    }
    await world.store([901, 902, 903].map((n) => event(n, 'RareError')))
  }, 30_000)
  afterAll(() => world.close())

  const depsOf = (budgetRows: number | null, change: Partial<DownsamplingDeps['events']> = {}): DownsamplingDeps => {
    const { meta, events, blobs } = world.app
    return {
      clock: systemClock,
      observe: silent,
      meta,
      blobs,
      events: { ...events, ...change },
      lock: createLock(),
      pause: async () => () => undefined,
      measure: async () => {
        const rows = (await events.size()).find((item) => item.table === 'events')?.rows ?? 0
        const stored = rows * rowBytes
        const budget = budgetRows === null ? null : budgetRows * rowBytes
        const tables = tableSizes({ events: { rows, bytes: stored } })
        return { tables, blobs: 0, database: 0, copies: 0, stored, budget }
      },
    }
  }
  const look = async () => {
    const { json } = await world.call('GET', '/organizations/acme/issues/?statsPeriod=90d&sort=freq')
    const [issue] = json as RestIssue[]
    const detail = (await world.call('GET', `/organizations/acme/issues/${issue?.id}/?statsPeriod=90d`))
      .json as RestIssueDetail
    const { meta, events } = world.app
    const hashes = (await meta.issues.hashesOf([Number(issue?.id)])).get(Number(issue?.id)) ?? []
    const rows = await events.ofIssue({ projectId: world.project.id, hashes, order: 'oldest', max: 1000 })
    return { detail, ids: rows.map((row) => Number.parseInt(row.eventId, 16)) }
  }
  const faults = async () => {
    const { app } = world
    const checks = await verify({
      clock: systemClock,
      meta: app.meta,
      events: app.events,
      blobs: app.blobs,
      durable: 0,
      retainedSinceMs: 0,
      journal: { read: (from) => ({ records: [], next: from }) },
    })
    return checks.filter((check) => check.wrong.length > 0)
  }
  const thinnedSums = async () =>
    (await world.app.meta.ledger.outcomeSums({ fromMs: 0 }))
      .filter((outcomeSum) => outcomeSum.outcome === 'thinned')
      .map(({ category, quantity, reason }) => [category, quantity, reason])
      .sort()

  test('within the budget, or without one, nothing happens', async () => {
    expect(await createDownsampling(depsOf(1000)).run()).toEqual({ stored: 403_000, budget: 1_000_000 })
    expect(await createDownsampling(depsOf(null)).run()).toEqual({ stored: 403_000, budget: null })
    expect([await world.app.meta.retention.downsampleRuns(9), (await look()).ids.length]).toEqual([[], common])
  })

  test('days of spans go before any event, and no more of them than needed', async () => {
    const spans = ['2026-11-10', '2026-11-11', '2026-11-12']
    const [removedRows, asked]: [string[], number[]] = [[], []]
    const deps = depsOf(403, {
      dropOldest: async (_table, beforeMs) => {
        asked.push(beforeMs)
        const day = spans.shift()
        if (day) removedRows.push(day)
        return day
      },
    })
    const { measure } = deps
    deps.measure = async () => {
      const disk = await measure()
      const bytes = spans.length * 30_000
      const tables = { ...disk.tables, spans: { rows: spans.length, bytes } }
      return { ...disk, tables, stored: disk.stored - 50_000 + bytes }
    }
    const before = systemClock.now()
    // 443,000 bytes stored with a budget of 403,000. The target, 5% below, is 382,850.
    expect(await createDownsampling(deps).run()).toMatchObject({ stored: 353_000, droppedSpans: removedRows })
    expect([removedRows.length, spans.length, asked.every((at) => at <= before - 23 * hourMs)]).toEqual([3, 0, true])
    expect([
      await world.app.meta.retention.downsampleRuns(9),
      await world.app.meta.values.getValue('spans-gone'),
    ]).toEqual([[], '1'])
    // A partition that is already empty must not cause an endless loop.
    expect(await createDownsampling(deps).run()).toEqual({ stored: 353_000, budget: 403_000 })
  })

  test('over it the oldest go, no more than needed; counts, ledger, files and the check stay true', async () => {
    const { meta, blobs } = world.app
    const before = await look()
    const result = await createDownsampling(depsOf(300)).run()
    const after = await look()
    const removedRows = common - after.ids.length
    expect(result).toEqual({ thinned: removedRows, stored: (403 - removedRows) * rowBytes, budget: 300_000 })
    expect(removedRows).toBeGreaterThanOrEqual(118)
    expect(removedRows).toBeLessThan(140)
    // The oldest events are gone, except the first and a sample over time.
    expect([after.ids[0], after.ids.at(-1)]).toEqual([1, 400])
    expect(after.ids.filter((n) => n > 200)).toHaveLength(200)
    expect(after.ids.filter((n) => n < 100).length).toBeGreaterThanOrEqual(6)
    // Counts still include all events. Tags only include kept events.
    const tags = before.detail.tags.map((tag) => ({ ...tag, totalValues: after.ids.length }))
    expect(after.detail).toEqual({ ...before.detail, tags, thinned: removedRows })
    const files = [101, 201, 301].filter((n) => !after.ids.includes(n)).length
    expect(await thinnedSums()).toEqual([
      ...(files ? [['attachment', files, 'disk_budget']] : []),
      ['error', removedRows, 'disk_budget'],
    ])
    expect((await blobs.list('')).length).toBe(4 - files)
    expect(await meta.retention.downsampleRuns(9)).toMatchObject([
      { events: removedRows, attachments: files, bytesBefore: 403_000, budgetBytes: 300_000, reached: true },
    ])
    expect(await faults()).toEqual([])
    const status = (await world.call('GET', '/status/')).json as { ledger: { lost: number; thinned: number } }
    expect(status.ledger).toMatchObject({ thinned: removedRows + files })
    expect((await world.call('GET', '/organizations/acme/usage/')).json).toMatchObject({
      projects: [{ events: { rows: 403 - removedRows, thinned: removedRows } }],
    })
  }, 30_000)

  test.each([
    ['rowsOfCut', 255],
    ['countCutRows', 210],
    ['eventsInCut', 170],
    ['deleteCut', 132],
  ] as const)(
    'a kill at %s: the check holds, the next start ends it, nothing counts twice',
    async (place, budget) => {
      const { events, meta } = world.app
      let calls = 0
      const broken = createDownsampling(
        depsOf(budget, {
          [place]: async (...given: never[]) => {
            // The first two calls come before the cut starts.
            if (place === 'rowsOfCut' && ++calls < 3) return (events[place] as (...all: never[]) => unknown)(...given)
            if (place === 'countCutRows') await (events[place] as (...all: never[]) => Promise<void>)(...given)
            broken.stop()
            throw new Error('killed')
          },
        }),
      )
      await expect(broken.run()).rejects.toThrow('killed')
      expect((await meta.retention.downsampleSteps()).at(-1)?.stage).toBe(place === 'deleteCut' ? 'counted' : 'planned')
      expect(await faults()).toEqual([])
      const next = createDownsampling(depsOf(budget))
      await next.resume()
      expect((await meta.retention.downsampleSteps()).at(-1)?.stage).toBe('cut')
      await next.run()
      const { detail, ids } = await look()
      expect(detail).toMatchObject({ thinned: common - ids.length, lifetime: { count: String(common) } })
      expect((await thinnedSums()).find(([category]) => category === 'error')).toEqual([
        'error',
        common - ids.length,
        'disk_budget',
      ])
      expect(await faults()).toEqual([])
    },
    30_000,
  )

  test('an events store that goes away in the middle is waited for, as long as it takes', async () => {
    const { events } = world.app
    let isOutage = 6
    const thinning = createDownsampling({
      ...depsOf(98, {
        deleteCut: async (cut) => {
          if (isOutage-- > 0) throw new MishapError('STORE_UNAVAILABLE')
          await events.deleteCut(cut)
        },
      }),
      clock: { ...systemClock, sleep: async () => undefined },
    })
    const before = (await look()).ids.length
    const { thinned } = (await thinning.run()) as { thinned: number }
    expect((await look()).ids).toHaveLength(before - thinned)
    expect(await faults()).toEqual([])
  }, 30_000)

  test('rows that a power cut brings back are taken out again; a cut is forgotten once it is proven', async () => {
    const { meta, events } = world.app
    const before = (await look()).ids.length
    const first = createDownsampling(
      // Simulates a power cut that lost the writes.
      depsOf(68, { deleteCut: async () => first.stop() }),
    )
    await first.run()
    const step = (await meta.retention.downsampleSteps()).at(-1)
    expect([step?.stage, (await look()).ids.length]).toEqual(['cut', before])
    const state = { nowMs: systemClock.now() }
    const next = createDownsampling({ ...depsOf(68), clock: { ...systemClock, now: () => state.nowMs } })
    await next.resume()
    const { ids, detail } = await look()
    expect([ids.length < before, detail.thinned]).toEqual([true, common - ids.length])
    expect(await faults()).toEqual([])
    expect((await next.run()).budget).toBe(68_000)
    expect((await meta.retention.downsampleSteps()).some((downsampleStep) => downsampleStep.id === step?.id)).toBe(true)
    state.nowMs += 20 * 60_000
    await next.run()
    expect(await meta.retention.downsampleSteps()).toEqual([])
    expect(await events.rowsOfCut(step?.cut as never)).toEqual([])
  }, 30_000)

  test('each issue keeps 22; what cannot be held is said, and not tried for each event', async () => {
    const asked: string[] = []
    const { events } = world.app
    const thinning = createDownsampling(
      depsOf(10, {
        largeGroups: (rowsLeft) => {
          asked.push(rowsLeft.newest)
          return events.largeGroups(rowsLeft)
        },
      }),
    )
    expect(await thinning.run()).toMatchObject({ reached: false })
    const { ids } = await look()
    expect(ids).toHaveLength(22)
    expect([ids[0], ids.at(-1)]).toEqual([1, 400])
    const gaps = ids.slice(1).map((item, at) => item - (ids[at] ?? 0))
    expect(Math.max(...gaps)).toBeLessThan(31)
    expect(await world.app.meta.retention.downsampleRuns(1)).toMatchObject([{ reached: false }])
    const looks = asked.length
    expect(await thinning.run()).toMatchObject({ reached: false })
    expect(asked).toHaveLength(looks)
    // More events arrive and are downsampled again.
    await world.store(Array.from({ length: 40 }, (_, n) => event(501 + n, 'TypeError')))
    expect(await thinning.run()).toMatchObject({ thinned: 40, reached: false })
    const later = await look()
    expect([later.ids.length, later.ids[0], later.ids.at(-1)]).toEqual([22, 1, 540])
    expect(later.detail).toMatchObject({ thinned: common + 40 - 22, lifetime: { count: String(common + 40) } })
    expect(await faults()).toEqual([])
  }, 30_000)
})
