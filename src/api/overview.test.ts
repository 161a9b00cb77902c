import { beforeAll, describe, expect, test, vi } from 'vitest'
import { MishapError } from '../base/errors.ts'
import type { RestOverview } from '../contract/overview.ts'
import type { SessionRow } from '../store/events/session-store.ts'
import { encodeSessionRow } from '../store/events/sessions/encode.ts'
import { encodeSpanRow } from '../store/events/traces/encode-span.ts'
import { spanRow } from '../store/events/traces/span-rows.cases.ts'
import type { Channel } from '../store/meta/issues/alerts.ts'
import { appForFile } from './app.cases.ts'
import { sessionRow } from './sessions.cases.ts'

const { made, call, personAs } = appForFile()
const nowMs = Date.now()
const hour = 3_600_000
const nowS = Math.floor(nowMs / 1000)

const overview = async (query = '') =>
  (await call('GET', `/organizations/acme/overview/?${query}`)).json as RestOverview

const error = (type: string, more: Record<string, unknown> = {}) => ({
  platform: 'node',
  timestamp: nowS - 60,
  environment: 'production',
  release: 'web@2.0.0',
  exception: { values: [{ type, value: 'x', stacktrace: { frames: [{ function: type, filename: `${type}.js` }] } }] },
  ...more,
})

const session = (place: number, changes: Partial<SessionRow>): SessionRow =>
  sessionRow({ projectId: made().project.id, receivedMs: nowMs, place }, changes)

beforeAll(async () => {
  const { app, organization, project, store } = made()
  await app.meta.projects.createProject({
    organizationId: organization.id,
    slug: 'quiet',
    name: 'Quiet',
    platform: 'node',
  })
  await store([
    error('TypeError', { user: { id: '1' } }),
    error('TypeError', { user: { id: '2' }, timestamp: nowS - 50 }),
    error('RangeError', { user: { id: '2' }, environment: 'staging' }),
    error('OldError', { user: { id: '3' }, timestamp: nowS - 20 * 86_400, release: 'web@1.0.0' }),
  ])
  const sessions = [
    session(1, { quantity: 9000 }),
    session(2, { quantity: 1000, status: 'crashed' }),
    session(3, { quantity: 9990, release: 'web@1.0.0', startedMs: nowMs - 30 * hour }),
    session(4, { quantity: 10, release: 'web@1.0.0', startedMs: nowMs - 30 * hour, status: 'crashed' }),
  ]
  await app.events.insert('sessions', Buffer.from(sessions.map(encodeSessionRow).join('')), 'sessions:overview')
  const spans = Array.from({ length: 60 }, (_, n) =>
    spanRow(n + 1, {
      projectId: project.id,
      isSegment: true,
      transaction: 'GET /cart',
      startUs: (nowMs - hour) * 1000 + n,
      receivedMs: nowMs,
      durationUs: 200_000,
      status: n < 6 ? 'internal_error' : 'ok',
    }),
  )
  await app.events.insert('spans', Buffer.from(spans.map(encodeSpanRow).join('')), 'spans:overview')
  for (const version of ['web@1.0.0', 'web@2.0.0'])
    await call('POST', '/organizations/acme/releases/', { body: { version, projects: ['web'] } })
}, 30_000)

