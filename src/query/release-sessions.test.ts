import { describe, expect, test } from 'vitest'
import type { SessionGroup, SessionStore } from '../store/events/session-store.ts'
import type { Project } from '../store/meta/meta.ts'
import type { QueryDeps } from './issues/issue.ts'
import { intervalOf, type SessionsRequest, sessionFilter, sessionsAnswer } from './release-sessions.ts'

const hour = 3_600_000
const from = Date.UTC(2026, 10, 20, 10)
const projects = [
  { id: 1, slug: 'web' },
  { id: 2, slug: 'api' },
] as Project[]

const group = (changes: Partial<SessionGroup>): SessionGroup => ({
  projectId: 0,
  release: '',
  environment: '',
  startMs: 0,
  sessions: { all: 100, errored: 6, unhandled: 1, abnormal: 2, crashed: 3 },
  users: { all: 50, errored: 5, unhandled: 0, abnormal: 10, crashed: 1 },
  durations: { avg: 12, p50: 10, p75: 11, p90: 20, p95: 30, p99: 40 },
  ...changes,
})

function rig(groups: readonly SessionGroup[]) {
  const asked: Parameters<SessionStore['sessionGroups']>[0][] = []
  const events: Pick<SessionStore, 'sessionGroups'> = {
    sessionGroups: async (request) => {
      asked.push(request)
      return request.bucketMs === undefined ? [...groups] : groups.map((item) => ({ ...item, startMs: from + hour }))
    },
  }
  return { asked, deps: { events } as Pick<QueryDeps, 'events'> }
}

const ask = (changes: Partial<SessionsRequest> = {}): SessionsRequest => ({
  projects,
  environments: [],
  query: '',
  fields: ['sum(session)'],
  groupBy: [],
  range: { fromMs: from + 5 * 60_000, toMs: from + 2 * hour + 60_000 },
  intervalMs: hour,
  withTotals: true,
  withSeries: true,
  max: 500,
  ...changes,
})

describe('an answer', () => {
  test('covers whole intervals, with totals and series of each group', async () => {
    const { asked, deps } = rig([group({ release: 'web@1' })])
    const answer = await sessionsAnswer(deps, ask({ groupBy: ['release'] }))
    expect(answer).toEqual({
      start: '2026-11-20T10:00:00.000Z',
      end: '2026-11-20T13:00:00.000Z',
      query: '',
      intervals: ['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z', '2026-11-20T12:00:00.000Z'],
      groups: [{ by: { release: 'web@1' }, totals: { 'sum(session)': 100 }, series: { 'sum(session)': [0, 100, 0] } }],
    })
    expect(asked[0]).toMatchObject({ by: ['release'], users: false, durations: false })
    expect(asked[0]?.scope).toMatchObject({ projectIds: [1, 2], fromMs: from, toMs: from + 3 * hour })
  })

  test('has statuses that do not overlap', async () => {
    const { deps } = rig([group({ projectId: 1 })])
    const fields = ['sum(session)', 'count_unique(user)', 'crash_rate(session)'] as const
    const answer = await sessionsAnswer(
      deps,
      ask({ fields, groupBy: ['project', 'session.status'], withSeries: false }),
    )
    expect(answer.groups.map(({ by, totals }) => [by, Object.values(totals)])).toEqual([
      [{ project: 1, 'session.status': 'healthy' }, [88, 34, null]],
      [{ project: 1, 'session.status': 'errored' }, [6, 5, null]],
      [{ project: 1, 'session.status': 'unhandled' }, [1, 0, null]],
      [{ project: 1, 'session.status': 'abnormal' }, [2, 10, null]],
      [{ project: 1, 'session.status': 'crashed' }, [3, 1, null]],
    ])
    expect(answer.groups[0]?.series).toEqual({})
  })

  test.each([
    ['crash_rate(session)', 0.03],
    ['crash_free_rate(session)', 0.97],
    ['crash_rate(user)', 0.02],
    ['crash_free_rate(user)', 0.98],
    ['errored_rate(session)', 0.06],
    ['unhandled_rate(session)', 0.01],
    ['abnormal_rate(user)', 0.2],
    ['anr_rate()', 0.2],
    ['avg(session.duration)', 12],
    ['p50(session.duration)', 10],
    ['p99(session.duration)', 40],
  ] as const)('%s is %d', async (field, value) => {
    const { deps } = rig([group({})])
    const answer = await sessionsAnswer(deps, ask({ fields: [field], withSeries: false }))
    expect(answer.groups[0]?.totals).toEqual({ [field]: value })
  })

  test('has no rate of nothing', async () => {
    const none = { all: 0, errored: 0, unhandled: 0, abnormal: 0, crashed: 0 }
    const { deps } = rig([group({ sessions: none, users: none, durations: undefined })])
    const fields = ['crash_free_rate(session)', 'crash_rate(user)', 'p50(session.duration)', 'sum(session)'] as const
    const answer = await sessionsAnswer(deps, ask({ fields, withTotals: true, withSeries: false }))
    expect(Object.values(answer.groups[0]?.totals ?? {})).toEqual([null, null, null, 0])
  })

  test('of too many values is refused', async () => {
    const { deps } = rig(Array.from({ length: 500 }, (_, n) => group({ release: `web@${n}` })))
    const range = { fromMs: from - 500 * hour, toMs: from }
    await expect(sessionsAnswer(deps, ask({ groupBy: ['release'], range }))).rejects.toThrow('A value is not valid')
    const answer = await sessionsAnswer(deps, ask({ groupBy: ['release'], range, withSeries: false }))
    expect(answer.groups).toHaveLength(500)
  })
})

describe('a query', () => {
  const field = (name: 'release' | 'environment', value: string, match: 'is' | 'like' = 'is') => ({
    op: 'or',
    of: [{ op: 'field', field: name, match, value }],
  })
  test.each([
    ['release:web@1', field('release', 'web@1')],
    ['release:web@1*', field('release', 'web@1*', 'like')],
    ['!environment:staging', { op: 'not', of: field('environment', 'staging') }],
    ['project:api', { op: 'projects', ids: [2] }],
    ['project:a*', { op: 'projects', ids: [2] }],
    ['project:nothing', { op: 'projects', ids: [] }],
    ['has:environment', { op: 'field', field: 'environment', match: 'has', value: '' }],
    ['release:a OR environment:b', { op: 'or', of: [field('release', 'a'), field('environment', 'b')] }],
    ['', undefined],
  ])('%s', (query, expected) => {
    expect(sessionFilter(query, projects)).toEqual(expected)
  })

  test.each(['level:error', 'words', 'is:unresolved', 'tags[release]:1'])('%s is refused', (query) => {
    expect(() => sessionFilter(query, projects)).toThrow('sessions have release, environment and project')
  })
})

test.each([
  [undefined, 24 * hour, hour],
  [undefined, 40 * 24 * hour, 24 * hour],
  ['15m', 24 * hour, 15 * 60_000],
  ['1d', 90 * 24 * hour, 24 * hour],
])('the interval %s of %d ms is %d ms', (text, lengthMs, intervalMs) => {
  expect(intervalOf(text, { fromMs: 0, toMs: lengthMs })).toBe(intervalMs)
})

test.each(['1s', '0h', 'h', '1m', '-1h'])('the interval %s of 30 days is refused', (text) => {
  expect(() => intervalOf(text, { fromMs: 0, toMs: 30 * 24 * hour })).toThrow('A value is not valid')
})
