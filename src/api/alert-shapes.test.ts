import { describe, expect, test } from 'vitest'
import type { RestAlertRule } from '../contract/alerts/alerts.ts'
import type { RestIssueRule } from '../contract/alerts/issue-rules.ts'
import type { RestMetricRule } from '../contract/alerts/metric-rules.ts'
import { appForFile } from './app.cases.ts'

const { call, personAs } = appForFile()
const R = '/projects/acme/web/rules'
const M = '/organizations/acme/alert-rules'
const A = '/organizations/acme/alerts'

const condition = (name: string, more: object = {}) => ({ id: `sentry.rules.conditions.${name}`, ...more })
const filter = (name: string, more: object = {}) => ({ id: `sentry.rules.filters.${name}`, ...more })
const mail = { id: 'sentry.mail.actions.NotifyEmailAction', targetType: 'IssueOwners', targetIdentifier: '' }
const first = condition('first_seen_event.FirstSeenEventCondition')
const frequency = (more: object) => condition('event_frequency.EventFrequencyCondition', more)

const written = {
  name: 'Terraform',
  actionMatch: 'any',
  filterMatch: 'all',
  frequency: 60,
  projects: ['web'],
  environment: 'production',
  conditions: [first, frequency({ comparisonType: 'count', value: 100, interval: '1h' })],
  filters: [filter('level.LevelFilter', { level: '40', match: 'gte' })],
  actions: [mail],
}

async function create(body: object = {}): Promise<RestIssueRule> {
  const { status, json } = await call('POST', `${R}/`, { body: { ...written, ...body } })
  expect([status, json]).toMatchObject([201, {}])
  return json
}
const modelOf = async (id: string): Promise<RestAlertRule> => (await call('GET', `${A}/${id}/`)).json

