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
    expect([moved.status, Object.keys(moved.json)]).toEqual([400, ['detectorIds']])
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

  test('have the receivers of now, also if these changed in another shape', async () => {
    const { id } = await createWorkflow()
    await call('PUT', `${A}/${id}/`, { body: { actions: [{ type: 'members' }] } })
    const actions = [{ type: 'email', config: { targetType: 'team' } }]
    expect(((await call('GET', `${W}/${id}/`)).json as RestWorkflow).actionFilters).toMatchObject([
      { ...workflow.actionFilters[0], actions },
    ])
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

describe('workflows of several detectors of metrics', () => {
  const team = { type: 'email', config: { targetType: 'team' }, data: {} }
  const filters = (...actions: object[]) => [{ logicType: 'all', conditions: [], actions }]
  const shared = { ...workflow, name: 'Everybody', actionFilters: filters(team) }
  const put = (id: string, body: object, headers = {}) => call('PUT', `${W}/${id}/`, { body, headers })
  const read = async (id: string) => (await call('GET', `${W}/${id}/`)).json as RestWorkflow
  const listed = async () => (await call('GET', `${W}/?limit=100`)).json as RestWorkflow[]
  const receiversOf = async (id: string) => {
    const { actions, intervalMinutes } = await modelOf(id)
    return [actions.map(({ type }) => type), intervalMinutes]
  }
  const workflowIdsOf = async (id: string) => ((await call('GET', `${D}/${id}/`)).json as RestDetector).workflowIds

  async function ids(count: number): Promise<string[]> {
    const found: string[] = []
    for (let at = 0; at < count; at++) found.push((await createDetector({ name: `Detector ${at}` })).id)
    return found
  }
  async function create(detectorIds: string[], more: object = {}): Promise<RestWorkflow> {
    const { status, json } = await call('POST', `${W}/`, { body: { ...shared, detectorIds, ...more } })
    expect([status, json]).toMatchObject([201, {}])
    return json
  }

  test('are one, read as they were sent, and each rule has the receivers', async () => {
    const detectorIds = await ids(2)
    const made = await create(detectorIds)
    expect(made).toMatchObject({ ...shared, detectorIds, errors: [] })
    expect(await read(made.id)).toEqual(made)
    expect((await listed()).filter((one) => one.detectorIds.some((id) => detectorIds.includes(id)))).toEqual([made])
    for (const id of detectorIds) {
      expect(await receiversOf(id)).toEqual([['members'], 60])
      expect(await workflowIdsOf(id)).toEqual([made.id])
      expect((await modelOf(id)).workflow).toBe('Everybody')
    }
  })

  test('are replaced with the same id: what they no longer name has no receivers', async () => {
    const [first = '', second = '', third = ''] = await ids(3)
    const { id, revision } = await create([first, second])
    const body = { ...shared, name: 'Other', config: { frequency: 5 }, detectorIds: [second, third] }
    expect((await put(id, body)).json).toMatchObject({ ...body, id, revision: revision + 1 })
    expect(await Promise.all([first, second, third].map(receiversOf))).toEqual([
      [[], 5],
      [['members'], 5],
      [['members'], 5],
    ])
    expect(await workflowIdsOf(first)).toEqual([])
    const stale = await put(id, { ...body, detectorIds: [first] }, { 'if-match': `"${revision}"` })
    const kept = await read(id)
    expect([stale.status, kept]).toMatchObject([409, { ...body, revision: revision + 1 }])
    const { revision: before } = await modelOf(second)
    expect((await put(id, body, { 'if-match': `"${kept.revision}"` })).status).toBe(200)
    // A rule that has the receivers already is not changed, so screens that show it stay up to date.
    expect((await modelOf(second)).revision).toBe(before)
  })

  test('that are off keep their actions, and nobody hears of the rules', async () => {
    const detectorIds = await ids(2)
    const made = await create(detectorIds, { enabled: false })
    expect(await read(made.id)).toMatchObject({ ...shared, enabled: false, detectorIds })
    expect(await Promise.all(detectorIds.map(receiversOf))).toEqual([
      [[], 60],
      [[], 60],
    ])
    expect((await put(made.id, { ...shared, detectorIds })).json).toMatchObject({ enabled: true })
    expect(await Promise.all(detectorIds.map(receiversOf))).toEqual([
      [['members'], 60],
      [['members'], 60],
    ])
  })

  test('lose a rule that gets other receivers elsewhere, until they are written again', async () => {
    const detectorIds = await ids(2)
    const [first = '', second = ''] = detectorIds
    const { id, revision } = await create(detectorIds)
    await call('PUT', `${A}/${first}/`, { body: { name: 'Renamed', actions: [{ type: 'members' }] } })
    await call('PUT', `${D}/${first}/`, { body: { ...detector, name: 'Replaced' } })
    expect((await read(id)).detectorIds).toEqual(detectorIds)
    await call('PUT', `${A}/${first}/`, { body: { actions: [{ type: 'owners' }] } })
    expect(await read(id)).toMatchObject({ detectorIds: [second], revision: revision + 1 })
    const [own = ''] = await workflowIdsOf(first)
    expect(await read(own)).toMatchObject({ name: 'Replaced', detectorIds: [first] })
    expect((await put(id, { ...shared, detectorIds })).json).toMatchObject({ detectorIds })
    expect([await receiversOf(first), (await call('GET', `${W}/${own}/`)).status]).toEqual([[['members'], 60], 404])
  })

  test('are deleted with the receivers, and go with their last rule', async () => {
    const detectorIds = await ids(2)
    const { id, revision } = await create(detectorIds)
    const gone = async (one: string) => (await call('GET', `${W}/${one}/`)).status === 404
    const headers = { 'if-match': `"${revision + 1}"` }
    expect((await call('DELETE', `${W}/${id}/`, { headers })).status).toBe(409)
    expect((await call('DELETE', `${W}/${id}/`)).status).toBe(204)
    expect([await gone(id), await Promise.all(detectorIds.map(receiversOf))]).toEqual([
      true,
      [
        [[], 60],
        [[], 60],
      ],
    ])
    const next = await create(detectorIds)
    const [first = '', second = ''] = detectorIds
    await call('DELETE', `${D}/${first}/`)
    expect((await read(next.id)).detectorIds).toEqual([second])
    await call('DELETE', `${A}/${second}/`)
    expect(await gone(next.id)).toBe(true)
  })

  test('are the receivers of a rule in its older shape, too', async () => {
    const older = '/organizations/acme/alert-rules'
    const triggers = [
      { label: 'critical', alertThreshold: 9, actions: [{ type: 'email', targetType: 'issue_owners' }] },
    ]
    const rule = { name: 'Older', aggregate: 'count()', timeWindow: 60, thresholdType: 0, projects: ['web'], triggers }
    const { id } = (await call('POST', `${older}/`, { body: rule })).json as { id: string }
    const made = await create([id, ...(await ids(1))])
    const shape = (await call('GET', `${older}/${id}/`)).json
    expect(shape).toMatchObject({ triggers: [{ alertThreshold: 9, actions: [{ targetType: 'team' }] }] })
    await call('PUT', `${older}/${id}/`, { body: shape })
    expect((await read(made.id)).detectorIds).toContain(id)
    await call('PUT', `${older}/${id}/`, { body: rule })
    expect((await read(made.id)).detectorIds).not.toContain(id)
    expect((await call('GET', `${older}/${id}/`)).json).toMatchObject({ triggers })
  })

  test('name what Mishap does not evaluate of them', async () => {
    const conditions = [{ type: 'issue_priority_greater_or_equal', comparison: 75, conditionResult: true }]
    const more = { environment: 'production', actionFilters: [{ logicType: 'all', conditions, actions: [team] }] }
    const made = await create(await ids(2), more)
    expect(made).toMatchObject({ enabled: true, ...more })
    expect(made.errors.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/environment/),
      expect.stringMatching(/issue_priority_greater_or_equal/),
    ])
  })

  const on = (type: string) => ({ triggers: { logicType: 'any-short', conditions: [when(type)] } })
  const nobody = { ...mail, config: { targetType: 'user', targetIdentifier: 'nobody' } }
  test.each<[string, string, object]>([
    ['an unknown trigger', 'triggers', on('invented')],
    [
      'an unknown filter',
      'actionFilters',
      { actionFilters: [{ conditions: [{ type: 'invented' }], actions: [team] }] },
    ],
    ['an unknown action', 'actionFilters', { actionFilters: filters({ type: 'pigeon' }) }],
    ['an action that Mishap cannot perform', 'actionFilters', { actionFilters: filters({ type: 'jira' }) }],
    ['no action', 'actionFilters', { actionFilters: filters() }],
    ['an unknown person', 'actionFilters', { actionFilters: filters(nobody) }],
    ['an unknown detector', 'detectorIds', { more: ['77777'] }],
    ['an unknown project', 'detectorIds', { more: ['1000000077777'] }],
    ['a project beside them', 'detectorIds', { more: ['project'] }],
    ['a detector of another workflow', 'detectorIds', { more: ['taken'] }],
    ['a body that is too large', 'detail', { triggers: { ...on('every_event').triggers, text: 'x'.repeat(200_000) } }],
  ])(
    'with %s are refused by the field, and nothing is stored',
    async (_, field, { more = [], ...body }: { more?: string[] }) => {
      const [first = '', second = '', third = ''] = await ids(3)
      const names: Record<string, string> = { project: (await projectDetector()).id, taken: third }
      const detectorIds = [first, second, ...more.map((name) => names[name] ?? name)]
      await create([third])
      const made = await create([first])
      const before = [await listed(), await modelOf(first), await modelOf(second)]
      const refused = [
        await call('POST', `${W}/`, { body: { ...shared, ...body, detectorIds: detectorIds.slice(1) } }),
        await put(made.id, { ...shared, ...body, detectorIds }),
      ]
      for (const { status, json } of refused) expect([status, Object.keys(json)]).toEqual([400, [field]])
      expect([await listed(), await modelOf(first), await modelOf(second)]).toEqual(before)
    },
  )

  test('do not grow out of the receivers that one rule got elsewhere', async () => {
    const [first = '', second = ''] = await ids(2)
    await call('PUT', `${A}/${first}/`, { body: { actions: [{ type: 'owners' }] } })
    const [own = ''] = await workflowIdsOf(first)
    expect((await put(own, { ...shared, detectorIds: [first] })).json).toMatchObject({ id: own, detectorIds: [first] })
    const several = await put(own, { ...shared, detectorIds: [first, second] })
    expect([several.status, several.json]).toEqual([400, { detectorIds: [expect.stringMatching(/several detectors/)] }])
    expect(await receiversOf(second)).toEqual([[], 30])
    const made = await create([first, second])
    expect([await workflowIdsOf(first), (await call('GET', `${W}/${own}/`)).status]).toEqual([[made.id], 404])
  })
})
