import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import type { TagCount } from '../protocol/rest.ts'
import type { Issue } from '../store/meta/meta.ts'
import { inCommonOf } from './in-common.ts'
import type { QueryDeps } from './issue.ts'

const tag = (key: string, values: Record<string, number>): TagCount => ({
  key,
  total: Object.values(values).reduce((sum, one) => sum + one, 0),
  values: Object.entries(values).map(([value, events]) => ({ value, events })),
})
const group = (groupHash: string, events: number) => ({
  ...{ projectId: 1, groupHash, events, users: 0, lastMs: 1, firstMs: 0 },
})

/** The rollups say 100,000 of the issue; 2,000 rows of them are left. */
const deps = {
  clock: systemClock,
  meta: { hashesOf: () => new Map([[7, ['own']]]) },
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
