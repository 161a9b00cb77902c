import { describe, expect, test } from 'vitest'
import type { Clock } from '../base/clock.ts'
import type { HealthCounts, SessionGroup, SessionStore } from '../store/events/session-store.ts'
import type { Project } from '../store/meta/meta.ts'
import type { QueryDeps } from './issues/issue.ts'
import { healthData, releaseHealth, releasesHealth } from './release-health.ts'

const nowMs = Date.UTC(2026, 10, 20, 12, 30)
const hour = 3_600_000
const day = 24 * hour
const project = { id: 1, slug: 'web' } as Project
const other = { id: 2, slug: 'api' } as Project

/** Sessions of one minute, which the fake store adds up. */
type Session = { projectId?: number; release: string; atMs: number; all: number; crashed?: number; users?: number }
type Asked = Parameters<SessionStore['sessionGroups']>[0]

const keyOf = ({ projectId = 1, release, atMs }: Session, { by, bucketMs }: Asked) => ({
  projectId: by.includes('project') ? projectId : 0,
  release: by.includes('release') ? release : '',
  startMs: bucketMs ? Math.floor(atMs / bucketMs) * bucketMs : 0,
})

function groupsOf(sessions: readonly Session[], asked: Asked): SessionGroup[] {
  const { scope, users } = asked
  const named = scope.filter?.op === 'releases' ? scope.filter.values : undefined
  const found = new Map<string, SessionGroup>()
  for (const session of sessions) {
    const { projectId = 1, release, atMs, all, crashed = 0 } = session
    if (!scope.projectIds.includes(projectId) || atMs < scope.fromMs || atMs >= scope.toMs) continue
    if (named && !named.includes(release)) continue
    const key = keyOf(session, asked)
    const counts = (more: HealthCounts | undefined, n: number, bad: number): HealthCounts => ({
      all: (more?.all ?? 0) + n,
      errored: 0,
      unhandled: 0,
      abnormal: 0,
      crashed: (more?.crashed ?? 0) + bad,
    })
    const before = found.get(JSON.stringify(key))
    found.set(JSON.stringify(key), {
      ...key,
      environment: '',
      sessions: counts(before?.sessions, all, crashed),
      users: users ? counts(before?.users, session.users ?? 0, 0) : undefined,
      durations: undefined,
    })
  }
  return [...found.values()].toSorted((a, b) => b.sessions.all - a.sessions.all).slice(0, asked.max)
}

function rig(sessions: readonly Session[], versions: readonly string[] = []) {
  const clock: Pick<Clock, 'now'> = { now: () => nowMs }
  const events: Pick<SessionStore, 'sessionGroups'> = { sessionGroups: async (asked) => groupsOf(sessions, asked) }
  const meta = {
    releases: { releaseTimes: () => versions.map((version, at) => ({ version, createdMs: nowMs - at * day })) },
  }
  return { clock, events, meta } as unknown as Pick<QueryDeps, 'meta' | 'events' | 'clock'>
}

const range = { fromMs: nowMs - 14 * day, toMs: nowMs + 60_000 }
const where = { projects: [project, other], environments: [], range }

describe('health of a list of releases', () => {
  const sessions: Session[] = [
    { release: 'web@1', atMs: nowMs - 3 * day, all: 900, crashed: 9, users: 80 },
    { release: 'web@1', atMs: nowMs - hour, all: 5 },
    { release: 'web@2', atMs: nowMs - hour, all: 95, crashed: 5 },
    { projectId: 2, release: 'api@1', atMs: nowMs - hour, all: 4000 },
  ]
  const asked = ['web@1', 'web@2', 'web@3'].map((version) => ({ version, projectIds: [1] }))

  test('is shares with their sample, adoption among its own projects, and its stage', async () => {
    const found = await releasesHealth(rig(sessions), where, asked)
    expect(found?.get('web@1')).toMatchObject({
      crashFreeSessions: { share: expect.closeTo(896 / 905, 9), sample: 905 },
      crashFreeUsers: { share: 1, sample: 80 },
      adoption: { share: 0.05, sessions: 5, all: 100, stage: 'replaced' },
    })
    expect(found?.get('web@2')).toMatchObject({
      crashFreeUsers: null,
      adoption: { share: 0.95, sessions: 95, all: 100, stage: 'adopted' },
    })
    expect(found?.has('web@3')).toBe(false)
  })

  test('has the stage of 90 days, however short the range is', async () => {
    const hours = { ...where, range: { fromMs: nowMs - 6 * hour, toMs: nowMs } }
    const found = await releasesHealth(rig(sessions), hours, asked)
    expect(found?.get('web@1')?.adoption).toMatchObject({ share: 0.05, stage: 'replaced' })
  })

  test('is none where no project sends sessions', async () => {
    expect(await releasesHealth(rig([]), where, asked)).toBeUndefined()
  })
})

