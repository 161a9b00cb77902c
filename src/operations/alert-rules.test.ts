import { describe, expect, test } from 'vitest'
import { newAlertRuleBody } from '../contract/alerts/alerts.ts'
import { createAlertRule, deleteAlertRule, updateAlertRule } from './alert-rules.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()

async function rig(alertRulesMax = 10) {
  const made = await fresh()
  const channel = await made.meta.alerts.createChannel({
    organizationId: 1,
    projectId: null,
    kind: 'email',
    name: 'Ops',
    sealedTarget: 't',
    sealedSecret: '',
  })
  const deps = {
    ...made,
    events: {} as never,
    auth: { personByEmail: async () => undefined },
    readers: { isCatchingUp: () => false },
    config: { url: 'http://mishap.test', alertRulesMax },
  }
  return { deps, channel: String(channel.id) }
}

const by = { organizationId: 1, userId: 'ann' }
const issue = { when: [{ type: 'new' }] }
const plan = {
  dataset: 'spans',
  series: [{ name: 'a', aggregate: 'count()' }],
  formulas: [{ name: 'f', expression: 'a * 2' }],
}
const metric = { plan, of: 'f', windowMinutes: 5, threshold: { type: 'fixed', direction: 'above', critical: 10 } }
const body = (more: object) => newAlertRuleBody.parse({ name: 'Rule', issue, ...more })
const metricBody = (more: object) => body({ issue: null, metric: { ...metric, ...more } })
const levels = (more: object) => metricBody({ threshold: { ...metric.threshold, ...more } })

