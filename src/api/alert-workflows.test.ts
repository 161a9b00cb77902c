import { describe, expect, test } from 'vitest'
import type { RestAlertRule } from '../contract/alerts/alerts.ts'
import type { RestWorkflow } from '../contract/alerts/workflows.ts'
import type { RestDetector } from '../contract/explore/detectors.ts'
import { appForFile } from './app.cases.ts'

const { call, personAs } = appForFile()
const D = '/organizations/acme/detectors'
const W = '/organizations/acme/workflows'
const A = '/organizations/acme/alerts'

const source = {
  aggregate: 'count()',
  dataset: 'events',
  query: 'level:error',
  environment: null,
  eventTypes: ['error'],
  timeWindow: 3600,
  extrapolationMode: null,
}
const over = (type: string, comparison: unknown, conditionResult: number) => ({ type, comparison, conditionResult })
const detector = {
  name: 'Many errors',
  type: 'metric_issue',
  description: 'From Terraform',
  enabled: true,
  owner: null,
  dataSources: [source],
  conditionGroup: {
    logicType: 'any',
    conditions: [over('gt', 100, 75), over('gt', 50, 50), over('lte', 10, 0)],
  },
  config: { detectionType: 'static' },
}
const mail = { type: 'email', config: { targetType: 'issue_owners' }, data: { fallthroughType: 'ActiveMembers' } }
const when = (type: string) => ({ type, comparison: true, conditionResult: true })
const workflow = {
  name: 'New issues',
  enabled: true,
  environment: null,
  config: { frequency: 60 },
  detectorIds: [] as string[],
  triggers: { logicType: 'any-short', conditions: [when('first_seen_event'), when('regression_event')] },
  actionFilters: [
    {
      logicType: 'all',
      conditions: [{ type: 'level', comparison: { level: 40, match: 'gte' }, conditionResult: true }],
      actions: [mail],
    },
  ],
}

const projectDetector = async (): Promise<RestDetector> => {
  const found = (await call('GET', `${D}/?query=type:issue_stream`)).json as RestDetector[]
  const one = found.find(({ name }) => name.includes('web'))
  if (!one) throw new Error('no detector of the project')
  return one
}
async function createDetector(more: object = {}): Promise<RestDetector> {
  const { status, json } = await call('POST', '/organizations/acme/projects/web/detectors/', {
    body: { ...detector, ...more },
  })
  expect([status, json]).toMatchObject([201, {}])
  return json
}
async function createWorkflow(more: object = {}): Promise<RestWorkflow> {
  const detectorIds = [(await projectDetector()).id]
  const { status, json } = await call('POST', `${W}/`, { body: { ...workflow, detectorIds, ...more } })
  expect([status, json]).toMatchObject([201, {}])
  return json
}
const modelOf = async (id: string): Promise<RestAlertRule> => (await call('GET', `${A}/${id}/`)).json

