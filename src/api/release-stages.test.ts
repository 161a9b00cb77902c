import { beforeAll, describe, expect, test } from 'vitest'
import type { RestBackTest } from '../contract/alerts/alerts-back-test.ts'
import type { RestIssue } from '../contract/issues.ts'
import type { ReleaseHealth } from '../query/release-health.ts'
import { appForFile } from './app.cases.ts'
import { hex } from './seed.cases.ts'
import { storeSessions } from './sessions.cases.ts'

// The search key release.stage over issues, events and rules, with real stores.

const { made, call } = appForFile()
const O = '/organizations/acme'
const nowMs = Date.now()
const dayMs = 86_400_000

/** One event of the common issue for each: its number, release and environment. */
const events: Record<number, { release?: string; environment?: string }> = {
  1: { release: 'web@2' },
  2: { release: 'web@1' },
  3: { release: 'web@0' },
  4: { release: 'web@9' },
  5: {},
  6: { release: 'web@0', environment: 'staging' },
}
const titles = { OfAdopted: 'web@2', OfReplaced: 'web@1', OfLow: 'web@0', OfUnknown: 'web@9', OfNone: undefined }

const error = (n: number, type: string, { release, environment = 'production' }: (typeof events)[number]) => ({
  event_id: hex(n),
  timestamp: nowMs / 1000 - 60,
  environment,
  ...(release ? { release } : {}),
  exception: { values: [{ type, value: 'x', stacktrace: { frames: [{ function: type, filename: 'a.js' }] } }] },
})

beforeAll(async () => {
  const { app, organization, project } = made()
  const other = { organizationId: organization.id, slug: 'api', name: 'Api', platform: null }
  const api = await app.meta.projects.createProject(other)
  await storeSessions(made(), [
    { release: 'web@2', quantity: 900 },
    { release: 'web@1', quantity: 60 },
    { release: 'web@1', quantity: 5000, startedMs: nowMs - 3 * dayMs },
    { release: 'web@0', quantity: 40 },
    { release: 'web@0', quantity: 50, environment: 'staging' },
    // In another project the same release has another stage.
    { release: 'web@2', quantity: 5, projectId: api.id },
    { release: 'api@1', quantity: 995, projectId: api.id },
  ])
  await made().store([
    ...Object.entries(events).map(([n, event]) => error(Number(n), 'CommonError', event)),
    ...Object.entries(titles).map(([type, release], at) => error(11 + at, type, release ? { release } : {})),
  ])
  for (const version of ['web@0', 'web@1', 'web@2'])
    await call('POST', `${O}/releases/`, { body: { version, projects: [project.slug] } })
}, 30_000)

const asked = (query: string, more = '') => `?statsPeriod=1h&query=${encodeURIComponent(query)}${more}`
const numbers = async (path: string) =>
  ((await call('GET', path)).json as { eventID: string }[])
    .map(({ eventID }) => Number.parseInt(eventID, 16))
    .toSorted()
const issues = async (query: string, more = '&project=-1') =>
  (await call('GET', `${O}/issues/${asked(query, more)}`)).json as RestIssue[]
const titlesOf = async (query: string, more?: string) =>
  (await issues(query, more)).map(({ title }) => title.replace(': x', '')).toSorted()

