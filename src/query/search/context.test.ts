import { expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import type { SessionStore } from '../../store/events/session-store.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { searchContextOf } from './context.ts'
import { parseSearch } from './parse.ts'
import { planOf } from './plan.ts'

const view = { projects: [{ id: 1, slug: 'web' }], environments: ['prod'] }

test('releases are asked for once, however many terms want them, and not by a query without such a term', async () => {
  let asked = 0
  const meta = {
    releases: {
      releaseTimes: () => {
        asked++
        return [{ version: 'web@2.0.0', createdMs: 1 }]
      },
    },
  }
  const deps = { meta, clock: testClock(1), auth: { personByEmail: () => undefined } } as unknown as QueryDeps
  const plan = async (text: string) => (await planOf(parseSearch(text), searchContextOf(deps, view, 'issues'))).branches
  expect(await plan('level:error')).toHaveLength(1)
  expect(asked).toBe(0)
  expect(await plan('release.version:>1 OR release.version:<1 OR release.package:web')).toEqual([
    { event: { op: 'or', of: Array.from({ length: 2 }, () => ({ op: 'releases', values: ['web@2.0.0'] })) } },
  ])
  expect(asked).toBe(1)
  await plan('release:latest OR release:[latest,x] OR firstRelease:latest')
  expect(asked).toBe(2)
})

test('sessions are asked for once, in the environments of the view, and only by a query about stages', async () => {
  const asked: Parameters<SessionStore['sessionGroups']>[0]['scope'][] = []
  const events: Pick<SessionStore, 'sessionGroups'> = {
    sessionGroups: async ({ scope }) => {
      asked.push(scope)
      return []
    },
  }
  const deps = { events, clock: testClock(1) } as unknown as QueryDeps
  const plan = (text: string) => planOf(parseSearch(text), searchContextOf(deps, view, 'events'))
  await plan('level:error release:web@1')
  expect(asked).toEqual([])
  await plan('release.stage:adopted OR release.stage:[low, replaced] !has:release.stage')
  expect(asked.map(({ projectIds, environments }) => [projectIds, environments])).toEqual([
    [[1], ['prod']],
    [[1], ['prod']],
  ])
})
