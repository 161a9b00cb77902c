import { expect, test } from 'vitest'
import type { Project } from '../store/meta/meta.ts'
import type { QueryDeps } from './issues/issue.ts'
import { projectStats } from './project-stats.ts'

const nowMs = Date.UTC(2026, 10, 24, 12)
const dayMs = 86_400_000
const projects = [{ id: 1 }, { id: 2 }] as Project[]

const deps = {
  clock: { now: () => nowMs },
  meta: {
    issues: {
      countIssues: ({ projectIds: [id] }: { projectIds: number[] }) => (id === 1 ? 3 : 0),
      listIssues: () => [],
    },
    releases: {
      releaseTimes: ({ projectIds: [id] }: { projectIds: number[] }) =>
        id === 1
          ? [
              { version: 'web@1.2.0', createdMs: nowMs },
              { version: 'web@1.10.0', createdMs: nowMs - dayMs },
            ]
          : [],
    },
  },
  events: {
    projectSeries: async () => [
      { projectId: 1, startMs: Math.floor(nowMs / dayMs) * dayMs, events: 5 },
      { projectId: 1, startMs: Math.floor(nowMs / dayMs - 3) * dayMs, events: 2 },
    ],
  },
} as unknown as Pick<QueryDeps, 'meta' | 'clock' | 'events'>

test('counts events by day, open issues and the newest release by version', async () => {
  const [web, quiet] = await projectStats(deps, projects, (query) => query)
  expect(web).toMatchObject({ projectId: 1, events: 7, unresolved: 3, newestRelease: 'web@1.10.0' })
  expect(web?.points?.filter(([, events]) => events > 0).map(([, events]) => events)).toEqual([2, 5])
  expect(quiet).toMatchObject({ projectId: 2, events: 0, unresolved: 0, newestRelease: undefined })
})

test('has everything but the events while their store is down', async () => {
  const [web] = await projectStats(deps, projects, async () => undefined)
  expect(web).toEqual({
    projectId: 1,
    points: undefined,
    events: undefined,
    unresolved: 3,
    newestRelease: 'web@1.10.0',
  })
})
