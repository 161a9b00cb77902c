import { beforeAll, describe, expect, test } from 'vitest'
import type { EventStore } from '../event-store.ts'
import { row, tsv } from '../events.cases.ts'
import type { Scope, SetStats } from '../events.ts'

const hour = 3_600_000
const day = 24 * hour
/** Monday 2026-11-16 10:00 UTC. */
const monday = Date.UTC(2026, 10, 16, 10)
const [a, b, c] = ['000000000000000a', '000000000000000b', '000000000000000c']
const shopId = 7201
const blogId = 7202

/** Events of three groups in two projects: one each 7 hours for 60 days, some received a week later. */
const changes = Array.from({ length: 200 }, (_, n) => {
  const atMs = monday + 2 * day - n * 7 * hour - 1000
  return {
    projectId: n % 5 === 0 ? blogId : shopId,
    groupHash: [a, b, b, c][n % 4] ?? a,
    timestampUs: atMs * 1000,
    receivedMs: atMs + (n % 11 === 0 ? 8 * day : 50),
    userHash: (1 + (n % 9)).toString(16).padStart(16, '0'),
    environment: n % 3 === 0 ? 'dev' : 'production',
  }
})
type Change = (typeof changes)[number]
type Pair = { projectId: number; groupHash: string }
const pair = (projectId: number, groupHash: string): Pair => ({ projectId, groupHash })

/** The rows of a set of groups that a scope covers: whole hours, as rollups have them. */
function covered(set: readonly Pair[], { projectIds, environments, fromMs, toMs }: Scope): Change[] {
  const from = Math.floor(fromMs / hour) * hour
  return changes.filter(({ projectId, groupHash, timestampUs, environment }) => {
    const isInSet = set.some((item) => item.projectId === projectId && item.groupHash === groupHash)
    const hourMs = Math.floor(timestampUs / 1000 / hour) * hour
    const isInScope = projectIds.includes(projectId) && hourMs >= from && hourMs < toMs
    return isInSet && isInScope && (environments.length === 0 || environments.includes(environment))
  })
}
const usersIn = (list: readonly Change[]) => new Set(list.map((item) => item.userHash)).size
const sorted = <T extends Pair>(list: readonly T[]): T[] =>
  list.toSorted((x, y) => x.projectId - y.projectId || x.groupHash.localeCompare(y.groupHash))
/** Counts of each group, by the same rules. */
const groupsIn = (pairs: readonly Pair[], scope: Scope) =>
  pairs.flatMap((item) => {
    const own = covered([item], scope)
    return own.length === 0 ? [] : [{ ...item, events: own.length, users: usersIn(own) }]
  })

/** What `statsOf` must answer. */
function statsIn(set: readonly Pair[], scope: Scope, bucketMs: number, withLife: boolean): SetStats {
  const found = covered(set, scope)
  const all = { projectIds: [shopId, blogId], environments: [], fromMs: 0, toMs: monday + 9 * day }
  const buckets = new Map<number, number>()
  for (const { timestampUs } of found.toReversed()) {
    const startMs = Math.floor(timestampUs / 1000 / bucketMs) * bucketMs
    buckets.set(startMs, (buckets.get(startMs) ?? 0) + 1)
  }
  return {
    events: found.length,
    users: usersIn(found),
    lifetimeUsers: withLife ? usersIn(covered(set, all)) : 0,
    series: [...buckets].map(([startMs, events]) => ({ startMs, events })),
  }
}

const end = monday + 2 * day
const scopes: [string, Pick<Scope, 'fromMs' | 'toMs'>][] = [
  ['hours only', { fromMs: monday - 15 * hour, toMs: monday }],
  ['one day between hours', { fromMs: monday - 40 * hour, toMs: monday - 2 * hour }],
  ['whole days', { fromMs: monday - 4 * day - 10 * hour, toMs: monday - 10 * hour }],
  ['a week between days and hours', { fromMs: monday - 12 * day - 1, toMs: end }],
  ['whole weeks', { fromMs: monday - 21 * day - 10 * hour, toMs: monday - 10 * hour }],
  ['weeks, days and hours', { fromMs: monday - 30 * day + 90_000, toMs: end }],
  ['weeks and hours, without days', { fromMs: monday - 14 * day - 13 * hour, toMs: monday - 8 * hour }],
  ['before all events', { fromMs: monday - 100 * day, toMs: monday - 90 * day }],
]
const views: [string, Pick<Scope, 'projectIds' | 'environments'>][] = [
  ['one project', { projectIds: [shopId], environments: [] }],
  ['an environment of two projects', { projectIds: [blogId, shopId], environments: ['dev'] }],
]
/** Groups without events. With more than 100 groups the rows of all groups are read. */
const others = Array.from({ length: 120 }, (_, n) => pair(shopId, (0x5000 + n).toString(16).padStart(16, '0')))

/** Counts of known groups by rows of every length, in scopes that begin and end between them. */
export function lengthCases(open: () => EventStore): void {
  describe('known groups by weeks, days and hours', () => {
    beforeAll(async () => {
      await open().insert('events', tsv(changes.map((change, n) => row(81_000 + n, change))), 'lengths')
    })

    test.each(
      scopes.flatMap(([length, ends]) => views.map(([view, rest]) => [length, view, { ...ends, ...rest }] as const)),
    )('%s of %s', async (_length, _view, scope) => {
      const store = open()
      const sets = [
        [pair(shopId, a), pair(blogId, c)],
        [pair(shopId, b), pair(shopId, c)],
        [pair(blogId, b)],
        others.slice(0, 1),
      ].map((set) => set.filter((item) => scope.projectIds.includes(item.projectId)))
      for (const [bucketMs, lifeOf] of [
        [hour, []],
        [day, [1]],
      ] as const) {
        const withLife = (at: number) => lifeOf.some((wanted) => wanted === at)
        expect(await store.statsOf(scope, bucketMs, sets, withLife)).toEqual(
          sets.map((set, at) => statsIn(set, scope, bucketMs, withLife(at))),
        )
      }
      for (const pairs of [sets.flat(), [...sets.flat(), ...others.slice(1)]])
        expect(sorted(await store.eventsOf(scope, pairs, { users: true }))).toEqual(sorted(groupsIn(pairs, scope)))
    })
  })
}
