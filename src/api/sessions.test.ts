import { beforeAll, describe, expect, test } from 'vitest'
import type { RestHealthData, RestSessions } from '../contract/release-health.ts'
import type { ReleaseHealth } from '../query/release-health.ts'
import { appForFile } from './app.cases.ts'
import { storeSessions } from './sessions.cases.ts'

// Release-health sessions over REST, with real stores.

const { made, call } = appForFile()
const O = '/organizations/acme'
const nowMs = Date.now()
const hour = 3_600_000

beforeAll(async () => {
  const old = { release: 'web@1.0.0', startedMs: nowMs - 40 * hour }
  await storeSessions(made(), [
    { quantity: 980 },
    { status: 'crashed', quantity: 20 },
    { status: 'errored', hasErrors: true, quantity: 50, environment: 'staging' },
    { ...old, quantity: 5000, userHash: '00000000000000b1' },
    { ...old, userHash: '00000000000000b2', durationS: 12 },
  ])
  for (const version of ['web@1.0.0', 'web@2.0.0'])
    await call('POST', `${O}/releases/`, { body: { version, projects: ['web'] } })
}, 30_000)

const sessions = async (query: string) => (await call('GET', `${O}/sessions/?${query}`)).json as RestSessions
const field = (name: string) => `field=${encodeURIComponent(name)}`

describe('sessions of an organization', () => {
  test('are counted by release, with totals and series', async () => {
    const answer = await sessions(
      `project=-1&statsPeriod=24h&interval=1h&groupBy=release&${field('sum(session)')}&${field('crash_free_rate(session)')}`,
    )
    expect(answer.groups.map(({ by, totals }) => [by, totals])).toEqual([
      [{ release: 'web@2.0.0' }, { 'sum(session)': 1050, 'crash_free_rate(session)': expect.closeTo(1030 / 1050, 9) }],
    ])
    const series = answer.groups[0]?.series['sum(session)'] ?? []
    expect(series).toHaveLength(answer.intervals.length)
    expect(series.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(1050)
  })

  test('are narrowed by environment and query', async () => {
    const totals = async (query: string) =>
      (await sessions(`statsPeriod=7d&interval=1d&${field('sum(session)')}&${query}`)).groups[0]?.totals['sum(session)']
    expect(await totals('environment=staging')).toBe(50)
    expect(await totals(`query=${encodeURIComponent('release:web@1*')}`)).toBe(5001)
    expect(await totals(`query=${encodeURIComponent('!release:web@1.0.0 environment:production')}`)).toBe(1000)
    expect(await totals('project=web')).toBe(6051)
    expect((await sessions(`statsPeriod=7d&${field('sum(session)')}&query=release:none`)).groups).toEqual([])
  })

  test('have users and durations', async () => {
    const query = `statsPeriod=7d&interval=1d&groupBy=release&${field('count_unique(user)')}&${field('p50(session.duration)')}`
    const { groups } = await sessions(query)
    expect(groups.find((group) => group.by['release'] === 'web@1.0.0')?.totals).toEqual({
      'count_unique(user)': 2,
      'p50(session.duration)': 12,
    })
  })

  test.each([
    ['', 'field'],
    ['field=count()', 'field'],
    [`${field('sum(session)')}&groupBy=user`, 'groupBy'],
    [`${field('sum(session)')}&interval=5s`, 'interval'],
    [`${field('sum(session)')}&statsPeriod=90d&interval=1m`, 'interval'],
    [`${field('sum(session)')}&per_page=none`, 'per_page'],
  ])('%s is refused by its field', async (query, name) => {
    const { status, json } = await call('GET', `${O}/sessions/?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(json)).toContain(name)
  })

  test('a key that sessions have not is refused with a sentence', async () => {
    const { status, text } = await call('GET', `${O}/sessions/?${field('sum(session)')}&query=level:error`)
    expect(status).toBe(400)
    expect(text).toContain('sessions have release, environment and project')
  })

  test('are nobody else’s', async () => {
    expect((await call('GET', `${O}/sessions/?${field('sum(session)')}`, { token: null })).status).toBe(401)
    expect((await call('GET', `/organizations/other/sessions/?${field('sum(session)')}`)).status).toBe(404)
  })
})

describe('a release', () => {
  test('has its health where it is asked for', async () => {
    const path = `${O}/releases/${encodeURIComponent('web@2.0.0')}/`
    const plain = (await call('GET', path)).json as { projects: { healthData?: RestHealthData }[] }
    expect(plain.projects[0]).not.toHaveProperty('healthData')
    const asked = (await call('GET', `${path}?health=1`)).json as { projects: { healthData: RestHealthData }[] }
    expect(asked.projects[0]?.healthData).toMatchObject({
      hasHealthData: true,
      totalSessions: 1050,
      totalSessions24h: 1050,
      sessionsAdoption: 100,
      sessionsCrashed: 20,
      sessionsErrored: 50,
      crashFreeSessions: expect.closeTo((1030 / 1050) * 100, 9),
    })
    const listed = (await call('GET', `${O}/releases/?health=1`)).json as (typeof asked)[]
    expect(listed.map((item) => item.projects[0]?.healthData.totalSessions).sort()).toEqual([1050, 5001])
  })

  test('is compared with the one before it', async () => {
    const { json } = await call('GET', `${O}/releases/${encodeURIComponent('web@2.0.0')}/health/`)
    expect(json as ReleaseHealth).toMatchObject({
      own: { sessions: { all: 1050, crashed: 20 }, adoption: { share: 1, stage: 'adopted' } },
      before: [{ version: 'web@1.0.0' }],
      change: { previous: 'web@1.0.0', verdict: 'worse', own: { sample: 1050 }, before: { sample: 1050, share: 1 } },
    })
    await call('POST', `${O}/releases/`, { body: { version: 'web@3.0.0', projects: ['web'] } })
    expect((await call('GET', `${O}/releases/${encodeURIComponent('web@3.0.0')}/health/`)).json).toBeNull()
  })
})
