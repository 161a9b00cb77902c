import { beforeAll, describe, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import type { Plan } from '../../contract/explore/explore.ts'
import { groupKey, readGroups, readRanked } from '../../query/group-measures.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import { compileMeasure, createWindows, firstRowsMs, type Measure, readBuckets } from '../../query/metrics/measures.ts'
import { readGroupUniques, readUniques } from '../../query/metrics/unique-counts.ts'
import { randomOf } from '../../random.cases.ts'
import type { Project } from '../meta/meta.ts'
import type { EventStore } from './event-store.ts'
import { encodeSpanRow } from './traces/encode-span.ts'
import { spanRow } from './traces/span-rows.cases.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const startMs = Date.UTC(2026, 10, 16, 10)
const projects = [{ id: 9271, slug: 'web' }] as Project[]

type Row = {
  ms: number
  route: string
  user: number
  durationMs: number
  weight: number
  failed: boolean
  staging: boolean
}

/** One or two values of a row: a list in its JSON. */
const marksOf = (user: number): string[] => [`t${user % 5}`, `t${user % 7}`]

/** Rows of two hours. Some have an own time long before, as SDKs send after a week offline. */
function rowsOf(): { rows: Row[]; lines: string[] } {
  const random = randomOf(22)
  const rows: Row[] = []
  const lines: string[] = []
  for (let n = 0; n < 900; n++) {
    const ms = startMs + Math.floor(random() * 120) * minuteMs + Math.floor(random() * minuteMs)
    const lateDays = n % 50 === 0 ? 8 : n % 7 === 0 ? 3 : 0
    const row: Row = {
      ms,
      route: random() < 0.6 ? '/cart' : '/pay',
      user: 1 + Math.floor(random() * 40),
      durationMs: Math.floor(random() ** 3 * 9000),
      weight: 1 + Math.floor(random() * 3),
      failed: random() < 0.2,
      staging: random() < 0.1,
    }
    lines.push(
      encodeSpanRow(
        spanRow(n + 1, {
          projectId: 9271,
          startUs: (ms - lateDays * dayMs) * 1000,
          receivedMs: ms,
          durationUs: row.durationMs * 1000,
          weight: row.weight,
          failed: row.failed,
          route: row.route,
          attributes: { user: `u${row.user}`, marks: JSON.stringify(marksOf(row.user)) },
          environment: row.staging ? 'staging' : 'production',
          jpos: 977_000_000,
          place: n,
        }),
      ),
    )
    if (lateDays < 7) rows.push(row)
  }
  return { rows, lines }
}

const planOf = (aggregate: string, query = ''): Plan => ({
  dataset: 'spans',
  query,
  columns: [],
  groupBy: [],
  series: [
    { name: 'a', aggregate },
    { name: 'b', aggregate: 'count()', query: 'route:/pay' },
  ],
  formulas: [{ name: 'f', expression: 'b / a * 100' }],
  order: '',
  limit: 10,
})

const weightOf = (rows: readonly Row[]) => rows.reduce((sum, { weight }) => sum + weight, 0)
const durationSum = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + row.weight * row.durationMs, 0)
const none = (rows: readonly Row[], value: number) => (rows.length === 0 ? null : value)

/** The exact percentile: the duration at which so much of the weight is passed. */
function percentile(rows: readonly Row[], level: number): number | null {
  let passed = 0
  for (const row of rows.toSorted((a, b) => a.durationMs - b.durationMs)) {
    passed += row.weight
    if (passed >= level * weightOf(rows)) return row.durationMs
  }
  return null
}

const expected: Record<string, (rows: readonly Row[]) => number | null> = {
  'count()': weightOf,
  'count_sample()': (rows) => rows.length,
  'tpm()': (rows) => weightOf(rows) / 10,
  'failure_count()': (rows) => weightOf(rows.filter(({ failed }) => failed)),
  'failure_rate()': (rows) => none(rows, weightOf(rows.filter(({ failed }) => failed)) / weightOf(rows)),
  'sum(span.duration)': (rows) => none(rows, durationSum(rows)),
  'avg(span.duration)': (rows) => none(rows, durationSum(rows) / weightOf(rows)),
  'min(span.duration)': (rows) => none(rows, Math.min(...rows.map(({ durationMs }) => durationMs))),
  'max(span.duration)': (rows) => none(rows, Math.max(...rows.map(({ durationMs }) => durationMs))),
  'p100(span.duration)': (rows) => none(rows, Math.max(...rows.map(({ durationMs }) => durationMs))),
  'p95(span.duration)': (rows) => percentile(rows, 0.95),
  'p50(span.duration)': (rows) => percentile(rows, 0.5),
  'apdex(300)': (rows) =>
    none(
      rows,
      (weightOf(rows.filter(({ durationMs }) => durationMs <= 300)) +
        weightOf(rows.filter(({ durationMs }) => durationMs > 300 && durationMs <= 1200)) / 2) /
        weightOf(rows),
    ),
  'count_unique(user)': (rows) => new Set(rows.map(({ user }) => user)).size,
}