describe.each<[query: string, events: number[], titles: string[], environment?: string]>([
  ['release.stage:adopted', [1], ['OfAdopted']],
  ['release.stage:Replaced', [2], ['OfReplaced']],
  ['release.stage:low', [3, 6], ['OfLow']],
  ['release.stage:[adopted, low]', [1, 3, 6], ['OfAdopted', 'OfLow']],
  ['!release.stage:adopted', [2, 3, 4, 5, 6], ['OfLow', 'OfNone', 'OfReplaced', 'OfUnknown']],
  ['has:release.stage', [1, 2, 3, 6], ['OfAdopted', 'OfLow', 'OfReplaced']],
  ['!has:release.stage', [4, 5], ['OfNone', 'OfUnknown']],
  ['release.stage:""', [4, 5], ['OfNone', 'OfUnknown']],
  ['release.stage:adopted', [6], [], 'staging'],
  ['release.stage:low', [3], ['OfLow'], 'production'],
])('%s', (query, found, types, environment) => {
  const inEnvironment = environment ? `&environment=${environment}` : ''

  test(`finds the events ${found} of an issue`, async () => {
    const [issue] = await issues('title:CommonError*')
    expect(await numbers(`${O}/issues/${issue?.id}/events/${asked(query, inEnvironment)}`)).toEqual(found)
  })

  test(`finds the issues ${types}`, async () => {
    expect(await titlesOf(`title:Of* ${query}`, `&project=-1${inEnvironment}`)).toEqual(types)
  })

  test('counts the same errors in Explore', async () => {
    const path = `${O}/events/${asked(`${query} title:CommonError*`, `&dataset=errors&field=count()${inEnvironment}`)}`
    expect((await call('GET', path)).json).toMatchObject({ data: [{ 'count()': found.length }] })
  })
})

test('is the stage that the page of the release has', async () => {
  const stageOf = async (version: string) => {
    const { json } = await call('GET', `${O}/releases/${encodeURIComponent(version)}/health/`)
    return (json as ReleaseHealth | null)?.own.adoption?.stage
  }
  expect(await Promise.all(['web@2', 'web@1', 'web@0'].map(stageOf))).toEqual(['adopted', 'replaced', 'low'])
})

test('a wrong stage is refused with those that there are', async () => {
  const answer = await call('GET', `${O}/issues/${asked('release.stage:new')}`)
  expect([answer.status, answer.json]).toMatchObject([
    400,
    { code: 'QUERY_TYPE', detail: 'Invalid query: at position 15, expected one of low, adopted, replaced.' },
  ])
})

test('a box completes the stages', async () => {
  const { json } = await call('GET', `${O}/tags/release.stage/values/`)
  expect((json as { value: string }[]).map(({ value }) => value)).toEqual(['low', 'adopted', 'replaced'])
})

describe('a rule', () => {
  const rule = (filter: string) => ({ name: 'R', projects: ['web'], issue: { when: [{ type: 'new' }], filter } })

  test('can ask for a stage', async () => {
    const saved = await call('POST', `${O}/alerts/`, { body: rule('release.stage:adopted') })
    expect([saved.status, saved.json]).toMatchObject([201, { issue: { filter: 'release.stage:adopted' } }])
  })

  test.each([
    ['release.stage:new', 'expected one of low, adopted, replaced'],
    ['release.stage:adopted timestamp:-1h', 'A rule has no range of time.'],
  ])('with %s is refused', async (filter, sentence) => {
    const refused = await call('POST', `${O}/alerts/`, { body: rule(filter) })
    expect([refused.status, refused.json]).toMatchObject([400, { 'issue.filter': [expect.stringContaining(sentence)] }])
  })

  test('is tested with the stages of now, and says so', async () => {
    const body = { rule: rule('release.stage:replaced title:Of*'), days: 1 }
    const { firings, blind }: RestBackTest = (await call('POST', `${O}/alerts/back-test/`, { body })).json
    expect(firings.map(({ mostly }) => mostly?.title)).toEqual(['OfReplaced: x'])
    expect(blind).toMatchObject([{ reason: 'state', sentence: expect.stringContaining('the stage of releases') }])
  })

  test('on a number counts the errors of adopted releases', async () => {
    const series = [{ name: 'a', aggregate: 'count()' }]
    const plan = { dataset: 'errors', query: 'release.stage:adopted', series }
    const threshold = { type: 'fixed', direction: 'above', critical: 1 }
    const body = { rule: { metric: { plan, of: 'a', windowMinutes: 10, threshold } }, days: 1 }
    const { firings, blind }: RestBackTest = (await call('POST', `${O}/alerts/back-test/`, { body })).json
    expect(firings).toMatchObject([{ peak: 2 }])
    expect(blind).toMatchObject([{ reason: 'state' }])
  })
})