describe('issue rules in the older shape', () => {
  test('have the receivers of now, also if these changed in another shape', async () => {
    const made = await create()
    await call('PUT', `${A}/${made.id}/`, { body: { name: 'Renamed', actions: [{ type: 'owners' }] } })
    expect((await call('GET', `${R}/${made.id}/`)).json).toMatchObject({ ...written, name: 'Renamed' })
    await call('PUT', `${A}/${made.id}/`, { body: { actions: [{ type: 'members' }] } })
    const team = { id: mail.id, targetType: 'Team' }
    expect((await call('GET', `${R}/${made.id}/`)).json).toMatchObject({ ...written, name: 'Renamed', actions: [team] })
  })

  test('are made, read as they were sent, replaced and deleted', async () => {
    const made = await create()
    expect(made).toMatchObject({ ...written, owner: null, status: 'active', snooze: false, errors: [] })
    expect(await modelOf(made.id)).toMatchObject({
      kind: 'issue',
      environment: 'production',
      issue: {
        when: [{ type: 'new' }, { type: 'events', count: 101, windowMinutes: 60 }],
        match: 'any',
        filter: 'level:[error, fatal]',
      },
      actions: [{ type: 'owners' }],
      intervalMinutes: 60,
    })
    expect((await call('GET', `${R}/${made.id}/`)).json).toEqual(made)
    const changed = await call('PUT', `${R}/${made.id}/`, { body: { ...written, name: 'Other', filters: [] } })
    expect(changed.json).toMatchObject({ id: made.id, name: 'Other', filters: [] })
    const { issue } = await modelOf(made.id)
    expect(issue?.filter).toBe('')
    const stale = await call('PUT', `${R}/${made.id}/`, { body: written, headers: { 'if-match': '"0"' } })
    expect(stale.status).toBe(409)
    expect((await call('DELETE', `${R}/${made.id}/`)).status).toBe(202)
    expect((await call('GET', `${R}/${made.id}/`)).status).toBe(404)
  })

  test.each<[string, object, string]>([
    [
      'age',
      filter('age_comparison.AgeComparisonFilter', { comparison_type: 'older', value: 3, time: 'hour' }),
      'age:+3h',
    ],
    [
      'newer',
      filter('age_comparison.AgeComparisonFilter', { comparison_type: 'newer', value: 2, time: 'week' }),
      'age:-2w',
    ],
    ['occurrences', filter('issue_occurrences.IssueOccurrencesFilter', { value: 10 }), 'timesSeen:>=10'],
    ['nobody', filter('assigned_to.AssignedToFilter', { targetType: 'Unassigned' }), 'is:unassigned'],
    ['a team', filter('assigned_to.AssignedToFilter', { targetType: 'Team', targetIdentifier: 1 }), 'is:assigned'],
    ['the latest release', filter('latest_release.LatestReleaseFilter'), 'release:latest'],
    ['a category', filter('issue_category.IssueCategoryFilter', { value: '2' }), 'issue.category:performance'],
    ['a level', filter('level.LevelFilter', { level: '30', match: 'lte' }), 'level:[debug, info, warning]'],
    [
      'an attribute',
      filter('event_attribute.EventAttributeFilter', { attribute: 'exception.type', match: 'sw', value: 'a"*b' }),
      'error.type:"a\\"\\*b*"',
    ],
    [
      'an attribute that is not',
      filter('event_attribute.EventAttributeFilter', { attribute: 'user.email', match: 'nc', value: '@acme' }),
      '!user.email:"*@acme*"',
    ],
    [
      'values',
      filter('tagged_event.TaggedEventFilter', { key: 'region', match: 'in', value: 'eu, us' }),
      'tags[region]:["eu", "us"]',
    ],
    ['a tag that is set', filter('tagged_event.TaggedEventFilter', { key: 'a.b', match: 'is' }), 'has:tags[a.b]'],
  ])('a filter by %s is a term of the search', async (_, one, term) => {
    const { id } = await create({ filters: [one] })
    const model = await modelOf(id)
    expect([model.issue?.filter, model.isActive]).toEqual([term, true])
  })

  const region = (match: string) => filter('tagged_event.TaggedEventFilter', { key: 'region', match, value: 'eu' })
  test.each([
    ['all', 'tags[region]:"eu" !tags[region]:"eu"'],
    ['any', '(tags[region]:"eu" OR !tags[region]:"eu")'],
    ['none', '!tags[region]:"eu" tags[region]:"eu"'],
  ])('filters with the match %s', async (filterMatch, text) => {
    const { id } = await create({ filterMatch, filters: [region('eq'), region('ne')] })
    expect((await modelOf(id)).issue?.filter).toBe(text)
  })

  test.each<[string, object, unknown]>([
    ['a regression', condition('regression_event.RegressionEventCondition'), { type: 'regression' }],
    ['an escalation', condition('reappeared_event.ReappearedEventCondition'), { type: 'escalation' }],
    [
      'users',
      condition('event_frequency.EventUniqueUserFrequencyCondition', {
        value: 4,
        interval: '5m',
        comparisonType: 'count',
      }),
      { type: 'users', count: 5, windowMinutes: 5 },
    ],
    [
      'a change',
      frequency({ value: 50, interval: '1h', comparisonType: 'percent', comparisonInterval: '1w' }),
      { type: 'rate', percent: 50, windowMinutes: 60, before: 'week' },
    ],
    ['a new issue of high priority', condition('high_priority_issue.NewHighPriorityIssueCondition'), { type: 'new' }],
  ])('%s is a trigger', async (_, one, trigger) => {
    const { id } = await create({ conditions: [one], filters: [] })
    expect((await modelOf(id)).issue?.when).toEqual([trigger])
  })

  test.each<[string, object, RegExp]>([
    [
      'a share of sessions',
      { conditions: [condition('event_frequency.EventFrequencyPercentCondition')] },
      /share of sessions/,
    ],
    ['no condition', { actionMatch: 'none' }, /no condition is met/],
    [
      'a change against 5 minutes',
      { conditions: [frequency({ value: 5, interval: '1h', comparisonType: 'percent', comparisonInterval: '5m' })] },
      /against 5m/,
    ],
    [
      'adopted releases',
      { filters: [filter('latest_adopted_release_filter.LatestAdoptedReleaseFilter')] },
      /adopted release/,
    ],
    [
      'an attribute',
      { filters: [filter('event_attribute.EventAttributeFilter', { attribute: 'sdk.name', match: 'eq', value: 'x' })] },
      /sdk\.name/,
    ],
    [
      'Azure DevOps',
      { actions: [{ id: 'sentry.integrations.vsts.notify_action.AzureDevopsCreateTicketAction' }] },
      /Azure DevOps/,
    ],
    ['legacy integrations', { actions: [{ id: 'sentry.rules.actions.notify_event.NotifyEventAction' }] }, /legacy/],
  ])('%s cannot be evaluated: the rule is kept, and inactive with the reason', async (_, more, reason) => {
    const made = await create(more)
    expect(made).toMatchObject({ status: 'disabled', ...more })
    expect(made.errors[0]?.detail).toMatch(reason)
    const model = await modelOf(made.id)
    expect([model.isActive, model.state.status]).toEqual([false, 'inactive'])
    expect(model.state.reason).toMatch(reason)
    // Replaced by one that can be evaluated, it begins.
    expect((await call('PUT', `${R}/${made.id}/`, { body: written })).json).toMatchObject({
      status: 'active',
      errors: [],
    })
  })

  test.each<[string, object]>([
    ['conditions', { conditions: [condition('invented.Condition')] }],
    ['conditions', { conditions: [{ id: 'constructor' }] }],
    ['conditions', { conditions: [frequency({ comparisonType: 'count', value: 'many', interval: '1h' })] }],
    ['conditions', { conditions: [frequency({ comparisonType: 'count', value: 1, interval: '2h' })] }],
    ['conditions', { conditions: [{ id: 'mishap.rules.conditions.TriggerCondition', trigger: { type: 'x' } }] }],
    ['filters', { filters: [filter('invented.Filter')] }],
    ['filters', { filters: [filter('level.LevelFilter', { level: '41', match: 'eq' })] }],
    [
      'filters',
      { filters: [filter('tagged_event.TaggedEventFilter', { key: 'a b) OR (c', match: 'eq', value: 'x' })] },
    ],
    [
      'filters',
      { filters: [filter('event_attribute.EventAttributeFilter', { attribute: 'invented', match: 'eq', value: 'x' })] },
    ],
    ['filters', { filters: [{ id: 'mishap.rules.filters.SearchFilter', query: 'level:' }] }],
    ['actions', { actions: [{ id: 'invented' }] }],
    ['actions', { actions: [] }],
    ['actions', { actions: [{ ...mail, targetType: 'Member', targetIdentifier: 'nobody' }] }],
    [
      'actions',
      {
        actions: [
          { id: 'sentry.integrations.slack.notify_action.SlackNotifyServiceAction', workspace: '1', channel: '#none' },
        ],
      },
    ],
    ['actionMatch', { actionMatch: 'some' }],
    ['frequency', { frequency: 1 }],
    ['projects', { projects: ['nothing'] }],
  ])('a wrong %s is refused by its field, and nothing is stored', async (field, more) => {
    const before = (await call('GET', `${R}/`)).json
    const { status, json } = await call('POST', `${R}/`, { body: { ...written, ...more } })
    expect([status, Object.keys(json).some((name) => name.split('.')[0] === field)]).toEqual([400, true])
    expect((await call('GET', `${R}/`)).json).toEqual(before)
  })

  test('a rule of Mishap is read in this shape, and written back it means the same', async () => {
    const channel = { kind: 'slack', name: 'oncall', target: 'https://hooks.slack.com/services/x' }
    const { json } = await call('POST', '/organizations/acme/notification-channels/', { body: channel })
    const channelId = (json as { channel: { id: string } }).channel.id
    const when = [
      { type: 'new' },
      { type: 'feedback' },
      { type: 'events', count: 7, windowMinutes: 60 },
      { type: 'users', count: 3, windowMinutes: 7 },
      { type: 'rate', percent: 20, windowMinutes: 15, before: 'day' },
      { type: 'rate', percent: 20, windowMinutes: 16, before: 'day' },
    ]
    const actions = [
      { type: 'channel', channel: channelId },
      { type: 'owners' },
      { type: 'members' },
      { type: 'assignee' },
    ]
    const body = { name: 'Own', projects: ['web'], issue: { when, filter: 'level:error release:latest' }, actions }
    const own: RestAlertRule = (await call('POST', `${A}/`, { body })).json
    const old: RestIssueRule = (await call('GET', `${R}/${own.id}/`)).json
    expect(old.actions[0]).toMatchObject({ channel: 'oncall' })
    expect((await call('PUT', `${R}/${own.id}/`, { body: old })).status).toBe(200)
    expect(await modelOf(own.id)).toMatchObject({
      issue: { when, filter: 'level:error release:latest', match: 'any' },
      actions,
      isActive: true,
    })
    const named = await create({
      actions: [
        { id: 'sentry.integrations.slack.notify_action.SlackNotifyServiceAction', workspace: '9', channel: '#Oncall' },
      ],
    })
    expect((await modelOf(named.id)).actions).toEqual([{ type: 'channel', channel: channelId }])
  })

  test('rules of other projects and kinds are not there, and viewers may only read', async () => {
    const made = await create()
    await call('POST', '/teams/acme/acme/projects/', { body: { name: 'Api', slug: 'api' } })
    expect((await call('GET', `/projects/acme/api/rules/${made.id}/`)).status).toBe(404)
    const metric = await call('POST', `${M}/`, { body: metricWritten })
    expect((await call('GET', `${R}/${(metric.json as RestMetricRule).id}/`)).status).toBe(404)
    const { token } = await personAs('viewer')
    expect((await call('GET', `${R}/${made.id}/`, { token })).status).toBe(200)
    expect((await call('DELETE', `${R}/${made.id}/`, { token })).status).toBe(403)
  })
})