describe('detectors', () => {
  test('of metrics are made, read as they were sent, replaced and deleted', async () => {
    const made = await createDetector()
    const { dataSources, ...rest } = detector
    expect(made).toMatchObject({ ...rest, workflowIds: [], errors: [] })
    expect(made.dataSources).toEqual([
      { type: 'snuba_query_subscription', queryObj: { snubaQuery: expect.objectContaining(dataSources[0] ?? {}) } },
    ])
    expect(await modelOf(made.id)).toMatchObject({
      kind: 'metric',
      projects: ['web'],
      metric: {
        plan: { dataset: 'errors', query: 'level:error', series: [{ name: 'a', aggregate: 'count()' }] },
        windowMinutes: 60,
        threshold: { type: 'fixed', direction: 'above', critical: 100, warning: 50, resolve: 10 },
      },
      actions: [],
    })
    expect((await call('GET', `${D}/${made.id}/`)).json).toEqual(made)
    const body = { ...detector, name: 'Few', conditionGroup: { logicType: 'any', conditions: [over('lt', 5, 75)] } }
    expect((await call('PUT', `${D}/${made.id}/`, { body })).json).toMatchObject({ id: made.id, name: 'Few' })
    expect((await modelOf(made.id)).metric?.threshold).toMatchObject({ direction: 'below', critical: 5, warning: null })
    expect((await call('PUT', `${D}/${made.id}/`, { body, headers: { 'if-match': '"0"' } })).status).toBe(409)
    expect((await call('DELETE', `${D}/${made.id}/`)).status).toBe(204)
    expect((await call('GET', `${D}/${made.id}/`)).status).toBe(404)
  })

  test('the issues of each project are one, which does not change', async () => {
    const one = await projectDetector()
    expect(one).toMatchObject({ type: 'issue_stream', enabled: true, conditionGroup: null })
    expect((await call('GET', `${D}/?project=${one.projectId}&query=issues of web`)).json).toEqual([one])
    expect((await call('GET', `${D}/${one.id}/`)).json).toEqual(one)
    expect((await call('PUT', `${D}/${one.id}/`, { body: detector })).status).toBe(400)
    expect((await call('DELETE', `${D}/${one.id}/`)).status).toBe(404)
  })

  test.each<[string, object, object]>([
    ['a change', { config: { detectionType: 'percent', comparisonDelta: 86_400 } }, { type: 'change', before: 'day' }],
    ['the weekly pattern', { config: { detectionType: 'dynamic' } }, { type: 'weekly' }],
  ])('%s', async (_, more, threshold) => {
    const { id } = await createDetector(more)
    expect((await modelOf(id)).metric?.threshold).toMatchObject(threshold)
  })

  const anomaly = { seasonality: 'auto', sensitivity: 'high', thresholdType: 2 }
  test.each<[string, object, RegExp]>([
    ['sessions', { dataSources: [{ ...source, dataset: 'metrics', aggregate: 'x' }] }, /dataset metrics/],
    [
      'an anomaly',
      { conditionGroup: { logicType: 'any', conditions: [over('anomaly_detection', anomaly, 75)] } },
      /anomaly/,
    ],
    ['another period', { config: { detectionType: 'percent', comparisonDelta: 60 } }, /60 seconds before/],
  ])('%s cannot be evaluated: the detector is kept, and off with the reason', async (_, more, reason) => {
    const made = await createDetector(more)
    expect(made).toMatchObject({ enabled: false, ...('dataSources' in more ? {} : more) })
    expect(made.errors[0]?.detail).toMatch(reason)
  })

  test.each<[string, object]>([
    ['type', { type: 'uptime_domain_failure' }],
    ['dataSources', { dataSources: [] }],
    ['dataset', { dataSources: [{ ...source, dataset: 'invented' }] }],
    ['dataSources', { dataSources: [{ ...source, aggregate: 'frobnicate(x)' }] }],
    ['conditionGroup', { conditionGroup: { logicType: 'any', conditions: [over('like', 1, 75)] } }],
    ['conditionGroup', { conditionGroup: { logicType: 'any', conditions: [over('gt', 1, 50)] } }],
    ['projectId', { projectId: '77777' }],
  ])('a wrong %s is refused by its field', async (field, more) => {
    const { status, json } = await call('POST', `${D}/`, { body: { ...detector, projectId: 'web', ...more } })
    expect([status, Object.keys(json).some((name) => name.split('.')[0] === field)]).toEqual([400, true])
  })
})

