import { describe, expect, test } from 'vitest'
import { alertRuleChangeBody, newAlertRuleBody } from './alerts.ts'

const trigger = { type: 'new' }
const plan = { dataset: 'logs', series: [{ name: 'a', aggregate: 'count()' }] }
const threshold = { type: 'fixed', direction: 'above', critical: 1 }
const metric = { plan, of: 'a', windowMinutes: 5, threshold }
const hours = { from: '22:00', to: '07:30', timeZone: 'Europe/Berlin' }

/** Paths of the mistakes in a body. */
const mistakesOf = (body: object): string[] =>
  newAlertRuleBody
    .safeParse({ name: 'Rule', ...body })
    .error?.issues.map(({ path }) => path.join('.'))
    .sort() ?? []

const when = (...triggers: object[]) => ({ issue: { when: triggers } })
const quiet = (quietHours: object) => ({ issue: { when: [trigger], unless: { quietHours } } })
const measured = (more: object) => ({ metric: { ...metric, ...more } })

describe('a body of a new rule', () => {
  test.each<[string, object]>([
    ['each trigger', when(...['new', 'regression', 'escalation', 'priority'].map((type) => ({ type })))],
    ['further triggers', when(...['first_of_release', 'performance', 'feedback'].map((type) => ({ type })))],
    [
      'counts',
      when({ type: 'events', count: 1, windowMinutes: 1 }, { type: 'users', count: 9, windowMinutes: 43_200 }),
    ],
    ['a rate', when({ type: 'rate', percent: 0.5, windowMinutes: 60, before: 'week' })],
    ['quiet hours over midnight', quiet(hours)],
    ['a metric', measured({})],
    ['negative thresholds', measured({ threshold: { ...threshold, critical: -5, warning: -3, direction: 'below' } })],
    ['receivers', { actions: ['assignee', 'owners', 'authors', 'members'].map((type) => ({ type })) }],
    ['a tracker', { actions: [{ type: 'tracker', tracker: '3', options: { labels: ['bug'], project: 'WEB' } }] }],
    ['an escalation', { escalation: [{ afterMinutes: 15, schedule: '1' }] }],
    ['the shortest interval', { intervalMinutes: 5 }],
  ])('with %s is read', (_what, body) => {
    expect(mistakesOf(body)).toEqual([])
  })

  test.each<[string, object, string[]]>([
    ['no name', { name: ' ' }, ['name']],
    ['a name of two lines', { name: 'a\nb' }, ['name']],
    ['an unknown trigger', when({ type: 'sometimes' }), ['issue.when.0.type']],
    ['a count without a window', when({ type: 'events', count: 3 }), ['issue.when.0.windowMinutes']],
    ['a window of no minutes', when({ type: 'users', count: 3, windowMinutes: 0 }), ['issue.when.0.windowMinutes']],
    ['a window over 30 days', measured({ windowMinutes: 43_201 }), ['metric.windowMinutes']],
    ['a part of an event', when({ type: 'events', count: 1.5, windowMinutes: 1 }), ['issue.when.0.count']],
    [
      'a rate of nothing',
      when({ type: 'rate', percent: 0, windowMinutes: 1, before: 'day' }),
      ['issue.when.0.percent'],
    ],
    [
      'a rate of the last year',
      when({ type: 'rate', percent: 1, windowMinutes: 1, before: 'year' }),
      ['issue.when.0.before'],
    ],
    ['a trigger with more than it has', when({ type: 'new', count: 3 }), ['issue.when.0']],
    ['a time of no day', quiet({ ...hours, from: '24:00' }), ['issue.unless.quietHours.from']],
    ['an unknown time zone', quiet({ ...hours, timeZone: 'Mars/Olympus' }), ['issue.unless.quietHours.timeZone']],
    [
      'an endless threshold',
      measured({ threshold: { ...threshold, critical: Number.POSITIVE_INFINITY } }),
      ['metric.threshold.critical'],
    ],
    ['an unknown dataset', measured({ plan: { ...plan, dataset: 'moods' } }), ['metric.plan.dataset']],
    ['an unknown answer to no data', measured({ missing: 'panic' }), ['metric.missing']],
    ['an action without its channel', { actions: [{ type: 'channel' }] }, ['actions.0.channel']],
    ['an id that is no number', { actions: [{ type: 'channel', channel: 'a' }] }, ['actions.0.channel']],
    ['an unknown action', { actions: [{ type: 'shout' }] }, ['actions.0.type']],
    ['an owner that is no person', { owner: 'team:1' }, ['owner']],
    ['an interval under five minutes', { intervalMinutes: 4 }, ['intervalMinutes']],
    ['an escalation at once', { escalation: [{ afterMinutes: 0, schedule: '1' }] }, ['escalation.0.afterMinutes']],
    ['too many actions', { actions: Array.from({ length: 21 }, () => ({ type: 'members' })) }, ['actions']],
  ])('with %s is refused there', (_what, body, paths) => {
    expect(mistakesOf(body)).toEqual(paths)
  })
})

describe('a body of a change', () => {
  test('sets nothing that it does not name', () => {
    expect(alertRuleChangeBody.parse({ name: 'B' })).toEqual({ name: 'B' })
  })

  test('mutes until a time, and ends that', () => {
    expect(alertRuleChangeBody.parse({ mutedUntil: '2026-01-01T00:00:00Z' })).toEqual({ mutedUntil: 1_767_225_600_000 })
    expect(alertRuleChangeBody.parse({ mutedUntil: null })).toEqual({ mutedUntil: null })
    expect(alertRuleChangeBody.safeParse({ mutedUntil: 'soon' }).success).toBe(false)
  })
})
