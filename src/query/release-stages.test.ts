import { describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { createRecent } from '../base/recent.ts'
import type { SessionGroup, SessionStore } from '../store/events/session-store.ts'
import { adoptionIn, type RecentStages, releaseStages, releaseStagesAge } from './release-stages.ts'

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 10, 20, 12, 30)

/** Groups of sessions: project, release, number, and how many days ago. */
type Row = [projectId: number, release: string, all: number, daysAgo?: number]

const groupOf = ([projectId, release, all, daysAgo = 0]: Row): SessionGroup => ({
  projectId,
  release,
  environment: '',
  startMs: Math.floor(nowMs / dayMs - daysAgo) * dayMs,
  sessions: { all, errored: 0, unhandled: 0, abnormal: 0, crashed: 0 },
  users: undefined,
  durations: undefined,
})

/** Stages of a store with these rows; those of today are the last 24 hours. Records what is asked. */
async function stagesOf(rows: Row[]) {
  const asked: Parameters<SessionStore['sessionGroups']>[0][] = []
  const events: Pick<SessionStore, 'sessionGroups'> = {
    sessionGroups: async (request) => {
      asked.push(request)
      return rows.filter(([, , , daysAgo = 0]) => request.bucketMs !== undefined || daysAgo === 0).map(groupOf)
    },
  }
  const deps = { events, clock: { now: () => nowMs } }
  const found = await releaseStages(deps, { projectIds: [1, 2], environments: ['prod'] })
  return { asked, stages: found.map(({ projectId, version, stage }) => `${projectId} ${version} ${stage}`) }
}

describe('stages of releases', () => {
  test.each<[string, Row[], string[]]>([
    [
      'of the sessions of today',
      [
        [1, 'a', 90],
        [1, 'b', 10],
        [1, 'c', 0],
      ],
      ['1 a adopted', '1 b adopted', '1 c low'],
    ],
    [
      'just below a tenth',
      [
        [1, 'a', 901],
        [1, 'b', 99],
      ],
      ['1 a adopted', '1 b low'],
    ],
    [
      'of one that was adopted on a day',
      [
        [1, 'a', 95],
        [1, 'b', 5],
        [1, 'b', 80, 40],
        [1, 'c', 20, 40],
      ],
      ['1 a adopted', '1 b replaced', '1 c replaced'],
    ],
    [
      'of one that never was, and has no sessions today',
      [
        [1, 'a', 100],
        [1, 'a', 100, 3],
        [1, 'old', 9, 3],
      ],
      ['1 a adopted', '1 old low'],
    ],
    [
      'in each project by itself',
      [
        [1, 'a', 5],
        [1, 'b', 95],
        [2, 'a', 60],
        [2, 'b', 2],
      ],
      ['1 b adopted', '2 a adopted', '1 a low', '2 b low'],
    ],
    [
      'of a project without sessions today: none',
      [
        [1, 'a', 100, 2],
        [2, 'b', 1],
      ],
      ['2 b adopted'],
    ],
    ['without sessions: none', [], []],
  ])('%s', async (_what, rows, expected) => {
    const { stages } = await stagesOf(rows)
    expect(stages.toSorted()).toEqual(expected.toSorted())
  })

  test('begin with the releases with the most sessions', async () => {
    const { stages } = await stagesOf([
      [1, 'a', 10],
      [1, 'b', 200],
      [2, 'c', 100],
    ])
    expect(stages).toEqual(['1 b adopted', '2 c adopted', '1 a low'])
  })

  test('are read from 24 hours and from the days of 90, in the environments', async () => {
    const { asked } = await stagesOf([])
    expect(
      asked.map(({ scope: { fromMs, ...scope }, bucketMs, max }) => [(nowMs - fromMs) / dayMs, scope, bucketMs, max]),
    ).toEqual([
      [1, { projectIds: [1, 2], environments: ['prod'], toMs: nowMs + 60_000 }, undefined, 5000],
      [90, { projectIds: [1, 2], environments: ['prod'], toMs: nowMs + 60_000 }, dayMs, 50_000],
    ])
  })
})

test('stages are read once a minute for the same projects and environments, and again after a failure', async () => {
  const [asked, clock]: [string[], ReturnType<typeof testClock>] = [[], testClock(nowMs)]
  const state = { isAway: true }
  const events: Pick<SessionStore, 'sessionGroups'> = {
    sessionGroups: async ({ scope, bucketMs }) => {
      if (bucketMs === undefined) asked.push(`${scope.projectIds} ${scope.environments}`)
      if (state.isAway) throw new Error('away')
      return [groupOf([1, 'a', 9])]
    },
  }
  const recent: RecentStages = createRecent(clock, releaseStagesAge)
  const read = (projectIds: number[], environments: string[] = []) =>
    releaseStages({ events, clock }, { projectIds, environments }, recent)
  await expect(read([1, 2])).rejects.toThrow('away')
  state.isAway = false
  for (const projectIds of [[1, 2], [2, 1], [1]]) expect(await read(projectIds)).toMatchObject([{ stage: 'adopted' }])
  await read([1], ['a', 'b'])
  await read([1], ['b', 'a'])
  clock.advance(60_000)
  await read([1])
  expect(asked).toEqual(['1,2 ', '1,2 ', '1 ', '1 a,b', '1 '])
})

test('a release of several projects has one adoption among all of them', () => {
  const lastDay = [[1, 'a', 5] as Row, [1, 'b', 95] as Row, [2, 'a', 60] as Row].map(groupOf)
  const adoptionOf = adoptionIn({ lastDay, days: lastDay })
  expect(adoptionOf('a', [1])).toEqual({ share: 65 / 160, sessions: 65, all: 160, stage: 'adopted' })
  expect(adoptionOf('c', [1])).toEqual({ share: 0, sessions: 0, all: 100, stage: 'low' })
  expect(adoptionOf('c', [3])).toBeUndefined()
})