const metricWritten = {
  name: 'Many errors',
  dataset: 'events',
  query: 'level:error',
  aggregate: 'count()',
  timeWindow: 60,
  thresholdType: 0,
  resolveThreshold: 10,
  triggers: [
    { label: 'critical', alertThreshold: 100, actions: [{ type: 'email', targetType: 'team', targetIdentifier: '1' }] },
    { label: 'warning', alertThreshold: 50, actions: [] },
  ],
  projects: ['web'],
  environment: null,
}

describe('metric rules in the older shape', () => {
  test('are made, read as they were sent, replaced and deleted', async () => {
    const { status, json } = await call('POST', `${M}/`, { body: metricWritten })
    const made = json as RestMetricRule
    expect([status, made]).toMatchObject([
      201,
      { ...metricWritten, status: 0, comparisonDelta: null, detectionType: 'static' },
    ])
    expect(await modelOf(made.id)).toMatchObject({
      kind: 'metric',
      metric: {
        plan: { dataset: 'errors', query: 'level:error', series: [{ name: 'a', aggregate: 'count()' }] },
        of: 'a',
        windowMinutes: 60,
        threshold: { type: 'fixed', direction: 'above', warning: 50, critical: 100, resolve: 10 },
      },
      actions: [{ type: 'members' }],
    })
    const change = {
      ...metricWritten,
      thresholdType: 1,
      triggers: [{ label: 'critical', alertThreshold: 3 }],
      resolveThreshold: null,
    }
    const changed = await call('PUT', `${M}/${made.id}/`, { body: change })
    expect(changed.json).toMatchObject({ thresholdType: 1, triggers: [{ label: 'critical', alertThreshold: 3 }] })
    expect((await call('DELETE', `${M}/${made.id}/`)).status).toBe(202)
    expect((await call('GET', `${M}/${made.id}/`)).status).toBe(404)
  })

  test.each<[string, object, object]>([
    ['a change', { comparisonDelta: 1440 }, { threshold: { type: 'change', before: 'day' } }],
    ['the weekly pattern', { detectionType: 'dynamic' }, { threshold: { type: 'weekly' } }],
    [
      'spans',
      { dataset: 'transactions', query: '', aggregate: 'p95(transaction.duration)' },
      { plan: { dataset: 'spans', series: [{ aggregate: 'p95(span.duration)' }] } },
    ],
    ['logs', { dataset: 'ourlogs', query: 'severity:error' }, { plan: { dataset: 'logs' } }],
  ])('%s', async (_, more, metric) => {
    const { json } = await call('POST', `${M}/`, { body: { ...metricWritten, ...more } })
    expect((await modelOf((json as RestMetricRule).id)).metric).toMatchObject(metric)
  })

  test.each<[string, object, RegExp]>([
    [
      'sessions',
      { dataset: 'metrics', aggregate: 'percentage(sessions_crashed, sessions)', query: '' },
      /dataset metrics/,
    ],
    ['another period', { comparisonDelta: 30 }, /30 minutes before/],
    [
      'a Sentry app',
      {
        triggers: [{ label: 'critical', alertThreshold: 1, actions: [{ type: 'sentry_app' }] }],
        resolveThreshold: null,
      },
      /Sentry app/,
    ],
  ])('%s cannot be evaluated: the rule is kept, and inactive with the reason', async (_, more, reason) => {
    const { json } = await call('POST', `${M}/`, { body: { ...metricWritten, ...more } })
    const made = json as RestMetricRule
    expect(made).toMatchObject({ status: 4, ...more })
    expect(made.errors[0]?.detail).toMatch(reason)
  })

  test.each<[string, object]>([
    ['dataset', { dataset: 'invented' }],
    ['aggregate', { aggregate: 'frobnicate(x)' }],
    ['aggregate', { aggregate: 'level' }],
    ['triggers', { triggers: [] }],
    ['triggers', { triggers: [{ label: 'warning', alertThreshold: 1 }] }],
    ['triggers', { triggers: [{ label: 'critical', alertThreshold: 1, actions: [{ type: 'pigeon' }] }] }],
    [
      'triggers',
      {
        triggers: [
          { label: 'critical', alertThreshold: 1 },
          { label: 'warning', alertThreshold: 5 },
        ],
      },
    ],
    ['projects', { projects: ['nothing'] }],
  ])('a wrong %s is refused by its field', async (field, more) => {
    const { status, json } = await call('POST', `${M}/`, { body: { ...metricWritten, ...more } })
    expect([status, Object.keys(json).some((name) => name.split('.')[0] === field)]).toEqual([400, true])
  })

  test('both kinds are in one list, and a metric rule of Mishap is read from its plan', async () => {
    const plan = { dataset: 'logs', query: 'a', series: [{ name: 'b', aggregate: 'count()', query: 'c' }] }
    const threshold = { type: 'change', direction: 'below', critical: -50, before: 'week' }
    const metric = { plan, of: 'b', windowMinutes: 5, threshold }
    const { json } = await call('POST', `${A}/`, { body: { name: 'zz own', metric, actions: [{ type: 'owners' }] } })
    const all = (await call('GET', '/organizations/acme/combined-rules/?limit=100')).json as {
      type: string
      id: string
    }[]
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(['rule', 'alert_rule']))
    expect(all.at(-1)).toMatchObject({
      id: (json as RestAlertRule).id,
      type: 'alert_rule',
      dataset: 'ourlogs',
      query: 'a c',
      aggregate: 'count()',
      thresholdType: 1,
      comparisonDelta: 10_080,
      detectionType: 'percent',
      triggers: [{ label: 'critical', alertThreshold: -50, actions: [{ type: 'email', targetType: 'issue_owners' }] }],
    })
  })
})