describe('the overview', () => {
  test('compares the range with the one before', async () => {
    const { events, users, series, bucketSeconds, failed } = await overview()
    expect([events, users]).toEqual([
      { now: 3, before: 1 },
      { now: 2, before: 1 },
    ])
    expect(bucketSeconds).toBe(6 * 3600)
    expect(series.reduce((sum, [, count]) => sum + (count ?? 0), 0)).toBe(3)
    expect(series.find(([, count]) => count)?.[2]).toBe(2)
    expect(failed).toEqual([])
  })

  test('is narrowed by environment, project and range', async () => {
    expect((await overview('environment=staging')).events).toEqual({ now: 1, before: 0 })
    const quiet = await overview('project=quiet')
    expect([quiet.events, quiet.projects.map(({ project }) => project.slug)]).toEqual([
      { now: 0, before: 0 },
      ['quiet'],
    ])
    expect((await overview('statsPeriod=90d')).events).toEqual({ now: 4, before: 0 })
    expect((await overview('statsPeriod=1h')).events).toEqual({ now: 3, before: 0 })
    expect((await call('GET', '/organizations/acme/overview/?project=none')).status).toBe(404)
  })

  test('has a row for each project, with null for what it does not send', async () => {
    const { projects, segments, crashFree, unresolved } = await overview()
    expect(projects.map(({ project, events, unresolved: open }) => [project.slug, events?.now, open])).toEqual([
      ['quiet', 0, 0],
      ['web', 3, 3],
    ])
    const [quiet, web] = projects
    expect([quiet?.crashFree, quiet?.segments, quiet?.release]).toEqual([null, null, null])
    expect(web?.release).toBe('web@2.0.0')
    expect(web?.crashFree?.now).toMatchObject({ share: 18_990 / 20_000, sample: 20_000 })
    expect(web?.segments).toMatchObject({
      now: { count: 60, failed: 6, p75Ms: 200 },
      before: { count: 0, p75Ms: null },
    })
    expect([segments?.now.count, crashFree?.now?.sample]).toEqual([60, 20_000])
    expect(unresolved).toEqual({ all: 3, new: 3, regressed: 0, escalating: 0 })
  })

  test('lists the new issues with the most events, and the slowest routes', async () => {
    const { issues, routes } = await overview()
    expect(issues?.rows.map((issue) => issue.metadata.type)).toEqual(['TypeError', 'RangeError'])
    expect(routes.map(({ project, route, now }) => [project.slug, route, now.p75Ms])).toEqual([
      ['web', 'GET /cart', 200],
    ])
  })

  test('marks the releases of the range', async () => {
    const { releases } = await overview()
    expect(releases.marks.map(({ version }) => version)).toContain('web@2.0.0')
  })

  test('names a release that is worse than the one before', async () => {
    const { decisions } = await overview()
    expect(decisions.filter(({ kind }) => kind === 'release')).toEqual([
      expect.objectContaining({ version: 'web@2.0.0', previous: 'web@1.0.0' }),
    ])
  })

  test('names missing source maps of browser projects and of projects that upload maps', async () => {
    const { meta } = made().app
    const named = async () =>
      (await overview()).decisions.flatMap((decision) =>
        decision.kind === 'sourceMaps' ? [decision.project.slug] : [],
      )
    expect(await named()).toEqual(['web'])
    const missing = { quantity: 1, refused: 0, refusedMs: null }
    const spy = vi.spyOn(meta.artifacts, 'missingMapCounts').mockResolvedValue(missing)
    try {
      expect(await named()).toEqual(['web']) // "quiet" runs on Node.js and uploads none
    } finally {
      spy.mockRestore()
    }
  })

  test('names what else needs a decision, the most urgent first', async () => {
    const { app, organization } = made()
    const { meta } = app
    const channel: Channel = {
      id: 7,
      organizationId: organization.id,
      projectId: null,
      kind: 'webhook',
      name: 'Ops',
      active: true,
      createdMs: nowMs,
      failingSinceMs: null,
      lastError: '',
      sealedTarget: 'x',
      sealedSecret: '',
      sealedConfig: '',
      subscription: 'issues',
      lastAnswer: '',
      pausedUntilMs: 0,
    }
    const spies = [
      vi.spyOn(app, 'journal').mockResolvedValue({
        waitingRecords: 5000,
        oldestWaitingMs: 150_000,
        eventsWaitingMs: 0,
        lagBytes: 1,
        boundBytes: 2,
      }),
      vi.spyOn(app, 'disk').mockResolvedValue({ ...(await app.disk()), stored: 97, budget: 100 }),
      vi.spyOn(meta.ledger, 'bytesByProject').mockResolvedValue([
        {
          projectId: made().project.id,
          attachments: { count: 0, bytes: 0 },
          dead: { count: 4, bytes: 1 },
          bundles: { count: 0, bytes: 0 },
        },
      ]),
      vi.spyOn(meta.alerts, 'channelsOf').mockResolvedValue([
        { ...channel, failingSinceMs: nowMs, lastError: 'HTTP 410' },
        { ...channel, id: 99, projectId: 98, failingSinceMs: nowMs },
      ]),
      vi.spyOn(meta.artifacts, 'missingMapCounts').mockImplementation(async (id) => ({
        quantity: id === made().project.id ? 2 : 0,
        refused: 0,
        refusedMs: null,
      })),
    ]
    try {
      const { decisions } = await overview()
      expect(decisions.map(({ kind }) => kind)).toEqual([
        'lag',
        'release',
        'channel',
        'deadLetters',
        'disk',
        'sourceMaps',
      ])
      expect(decisions[0]).toEqual({ kind: 'lag', records: 5000, seconds: 150 })
      expect(decisions[2]).toMatchObject({ kind: 'channel', name: 'Ops', error: 'HTTP 410' })
      expect(decisions[3]).toEqual({ kind: 'deadLetters', items: 4 })
      expect(decisions[4]).toEqual({ kind: 'disk', storedBytes: 97, budgetBytes: 100 })
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
  })

  test.each([
    ['projectSeries', 'events'],
    ['userSeries', 'users'],
    ['sessionGroups', 'sessions'],
    ['segmentStats', 'segments'],
  ] as const)('stays when %s fails', async (method, part) => {
    const spy = vi.spyOn(made().app.events, method).mockRejectedValue(new MishapError('QUERY_TIMEOUT'))
    try {
      const found = await overview()
      expect(found.failed).toEqual([{ part, code: 'QUERY_TIMEOUT' }])
      expect(found.projects).toHaveLength(2)
      expect(found.issues?.rows).toHaveLength(2)
      expect(found[part === 'sessions' ? 'crashFree' : part]).toBeNull()
    } finally {
      spy.mockRestore()
    }
  })

  test('throws what is not the store’s fault', async () => {
    const spy = vi.spyOn(made().app.events, 'userSeries').mockRejectedValue(new Error('a bug'))
    try {
      expect((await call('GET', '/organizations/acme/overview/')).status).toBe(500)
    } finally {
      spy.mockRestore()
    }
  })
})

test('a viewer reads it, a stranger does not', async () => {
  const { token } = await personAs('viewer')
  expect((await call('GET', '/organizations/acme/overview/', { token })).status).toBe(200)
  const stranger = await personAs(null)
  expect((await call('GET', '/organizations/acme/overview/', { token: stranger.token })).status).toBe(404)
})