describe('a rule', () => {
  test('is made with ids for slugs, and the defaults of its conditions', async () => {
    const { deps, channel } = await rig()
    const actions = [{ type: 'channel', channel }, { type: 'person', person: 'ann' }, { type: 'authors' }]
    const rule = await createAlertRule(deps, by, body({ projects: ['web'], owner: 'user:ann', actions }))
    expect(rule).toMatchObject({
      kind: 'issue',
      active: true,
      createdBy: 'ann',
      definition: {
        projectIds: [1],
        ownerId: 'ann',
        actions,
        issue: { match: 'any', filter: '', unless: { noise: false, skew: false, quietHours: null } },
        unevaluable: [],
        original: null,
      },
    })
    expect(await createAlertRule(deps, by, metricBody({}))).toMatchObject({
      kind: 'metric',
      definition: { metric: { minimum: 0, missing: 'keep', threshold: { warning: null, resolve: null } } },
    })
  })

  test.each<[string, object, string[]]>([
    ['an unknown project', body({ projects: ['web', 'nope'] }), ['projects']],
    ['an unknown owner', body({ owner: 'user:eve' }), ['owner']],
    ['an unknown channel', body({ actions: [{ type: 'owners' }, { type: 'channel', channel: '99' }] }), ['actions.1']],
    ['a stranger', body({ actions: [{ type: 'person', person: 'eve' }] }), ['actions.0']],
    ['an unknown schedule', body({ actions: [{ type: 'on_call', schedule: '1' }] }), ['actions.0']],
    ['an unknown tracker', body({ actions: [{ type: 'tracker', tracker: '1' }] }), ['actions.0']],
    ['an unknown step', body({ escalation: [{ afterMinutes: 5, schedule: '1' }] }), ['escalation.0']],
    ['no trigger', body({ issue: { when: [] } }), ['issue.when']],
    ['a broken search', body({ issue: { ...issue, filter: '((' } }), ['issue.filter']],
    ['a key that no error has', body({ issue: { ...issue, filter: 'p95():>1' } }), ['issue.filter']],
    ['neither kind', body({ issue: null }), ['issue']],
    ['both kinds', body({ metric }), ['metric']],
    [
      'an unknown aggregate',
      metricBody({ plan: { ...plan, series: [{ name: 'a', aggregate: 'most()' }] } }),
      ['metric.plan'],
    ],
    ['a wrong search of a plan', metricBody({ plan: { ...plan, query: '(' } }), ['metric.plan']],
    [
      'too many fields of groups',
      metricBody({ plan: { ...plan, groupBy: ['release', 'environment', 'level', 'platform'] } }),
      ['metric.plan'],
    ],
    ['an unknown series', metricBody({ of: 'b' }), ['metric.of']],
    ['a warning beyond critical', levels({ warning: 11 }), ['metric.threshold']],
    ['a warning below it, downwards', levels({ warning: 9, direction: 'below' }), ['metric.threshold']],
    ['a resolve threshold beyond the lowest level', levels({ warning: 5, resolve: 6 }), ['metric.threshold']],
    ['a window between two steps', metricBody({ windowMinutes: 61 }), ['metric.windowMinutes']],
    [
      'a share',
      metricBody({ plan: { ...plan, series: [{ name: 'a', aggregate: 'share()' }], formulas: [] }, of: 'a' }),
      ['metric.of'],
    ],
    [
      'a weekly pattern of long windows',
      metricBody({ windowMinutes: 2880, threshold: { ...metric.threshold, type: 'weekly' } }),
      ['metric.windowMinutes'],
    ],
    ['a change of nothing', levels({ type: 'change' }), ['metric.threshold']],
    [
      'several mistakes',
      body({ projects: ['x'], owner: 'user:x', issue: { when: [] } }),
      ['issue.when', 'owner', 'projects'],
    ],
  ])('with %s is refused, and nothing is stored', async (_what, input, fields) => {
    const { deps } = await rig()
    expect(await endOf(() => createAlertRule(deps, by, input as never))).toEqual(['VALIDATION', fields])
    expect(await deps.meta.alertRules.listAlertRules(1)).toEqual([])
  })

  test.each([
    levels({ warning: 9, resolve: 9 }),
    levels({ warning: 11, resolve: 12, direction: 'below' }),
    levels({ type: 'change', before: 'day' }),
  ])('with levels in order is made: %j', async (input) => {
    const { deps } = await rig()
    expect((await createAlertRule(deps, by, input)).id).toBe(1)
  })

  test('about different values by group is made', async () => {
    const { deps } = await rig()
    const series = [{ name: 'a', aggregate: 'count_unique(user)' }]
    const input = metricBody({ plan: { ...plan, groupBy: ['release'], series, formulas: [] }, of: 'a' })
    expect(await createAlertRule(deps, by, input)).toMatchObject({
      definition: { metric: { plan: { groupBy: ['release'], series } } },
    })
  })

  test('stops at the limit of the setting', async () => {
    const { deps } = await rig(2)
    for (let count = 0; count < 2; count++) await createAlertRule(deps, by, body({}))
    expect(await endOf(() => createAlertRule(deps, by, body({})))).toEqual(['CONFLICT', []])
  })

  test('with a condition that cannot be evaluated is kept and inactive', async () => {
    const { deps } = await rig()
    const kept = { unevaluable: ['age_comparison'], original: { conditions: ['x'] } }
    const rule = await createAlertRule(deps, by, body({ issue: { when: [] } }), kept)
    expect(rule).toMatchObject({ active: false, definition: kept })
    expect(await endOf(() => updateAlertRule(deps, rule, { isActive: true }, 'ann'))).toEqual([
      'VALIDATION',
      ['isActive'],
    ])
    const changed = await updateAlertRule(deps, rule, { issue: body({}).issue ?? undefined, isActive: true }, 'ann')
    expect(changed).toMatchObject({ active: true, definition: { unevaluable: [], original: null } })
  })

  test('changes in part; a refused or outdated change leaves it as it was', async () => {
    const { deps, channel } = await rig()
    const rule = await createAlertRule(deps, by, body({ actions: [{ type: 'channel', channel }], projects: ['web'] }))
    const next = await updateAlertRule(deps, rule, { name: 'Next', projects: [], revision: 0 }, 'ann')
    expect(next).toMatchObject({ name: 'Next', definition: { ...rule.definition, projectIds: [] }, rev: 1 })
    expect(await endOf(() => updateAlertRule(deps, next, { name: 'X', revision: 0 }, 'ann'))).toEqual(['CONFLICT', []])
    const wrong = { name: 'X', owner: 'user:eve' }
    expect(await endOf(() => updateAlertRule(deps, next, wrong, 'ann'))).toEqual(['VALIDATION', ['owner']])
    const other = { metric: metricBody({}).metric ?? undefined }
    expect(await endOf(() => updateAlertRule(deps, next, other, 'ann'))).toEqual(['VALIDATION', ['metric']])
    expect(await deps.meta.alertRules.alertRuleById(rule.id)).toMatchObject({ name: 'Next', rev: 1 })
  })

  test('a change without a revision keeps what somebody else changed meanwhile', async () => {
    const { deps } = await rig()
    const rule = await createAlertRule(deps, by, body({}))
    await updateAlertRule(deps, rule, { mutedUntil: 5 }, 'bob')
    const changed = await updateAlertRule(deps, rule, { name: 'Next' }, 'ann')
    expect(changed).toMatchObject({ name: 'Next', mutedUntilMs: 5, rev: 2 })
    await deleteAlertRule(deps, rule, undefined)
    expect(await endOf(() => updateAlertRule(deps, rule, { name: 'Gone' }, 'ann'))).toEqual(['NOT_FOUND', []])
  })

  test('can be muted, renamed and switched off after its channel is gone, but not changed', async () => {
    const { deps, channel } = await rig()
    const rule = await createAlertRule(deps, by, body({ actions: [{ type: 'channel', channel }] }))
    await deps.meta.alerts.deleteChannel(Number(channel))
    const muted = await updateAlertRule(deps, rule, { mutedUntil: 5, name: 'M', isActive: false }, 'ann')
    expect(muted).toMatchObject({ mutedUntilMs: 5, name: 'M', active: false })
    expect(await endOf(() => updateAlertRule(deps, muted, { environment: 'prod' }, 'ann'))).toEqual([
      'VALIDATION',
      ['actions.0'],
    ])
    expect((await updateAlertRule(deps, muted, { mutedUntil: null }, 'ann')).mutedUntilMs).toBeNull()
    expect(await endOf(() => deleteAlertRule(deps, muted, 0))).toEqual(['CONFLICT', []])
    await deleteAlertRule(deps, muted, undefined)
    expect(await deps.meta.alertRules.listAlertRules(1)).toEqual([])
  })
})