describe('workflows', () => {
  test('of projects are made, read as they were sent, replaced and deleted', async () => {
    const made = await createWorkflow()
    expect(made).toMatchObject({ ...workflow, detectorIds: [(await projectDetector()).id], errors: [] })
    expect(await modelOf(made.id)).toMatchObject({
      kind: 'issue',
      projects: ['web'],
      issue: { when: [{ type: 'new' }, { type: 'regression' }], match: 'any', filter: 'level:[error, fatal]' },
      actions: [{ type: 'owners' }],
      intervalMinutes: 60,
    })
    expect((await call('GET', `${W}/${made.id}/`)).json).toEqual(made)
    expect((await projectDetector()).workflowIds).toContain(made.id)
    const body = { ...workflow, id: made.id, name: 'Off', enabled: false, detectorIds: made.detectorIds }
    expect((await call('PUT', `${W}/${made.id}/`, { body })).json).toMatchObject({ name: 'Off', enabled: false })
    expect((await call('PUT', `${W}/${made.id}/`, { body, headers: { 'if-match': '"0"' } })).status).toBe(409)
    expect((await call('DELETE', `${W}/${made.id}/`)).status).toBe(204)
    expect((await call('GET', `${W}/${made.id}/`)).status).toBe(404)
  })

  test('of a detector of metrics are its receivers', async () => {
    const { id } = await createDetector()
    const detectorIds = [id]
    const { json } = await call('POST', `${W}/`, { body: { ...workflow, detectorIds } })
    const made = json as RestWorkflow
    expect(made).toMatchObject({ detectorIds, actionFilters: [{ actions: [{ type: 'email' }] }] })
    expect((await modelOf(id)).actions).toEqual([{ type: 'owners' }])
    expect((await call('GET', `${D}/${id}/`)).json).toMatchObject({
      workflowIds: [made.id],
      description: 'From Terraform',
    })
    const team = [{ logicType: 'all', conditions: [], actions: [{ type: 'email', config: { targetType: 'team' } }] }]
    await call('PUT', `${W}/${made.id}/`, { body: { ...workflow, detectorIds, actionFilters: team } })
    expect((await modelOf(id)).actions).toEqual([{ type: 'members' }])
    const moved = await call('PUT', `${W}/${made.id}/`, { body: { ...workflow, detectorIds: [] } })
    expect(moved.status).toBe(400)
    expect((await call('DELETE', `${W}/${made.id}/`)).status).toBe(204)
    expect([(await call('GET', `${W}/${made.id}/`)).status, (await modelOf(id)).actions]).toEqual([404, []])
  })

  const conditions = (...all: object[]) => ({
    actionFilters: [{ logicType: 'all', conditions: all, actions: [mail] }],
  })
  const term = (type: string, comparison: unknown) => ({ type, comparison, conditionResult: true })
  test.each<[string, object, object]>([
    ['an age', term('age_comparison', { comparisonType: 'newer', value: 1, time: 'day' }), { filter: 'age:-1d' }],
    ['nobody', term('assigned_to', { targetType: 'NoOne', targetIdentifier: '' }), { filter: 'is:unassigned' }],
    ['a category', term('issue_category', { value: 1 }), { filter: 'issue.category:error' }],
    ['not a category', term('issue_category', { value: 1, include: false }), { filter: '!issue.category:error' }],
    ['a priority', term('issue_priority_greater_or_equal', 50), { filter: 'issue.priority:[high, medium]' }],
    ['a tag', term('tagged_event', { key: 'a', match: 'co', value: 'b' }), { filter: 'tags[a]:"*b*"' }],
    [
      'an attribute',
      term('event_attribute', { attribute: 'platform', match: 'eq', value: 'node' }),
      { filter: 'platform:"node"' },
    ],
    ['the latest release', term('latest_release', true), { filter: 'release:latest' }],
    ['occurrences', term('issue_occurrences', { value: 4 }), { filter: 'timesSeen:>=4' }],
  ])('a filter by %s is a term of the search', async (_, one, issue) => {
    expect((await modelOf((await createWorkflow(conditions(one))).id)).issue).toMatchObject(issue)
  })

  test.each<[string, object, object]>([
    [
      'events',
      term('event_frequency_count', { value: 9, interval: '1h' }),
      { type: 'events', count: 10, windowMinutes: 60 },
    ],
    [
      'users',
      term('event_unique_user_frequency_count', { value: 0, interval: '5m', filters: [] }),
      { type: 'users', count: 1, windowMinutes: 5 },
    ],
    [
      'a change',
      term('event_frequency_percent', { value: 30, interval: '1d', comparisonInterval: '1w' }),
      { type: 'rate', percent: 30, windowMinutes: 1440, before: 'week' },
    ],
  ])('a frequency of %s is a trigger', async (_, one, trigger) => {
    const { id } = await createWorkflow({ ...conditions(one), triggers: null })
    expect((await modelOf(id)).issue?.when).toEqual([trigger])
    const first = { triggers: { logicType: 'any-short', conditions: [when('first_seen_event')] } }
    const both = await modelOf((await createWorkflow({ ...conditions(one), ...first })).id)
    expect(both.issue).toMatchObject({ when: [{ type: 'new' }, trigger], match: 'all' })
  })

  const frequency = term('event_frequency_count', { value: 9, interval: '1h' })
  test.each<[string, object, RegExp]>([
    ['sessions', conditions(term('percent_sessions_count', { value: 1, interval: '1h' })), /sessions/],
    ['adopted releases', conditions(term('latest_adopted_release', {})), /adopted/],
    ['a falling priority', conditions(term('issue_priority_deescalating', 1)), /falling/],
    ['an opposite', conditions({ ...frequency, conditionResult: false }), /opposite/],
    [
      'filters of a frequency',
      conditions(term('event_frequency_count', { value: 1, interval: '1h', filters: [{ key: 'a' }] })),
      /filters of a frequency/,
    ],
    ['a frequency beside several triggers', conditions(frequency), /several triggers/],
    ['two groups', { actionFilters: [...workflow.actionFilters, ...workflow.actionFilters] }, /several groups/],
    [
      'a resolved issue',
      { triggers: { logicType: 'any-short', conditions: [when('issue_resolved_trigger')] } },
      /resolved/,
    ],
    [
      'a tracker',
      { actionFilters: [{ logicType: 'all', conditions: [], actions: [{ type: 'jira', config: {} }] }] },
      /jira/,
    ],
  ])('%s cannot be evaluated: the workflow is kept, and off with the reason', async (_, more, reason) => {
    const made = await createWorkflow(more)
    expect(made).toMatchObject({ enabled: false, ...more })
    expect(made.errors.map(({ detail }) => detail).join(' ')).toMatch(reason)
  })

  test.each<[string, object]>([
    ['triggers', { triggers: { logicType: 'any-short', conditions: [when('invented')] } }],
    ['actionFilters', conditions(term('invented', 1))],
    ['actionFilters', conditions(term('constructor', 1))],
    ['actionFilters', conditions(term('issue_priority_greater_or_equal', 60))],
    ['actionFilters', { actionFilters: [{ logicType: 'all', conditions: [], actions: [{ type: 'pigeon' }] }] }],
    ['actionFilters', { actionFilters: [{ logicType: 'some', conditions: [], actions: [mail] }] }],
    ['actionFilters', conditions(term('mishap_search', { query: 'level:' }))],
    ['detectorIds', { detectorIds: ['77777'] }],
    ['config', { config: { frequency: 1 } }],
  ])('a wrong %s is refused by its field, and nothing is stored', async (field, more) => {
    const before = (await call('GET', `${W}/`)).json
    const detectorIds = [(await projectDetector()).id]
    const { status, json } = await call('POST', `${W}/`, { body: { ...workflow, detectorIds, ...more } })
    expect([status, Object.keys(json).some((name) => name.split('.')[0] === field)]).toEqual([400, true])
    expect((await call('GET', `${W}/`)).json).toEqual(before)
  })

  test('a rule of Mishap is read in this shape, and written back it means the same', async () => {
    const issue = { when: [{ type: 'new' }], filter: 'level:error release:latest' }
    const body = { name: 'Own', projects: ['web'], issue, actions: [{ type: 'owners' }, { type: 'members' }] }
    const own: RestAlertRule = (await call('POST', `${A}/`, { body })).json
    const shape = (await call('GET', `${W}/${own.id}/`)).json as RestWorkflow
    expect((await call('PUT', `${W}/${own.id}/`, { body: shape })).status).toBe(200)
    expect(await modelOf(own.id)).toMatchObject({ issue, actions: body.actions, isActive: true })
  })

  test('viewers may only read, and pages are linked', async () => {
    const made = await createWorkflow()
    const { token } = await personAs('viewer')
    expect((await call('GET', `${W}/${made.id}/`, { token })).status).toBe(200)
    expect((await call('PUT', `${W}/${made.id}/`, { token, body: workflow })).status).toBe(403)
    const page = await call('GET', `${W}/?limit=1`)
    expect([(page.json as unknown[]).length, page.headers.get('link')]).toEqual([
      1,
      expect.stringContaining('results="true"'),
    ])
  })
})
