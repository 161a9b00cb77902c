import { expect, test } from 'vitest'
import { latestReleases } from './latest.ts'

const times: Record<number, [string, number][]> = {
  1: [
    ['web@1.9.0', 3],
    ['web@1.10.0', 2],
  ],
  2: [
    ['main-1', 1],
    ['main-2', 2],
  ],
  3: [['main-2', 5]],
  4: [],
}

test.each([
  [[1], ['web@1.10.0']],
  [
    [1, 2, 3, 4],
    ['web@1.10.0', 'main-2'],
  ],
  [[4], []],
  [[], []],
])('the latest of projects %j', async (ids, expected) => {
  const meta = {
    releases: {
      releaseTimes: async ({ projectIds: [id = 0] }: { projectIds: readonly number[] }) =>
        (times[id] ?? []).map(([version, createdMs]) => ({ version, createdMs })),
    },
  }
  expect(await latestReleases(meta, ids)).toEqual(expected)
})