describe('health of one release', () => {
  const versions = ['web@3.0.0', 'web@2.0.0', 'web@1.0.0', 'api@9.0.0']
  const of = (version: string) => ({ projects: [project], environments: [], version })
  /** Sessions of a release by hour since its start. */
  const hours = (release: string, startMs: number, all: readonly number[], crashed: readonly number[]): Session[] =>
    all.map((count, at) => ({ release, atMs: startMs + at * hour, all: count, crashed: crashed[at] ?? 0 }))

  test('is compared with the release before it at the same number of sessions', async () => {
    const sessions = [
      // It began badly and became stable. Only the first 10,000 of its 40,000 sessions are compared.
      ...hours('web@2.0.0', nowMs - 9 * day, [5000, 5000, 30_000], [50, 50, 0]),
      ...hours('web@3.0.0', nowMs - 9 * hour, [5000, 5000], [55, 50]),
      ...hours('api@9.0.0', nowMs - 9 * hour, [5000], [0]),
    ]
    const found = await releaseHealth(rig(sessions, versions), of('web@3.0.0'))
    expect(found?.change).toMatchObject({
      previous: 'web@2.0.0',
      own: { share: 0.9895, sample: 10_000 },
      before: { share: 0.99, sample: 10_000 },
      verdict: 'same',
    })
    expect(found?.before.map(({ version, crashFreeSessions }) => [version, crashFreeSessions.sample])).toEqual([
      ['web@2.0.0', 40_000],
    ])
  })

  test('says worse where it is', async () => {
    const sessions = [
      ...hours('web@2.0.0', nowMs - 9 * day, [50_000], [250]),
      ...hours('web@3.0.0', nowMs - 9 * hour, [48_000], [500]),
    ]
    const found = await releaseHealth(rig(sessions, versions), of('web@3.0.0'))
    expect(found?.change).toMatchObject({
      verdict: 'worse',
      needed: 0,
      own: { sample: 48_000 },
      before: { sample: 48_000 },
    })
    expect(found?.change?.high).toBeLessThan(0)
  })

  test('passes over a release without sessions', async () => {
    const sessions = [...hours('web@1.0.0', nowMs - 9 * day, [100], []), ...hours('web@3.0.0', nowMs - hour, [50], [])]
    const found = await releaseHealth(rig(sessions, versions), of('web@3.0.0'))
    expect(found?.change).toMatchObject({ previous: 'web@1.0.0', own: { sample: 50 }, before: { sample: 50 } })
  })

  test('of the first one there is no change, of one without sessions nothing', async () => {
    const sessions = hours('web@1.0.0', nowMs - hour, [100], [])
    expect((await releaseHealth(rig(sessions, versions), of('web@1.0.0')))?.change).toBeUndefined()
    expect(await releaseHealth(rig(sessions, versions), of('web@2.0.0'))).toBeUndefined()
  })
})

test('healthData has totals of the range, percent of today and 24 hours', async () => {
  const sessions: Session[] = [
    { release: 'web@1', atMs: nowMs - 3 * day, all: 900, crashed: 10 },
    { release: 'web@1', atMs: nowMs - 2 * hour, all: 100, users: 5 },
    { release: 'web@2', atMs: nowMs - 2 * hour, all: 300, users: 15 },
  ]
  const of = await healthData(rig(sessions), where, ['web@1'])
  const found = of('web@1', 1)
  expect(found).toMatchObject({
    hasHealthData: true,
    adoption: 25,
    sessionsAdoption: 25,
    crashFreeSessions: 99,
    totalSessions: 1000,
    totalSessions24h: 100,
    totalProjectSessions24h: 400,
    sessionsCrashed: 10,
    durationP50: null,
  })
  expect(found.stats['24h']).toHaveLength(24)
  expect(found.stats['24h'].filter(([, count]) => count > 0)).toEqual([[(nowMs - 2 * hour - 30 * 60_000) / 1000, 100]])
  expect(of('web@1', 2)).toMatchObject({ hasHealthData: false, crashFreeSessions: null, totalSessions: 0 })
})
