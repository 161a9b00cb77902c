import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import type { TagCount } from '../../domain/event.ts'
import type { Issue } from '../../store/meta/meta.ts'
import { inCommonOf } from './in-common.ts'
import type { QueryDeps } from './issue.ts'

const tag = (key: string, values: Record<string, number>): TagCount => ({
  key,
  total: Object.values(values).reduce((sum, item) => sum + item, 0),
  unique: Object.keys(values).length,
  values: Object.entries(values).map(([value, events]) => ({ value, events })),
})
const group = (groupHash: string, events: number) => ({
  projectId: 1,
  groupHash,
  events,
  users: 0,
  lastMs: 1,
  firstMs: 0,
})

/** The rollups count 100,000 events of the issue; 2,000 rows remain. */
const deps = {
  clock: systemClock,
  meta: {
    issues: {
      listIssues: async () => [{ id: 8, projectId: 1 }],
      hashesOf: async ([id]: number[]) => new Map([[id, [id === 7 ? 'own' : 'detected']]]),
    },
  },
  events: {
    tagsOf: async () => [tag('level', { error: 2000 }), tag('build', { faulty: 2000 }), tag('plan', { free: 900 })],
    countsOf: async () => [group('own', 100_000)],
    groups: async () => [group('own', 100_000), group('other', 1000)],
    tagPairs: async () => ({ events: 1000, counts: new Map([['level=error', 1000]]) }),
  },
} as unknown as QueryDeps

test('of an issue that was thinned the shares are those of the events that are left', async () => {
  const scope = { projectIds: [1], environments: [], fromMs: 0, toMs: 90 * 86_400_000 }
  const found = await inCommonOf(deps, { id: 7, projectId: 1 } as Issue, scope)
  expect([found.own, found.others]).toEqual([2000, 1000])
  expect(found.values).toMatchObject([
    { key: 'build', value: 'faulty', own: 2000, ownShare: 1 },
    { key: 'plan', value: 'free', own: 900, ownShare: 0.45 },
  ])
})

test('events of performance issues are not among the others', async () => {
  const scope = { projectIds: [1], environments: [], fromMs: 0, toMs: 90 * 86_400_000 }
  const asked: string[] = []
  const events = {
    ...deps.events,
    groups: async () => [group('own', 100_000), group('detected', 3000), group('other', 1000)],
    tagPairs: async ({ hashes }: { hashes: string[] }) => {
      asked.push(...hashes)
      return { events: 1000, counts: new Map() }
    },
  } as unknown as QueryDeps['events']
  await inCommonOf({ ...deps, events }, { id: 7, projectId: 1, kind: 'error' } as Issue, scope)
  expect(asked).toEqual(['other'])
})

// All groups are large. Formerly no group after the 25 largest was read, so values that all of them have were reported.
test.each([30, 85, 150])('of %i large groups what most have is no cause', async (count) => {
  const groups = Array.from({ length: count }, (_one, at) => group(`g${at}`, 50_000 + (count - at)))
  const looked: { hashes: readonly string[]; shares: number[] }[] = []
  const many = {
    ...deps,
    events: {
      tagsOf: async () => [
        tag('level', { error: 2000 }),
        tag('browser', { Safari: 2000 }),
        tag('plan', { gold: 2000 }),
      ],
      groups: async () => [group('own', 100_000), ...groups],
      tagPairs: async (asked: { hashes: readonly string[]; spans: { fromMs: number; toMs: number }[] }) => {
        const share = asked.spans.reduce((all, span) => all + span.toMs - span.fromMs, 0) / scope.toMs
        looked.push({ hashes: asked.hashes, shares: [share] })
        const events = Math.round(asked.hashes.length * 50_000 * share)
        const isHeavy = Number(asked.hashes[0]?.slice(1)) < 25
        return {
          events,
          counts: new Map([['level=error', events], ...(isHeavy ? [] : [['browser=Safari', events]])] as [
            string,
            number,
          ][]),
        }
      },
    },
  } as unknown as QueryDeps
  const scope = { projectIds: [1], environments: [], fromMs: 0, toMs: 90 * 86_400_000 }
  const found = await inCommonOf(many, { id: 7, projectId: 1 } as Issue, scope)
  const byKey = new Map(found.values.map((item) => [item.key, item]))
  expect(byKey.get('plan')).toMatchObject({ otherShare: 0 })
  const safari = (count - 25) / count
  expect(byKey.get('browser')?.otherShare ?? safari).toBeCloseTo(safari, 1)
  // However large the groups are, no more than a sample is read.
  for (const { hashes, shares } of looked) expect(hashes.length * 50_000 * (shares[0] ?? 1)).toBeLessThan(30_000)
})