/** Windows of received time against the real engine. */
export function windowCases(open: () => EventStore): void {
  const { rows, lines } = rowsOf()
  const clock = testClock(startMs + dayMs)
  const deps = () => ({ clock, events: open(), meta: {} }) as unknown as QueryDeps
  const measure = (aggregate: string, query = '', environments: string[] = [], of = 'a') =>
    compileMeasure(
      deps(),
      { projects, environments, meUserId: '' },
      { plan: planOf(aggregate, query), of, windowMinutes: 10 },
    )
  const ends = Array.from({ length: 140 }, (_, at) => startMs + at * minuteMs)
  const range = { fromMs: startMs - 10 * minuteMs, toMs: startMs + 140 * minuteMs, limits: {} }
  const measured = async (of: Measure, buckets: Awaited<ReturnType<typeof readBuckets>>[number]) => {
    const [uniquesAt = () => []] = await readUniques(deps(), [of], range)
    const windows = createWindows(of, buckets, uniquesAt)
    return ends.map((endMs) => windows(endMs))
  }
  const windowOf = (endMs: number, own: readonly Row[]) =>
    own.filter(({ ms }) => ms >= endMs - 10 * minuteMs && ms < endMs)

  beforeAll(async () => {
    await open().insert('spans', Buffer.from(lines.join('')), 'spans:977-978')
  })

  test.each(Object.keys(expected))('%s of each window is that of its rows', async (aggregate) => {
    const of = await measure(aggregate)
    const found = await measured(of, (await readBuckets(deps(), [of], range))[0] ?? new Map())
    for (const [at, { value, rows: count }] of found.entries()) {
      const own = windowOf(ends[at] ?? 0, rows)
      const exact = expected[aggregate]?.(own) ?? null
      expect(count).toBeCloseTo(weightOf(own), 6)
      if (exact === null || value === null) expect(value).toBe(exact)
      // A bin of a percentile is 2% wide.
      else
        expect(Math.abs(value - exact)).toBeLessThanOrEqual(
          /^p\d\d\(/.test(aggregate) ? exact * 0.011 : 1e-6 * Math.abs(exact),
        )
    }
  })

  test('rules in one statement measure what each measures alone', async () => {
    const measures = [
      await measure('count()'),
      await measure('p95(span.duration)', 'route:/pay'),
      await measure('failure_rate()', '', ['staging']),
      await measure('count()', 'route:/cart', [], 'f'),
      await measure('count_unique(user)', 'route:/pay', ['production']),
    ]
    const together = await readBuckets(deps(), measures, range)
    for (const [at, of] of measures.entries()) {
      const [alone = new Map()] = await readBuckets(deps(), [of], range)
      expect(await measured(of, together[at] ?? new Map())).toEqual(await measured(of, alone))
    }
  })

  test('different values of several rules in one statement, each by its own rows', async () => {
    type Case = [aggregate: string, query: string, environments: string[], valuesOf: (row: Row) => unknown[]]
    const cases: Case[] = [
      ['count_unique(user)', '', [], ({ user }) => [user]],
      [
        'count_unique(user)',
        'route:/pay',
        ['staging'],
        (row) => (row.route === '/pay' && row.staging ? [row.user] : []),
      ],
      ['count_unique(route)', '', [], ({ route }) => [route]],
      ['count_unique(marks[])', 'route:/cart', [], (row) => (row.route === '/cart' ? marksOf(row.user) : [])],
    ]
    const measures = await Array.fromAsync(cases, ([aggregate, query, environments]) =>
      measure(aggregate, query, environments),
    )
    const found = await readUniques(deps(), measures, range)
    for (const [at, [, , , valuesOf]] of cases.entries()) {
      const counted = ends.map((endMs) => found[at]?.(endMs))
      expect(counted).toEqual(ends.map((endMs) => [new Set(windowOf(endMs, rows).flatMap(valuesOf)).size]))
    }
  })

  test.each<[string[], string, (row: Row) => string[][], (row: Row) => unknown[]]>([
    [['route'], 'count_unique(user)', ({ route }) => [[route]], ({ user }) => [user]],
    [
      ['user', 'route'],
      'count_unique(environment)',
      (row) => [[`u${row.user}`, row.route]],
      ({ staging }) => [staging],
    ],
    [['route'], 'count_unique(marks[])', ({ route }) => [[route]], ({ user }) => marksOf(user)],
    [
      ['marks[]'],
      'count_unique(marks[])',
      ({ user }) => marksOf(user).map((mark) => [mark]),
      ({ user }) => marksOf(user),
    ],
  ])('by %j, %s of each group is that of its rows', async (groupBy, aggregate, groupsOf, valuesOf) => {
    const view = { projects, environments: [], meUserId: '' }
    const plan = { ...planOf(aggregate), groupBy }
    const of = await compileMeasure(deps(), view, { plan, of: 'a', windowMinutes: 10 })
    const groups = new Map<string, Row[]>()
    for (const row of rows)
      for (const key of new Set(groupsOf(row).map(groupKey))) groups.set(key, [...(groups.get(key) ?? []), row])
    const cells = [...groups.keys()].map((key) => JSON.parse(key) as string[])
    const found = await readGroupUniques(deps(), of, cells, range)
    expect(found.size).toBe(groups.size)
    for (const [key, own] of groups) {
      const counted = ends.map((endMs) => found.get(key)?.(endMs))
      expect(counted).toEqual(ends.map((endMs) => [new Set(windowOf(endMs, own).flatMap(valuesOf)).size]))
    }
  })

  test('a formula, a filter and an environment', async () => {
    const share = await measure('count()', '', ['production'], 'f')
    const found = await measured(share, (await readBuckets(deps(), [share], range))[0] ?? new Map())
    const production = rows.filter(({ staging }) => !staging)
    for (const [at, { value }] of found.entries()) {
      const own = windowOf(ends[at] ?? 0, production)
      const exact = none(own, (weightOf(own.filter(({ route }) => route === '/pay')) / weightOf(own)) * 100)
      if (exact === null) expect(value).toBeNull()
      else expect(value).toBeCloseTo(exact, 6)
    }
  })

  test('the largest groups of each step, and each group alone', async () => {
    const view = { projects, environments: [], meUserId: '' }
    const plan = { ...planOf('count()'), groupBy: ['user'] }
    const of = await compileMeasure(deps(), view, { plan, of: 'a', windowMinutes: 10 })
    const ranked = await readRanked(deps(), of, range)
    const asked = {
      from: of.from,
      scope: { projectIds: of.projectIds, environments: [], fromMs: startMs, toMs: startMs + 120 * minuteMs },
      by: 'received' as const,
      filter: undefined,
      withCut: false,
      values: of.groups.map(({ value }) => value),
      aggregates: of.recipes.parts.map(({ aggregate }) => aggregate),
      bucketMs: minuteMs,
    }
    const largest = await open().largestOfBuckets({ ...asked, max: 2 })
    const cells = Array.from({ length: 40 }, (_, at) => [`u${at + 1}`])
    const alone = await readGroups(deps(), of, cells, range)
    for (let at = startMs; at < startMs + 120 * minuteMs; at += minuteMs) {
      const own = Map.groupBy(
        rows.filter(({ ms }) => ms >= at && ms < at + minuteMs),
        ({ user }) => `u${user}`,
      )
      const sizes = [...own].map(([user, found]) => [user, weightOf(found)] as const)
      const found = ranked.get(at)
      expect(found?.groups ?? 0).toBe(own.size)
      for (const [user, weight] of sizes) {
        expect(found?.rows.get(groupKey([user]))?.bucket[0]).toBeCloseTo(weight, 6)
        expect(alone.get(groupKey([user]))?.get(at)?.[0]).toBeCloseTo(weight, 6)
      }
      const two = largest.filter((row) => row.startMs === at)
      expect(two.map((row) => row.cells[0])).toEqual(
        sizes
          .map(([, weight]) => weight)
          .toSorted((a, b) => b - a)
          .slice(0, 2),
      )
      expect(two.every(({ groups }) => groups === own.size)).toBe(true)
    }
  })

  describe('what a rule cannot watch', () => {
    const groups = { ...planOf('count()'), groupBy: ['route', 'user', 'size', 'kind'] }
    const view = { projects, environments: [], meUserId: '' }
    test.each([
      ['four fields of groups', { plan: groups, of: 'a', windowMinutes: 10 }, 'plan'],
      ['a share', { plan: planOf('share()'), of: 'a', windowMinutes: 10 }, 'of'],
      ['no series', { plan: planOf('count()'), of: 'z', windowMinutes: 10 }, 'of'],
      ['a condition on a function', { plan: planOf('count()', 'count():>3'), of: 'a', windowMinutes: 10 }, 'plan'],
      ['a window between two steps', { plan: planOf('count()'), of: 'a', windowMinutes: 62 }, 'windowMinutes'],
      ['a window over 30 days', { plan: planOf('count()'), of: 'a', windowMinutes: 43_260 }, 'windowMinutes'],
    ])('%s', async (_name, asked, field) => {
      await expect(compileMeasure(deps(), view, asked)).rejects.toMatchObject({
        code: 'VALIDATION',
        fields: { [field]: [expect.any(String)] },
      })
    })
  })

  test('the hour of the first rows', async () => {
    const of = await measure('count()')
    expect(await firstRowsMs(deps(), of, startMs + dayMs, {})).toBe(startMs)
    expect(await firstRowsMs(deps(), { ...of, projectIds: [9272] }, startMs + dayMs, {})).toBeNull()
  })
}
