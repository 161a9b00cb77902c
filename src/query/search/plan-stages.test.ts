import { describe, expect, test } from 'vitest'
import type { StagedRelease } from '../release-stages.ts'
import type { SearchContext } from './context.ts'
import { parseSearch } from './parse.ts'
import { planOf } from './plan.ts'

/** The branches of a search in project 1, whose releases have these stages. */
async function stagesOf(text: string, staged: readonly StagedRelease[]) {
  const context: SearchContext = {
    lists: 'issues',
    nowMs: 0,
    meUserId: undefined,
    userIdOf: async () => undefined,
    projectIdsOf: () => [],
    projectIds: [1],
    latestReleases: async () => [],
    releases: async () => [],
    releaseStages: async () => staged,
  }
  return (await planOf(parseSearch(text), context)).branches
}

const releases = (...values: string[]) => ({ event: { op: 'releases', values } })
const others = { event: { op: 'not', of: releases().event } }

describe('stages of releases', () => {
  test('of one project need no condition on it', async () => {
    const own: StagedRelease = { projectId: 1, version: 'web@2', stage: 'adopted', sessions: 1 }
    expect(await stagesOf('release.stage:adopted', [own])).toEqual([releases('web@2')])
  })

  test.each([
    ['release.stage:adopted', releases()],
    ['!release.stage:adopted', others],
    ['has:release.stage', releases()],
  ])('that no release has: %s', async (text, branch) => {
    expect(await stagesOf(text, [])).toEqual([branch])
  })

  test('name at most 5,000 releases, those with the most sessions, in an order that stays', async () => {
    const many = Array.from({ length: 5100 }, (_, at): StagedRelease => {
      return { projectId: 1, version: `web@${9999 - at}`, stage: 'low', sessions: 10_000 - at }
    })
    const [branch] = await stagesOf('release.stage:low', many)
    if (branch?.event?.op !== 'releases') throw new Error('no releases')
    const { values } = branch.event
    expect([values.length, values[0], values.at(-1)]).toEqual([5000, 'web@5000', 'web@9999'])
  })
})
