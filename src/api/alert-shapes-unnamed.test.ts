import { beforeAll, describe, expect, test } from 'vitest'
import type { RestAlertRule } from '../contract/alerts/alerts.ts'
import type { RestDetector } from '../contract/explore/detectors.ts'
import { appForFile } from './app.cases.ts'

// What an older shape of the API has no name for. A client that reads a rule and sends it back must change nothing.

const { call, made } = appForFile()
const organization = '/organizations/acme'
const A = `${organization}/alerts`

const state = { schedule: '' }

beforeAll(async () => {
  const { app } = made()
  const body = { name: 'Night', timeZone: 'UTC', handOver: { weekday: 1, time: '09:00' }, members: [] }
  const { status, json } = await call('POST', `${organization}/on-call-schedules/`, { body })
  expect([status, json]).toMatchObject([201, { name: 'Night' }])
  state.schedule = (json as { id: string }).id
  for (const slug of ['api', 'shop'])
    await app.meta.projects.createProject({ organizationId: made().organization.id, slug, name: slug, platform: null })
})

const receivers = () => [
  { type: 'on_call', schedule: state.schedule },
  { type: 'assignee' },
  { type: 'authors' },
  { type: 'members' },
]
const common = () => ({
  name: 'Everything',
  projects: ['web', 'api'],
  environment: 'production',
  actions: receivers(),
  intervalMinutes: 45,
  resolveMessage: true,
  escalation: [{ afterMinutes: 5, schedule: state.schedule }],
})
const issue = {
  when: [{ type: 'new' }, { type: 'regression' }],
  match: 'any',
  filter: 'level:error',
  unless: { noise: true, skew: true, quietHours: { from: '22:00', to: '07:00', timeZone: 'UTC' } },
}
const metric = {
  plan: {
    dataset: 'errors',
    query: 'level:error',
    groupBy: ['release'],
    series: [{ name: 'a', aggregate: 'count()' }],
  },
  of: 'a',
  windowMinutes: 10,
  threshold: { type: 'fixed', direction: 'above', critical: 50 },
  minimum: 20,
  missing: 'resolve',
}

async function create(body: object): Promise<RestAlertRule> {
  const { status, json } = await call('POST', `${A}/`, { body })
  expect([status, json]).toMatchObject([201, {}])
  return json
}

/** What a rule means, without what each change of it changes. */
async function meaningOf(id: string): Promise<object> {
  const {
    revision: _revision,
    dateUpdated: _updated,
    original: _original,
    ...rule
  } = (await call('GET', `${A}/${id}/`)).json as RestAlertRule
  return { ...rule, projects: rule.projects.toSorted() }
}

/** A detector as clients send it: its data source is flat then. */
const sentDetector = (read: RestDetector): RestDetector => ({
  ...read,
  dataSources: (read.dataSources as { queryObj: { snubaQuery: object } }[]).map(
    ({ queryObj }) => queryObj.snubaQuery,
  ) as never,
})

describe('a rule that is read in an older shape and sent back is the same', () => {
  const asRead = (read: object) => read
  test.each<[string, object, (id: string) => string, ((read: never) => object)?]>([
    ['rules/', { issue }, (id) => `/projects/acme/web/rules/${id}/`],
    ['workflows/', { issue }, (id) => `${organization}/workflows/${id}/`],
    ['alert-rules/', { metric }, (id) => `${organization}/alert-rules/${id}/`],
    ['detectors/', { metric }, (id) => `${organization}/detectors/${id}/`, sentDetector],
    ['workflows/ of a detector', { metric }, (id) => `${organization}/workflows/${2e12 + Number(id)}/`],
  ])('%s', async (_shape, kind, pathOf, sentOf = asRead) => {
    const { id } = await create({ ...common(), ...kind })
    const before = await meaningOf(id)
    const read = await call('GET', pathOf(id))
    expect(read.status).toBe(200)
    const sent = await call('PUT', pathOf(id), { body: sentOf(read.json) })
    expect([sent.status, sent.json]).toMatchObject([200, {}])
    expect(await meaningOf(id)).toEqual(before)
    await call('DELETE', `${A}/${id}/`)
  })

  test.each<[string, string[], string[], (read: RestDetector) => object]>([
    ['of all projects', [], [], (read) => read],
    ['of all projects, without one', [], [], ({ projectId: _, ...read }) => read],
    ['with another project', ['web', 'api'], ['shop'], (read) => ({ ...read, projectId: 'shop' })],
  ])('a detector %s', async (_what, projects, expected, changed) => {
    const { id } = await create({ ...common(), projects, metric })
    const path = `${organization}/detectors/${id}/`
    const sent = await call('PUT', path, { body: changed(sentDetector((await call('GET', path)).json)) })
    expect([sent.status, sent.json]).toMatchObject([200, {}])
    expect(await meaningOf(id)).toMatchObject({ projects: expected })
    await call('DELETE', `${A}/${id}/`)
  })
})

test.each<[string, object]>([
  [
    `/projects/acme/web/rules/`,
    {
      name: 'Large',
      frequency: 60,
      actionMatch: 'any',
      filterMatch: 'all',
      conditions: [
        {
          id: 'sentry.rules.conditions.event_frequency.EventFrequencyCondition',
          comparisonType: 'count',
          value: 999_999_999_999_999,
          interval: '1h',
        },
      ],
      actions: [{ id: 'sentry.mail.actions.NotifyEmailAction', targetType: 'IssueOwners', targetIdentifier: '' }],
    },
  ],
])('a number beyond the limits of a rule is refused in %s, too', async (path, body) => {
  const { status, json } = await call('POST', path, { body })
  expect([status, Object.keys(json)]).toEqual([400, ['conditions']])
})
