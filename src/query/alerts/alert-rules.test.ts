import { describe, expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import type { AlertDefinition, AlertRule } from '../../store/meta/alerts/rules.ts'
import { alertRulesPage, toRestAlertRules } from './alert-rules.ts'

const definition: AlertDefinition = {
  projectIds: [],
  environment: null,
  ownerId: null,
  issue: { when: [{ type: 'new' }], match: 'any', filter: '', unless: { noise: false, skew: false, quietHours: null } },
  metric: null,
  actions: [],
  intervalMinutes: 30,
  resolveMessage: true,
  escalation: [],
  unevaluable: [],
  original: null,
}

const rule = (id: number, more: Partial<AlertRule> = {}, defined: Partial<AlertDefinition> = {}): AlertRule => ({
  id,
  organizationId: 1,
  kind: 'issue',
  name: `Rule ${id}`,
  active: true,
  mutedUntilMs: null,
  createdMs: 1_000,
  createdBy: 'ann',
  rev: 0,
  changedMs: null,
  changedBy: null,
  workflow: null,
  state: { status: 'ok', reason: '', sinceMs: null, evaluatedMs: null, value: null, memory: 'kept to itself' },
  ...more,
  definition: { ...definition, ...defined },
})

const project = (id: number, slug: string) => ({ id, slug }) as never
const ann = { id: 'ann', name: 'Ann', email: 'ann@example.test' }

const metaWith = (rules: AlertRule[]) => ({
  meta: {
    alertRules: { listAlertRules: async () => rules },
    projects: { projectsOf: async () => [project(1, 'web'), project(2, 'shop')] },
    incidents: { lastFiringsOf: async () => new Map([[7, 4_000]]) },
    people: { people: async (ids: string[]) => (ids.includes('ann') ? [ann] : []) },
  },
})

const shown = async (one: AlertRule) => (await toRestAlertRules(metaWith([]), 1, [one]))[0]

describe('a rule of the API', () => {
  test('has slugs, times and its author, and nothing of the evaluator', async () => {
    const state = {
      status: 'warning' as const,
      reason: '',
      sinceMs: 2_000,
      evaluatedMs: 3_000,
      value: 4,
      memory: { a: 1 },
    }
    const rest = await shown(
      rule(7, { state, changedMs: 5_000, rev: 2, mutedUntilMs: 9_000 }, { projectIds: [2, 99], ownerId: 'bob' }),
    )
    expect(rest).toMatchObject({
      id: '7',
      projects: ['shop'],
      owner: 'user:bob',
      mutedUntil: '1970-01-01T00:00:09.000Z',
      state: {
        status: 'warning',
        reason: '',
        since: '1970-01-01T00:00:02.000Z',
        evaluatedTo: '1970-01-01T00:00:03.000Z',
        value: 4,
      },
      lastFired: '1970-01-01T00:00:04.000Z',
      createdBy: ann,
      dateCreated: '1970-01-01T00:00:01.000Z',
      dateUpdated: '1970-01-01T00:00:05.000Z',
      revision: 2,
    })
    expect(JSON.stringify(rest)).not.toMatch(/memory|projectIds|ownerId/)
    expect(rest?.workflow).toBeNull()
    expect(await shown(rule(1, { workflow: { id: 3, name: 'Everybody' } }))).toMatchObject({ workflow: 'Everybody' })
  })

  test('whose author has left has none', async () => {
    expect(await shown(rule(1, { createdBy: 'eve' }))).toMatchObject({
      createdBy: null,
      dateUpdated: '1970-01-01T00:00:01.000Z',
    })
  })

  test.each<[string, AlertRule, string, string]>([
    ['is off', rule(1, { active: false }), 'inactive', ''],
    [
      'has a condition that cannot be evaluated',
      rule(1, { active: false }, { unevaluable: ['age', 'mood'] }),
      'inactive',
      'Mishap cannot evaluate age, mood.',
    ],
    [
      'has lost all of its projects',
      rule(1, {}, { projectIds: [98, 99] }),
      'inactive',
      'The projects of this rule were deleted.',
    ],
    ['has one project left', rule(1, {}, { projectIds: [1, 99] }), 'ok', ''],
    ['watches all projects', rule(1), 'ok', ''],
  ])('that %s: %#', async (_what, one, status, reason) => {
    expect((await shown(one))?.state).toMatchObject({ status, reason })
  })
})

describe('the groups of a rule', () => {
  const namesOf = async (groupBy: string[], ...groups: (string | number | null)[][]) => {
    const memory = { groups: groups.map((cells) => ({ level: 'critical', value: 3, cells })), beyond: 2 }
    const plan = { dataset: 'errors', groupBy } as MetricCondition['plan']
    const state = { ...rule(1).state, status: 'critical' as const, memory }
    const shownRule = await shown(rule(1, { kind: 'metric', state }, { metric: { plan } as MetricCondition }))
    return shownRule?.state.groups?.firing.map(({ name }) => name)
  }
  test.each<[string[], (string | number | null)[][], string[]]>([
    // A project that is gone has only its id.
    [['project'], [[1], [2], [99]], ['web', 'shop', '99']],
    [['release', 'project'], [['1.0', 2]], ['1.0, shop']],
    // Each field counts once, as in the query.
    [['project', 'project', 'release'], [[1, '1.0']], ['web, 1.0']],
    [['project.id'], [[1]], ['1']],
    [['release'], [['web@1'], [''], [null]], ['web@1', '(none)', '(none)']],
  ])('by %j: %j', async (groupBy, groups, names) => {
    expect(await namesOf(groupBy, ...groups)).toEqual(names)
  })

  test('are those that fire, with their number', async () => {
    const memory = {
      groups: [
        { level: 'ok', value: 0, cells: ['a'] },
        { level: 'warning', value: 3, cells: ['b'] },
      ],
      beyond: 2,
    }
    const plan = { dataset: 'errors', groupBy: ['release'] } as MetricCondition['plan']
    const one = rule(1, { state: { ...rule(1).state, memory } }, { metric: { plan } as MetricCondition })
    expect((await shown(one))?.state.groups).toEqual({
      watched: 2,
      beyond: 2,
      firing: [{ name: 'b', level: 'warning', value: 3 }],
    })
  })
})

describe('a page of rules', () => {
  const rules = [
    rule(1, { name: 'Errors' }, { projectIds: [1] }),
    rule(2, { name: 'Latency', kind: 'metric' }, { projectIds: [2] }),
    rule(3, { name: 'errors of all', active: false }),
  ]
  const ids = async (
    filter: object,
    at: { cursor: string | undefined; limit: number } = { cursor: undefined, limit: 10 },
  ) => (await alertRulesPage(metaWith(rules), 1, { projectIds: [], ...filter }, at)).rows.map(({ id }) => Number(id))

  test.each<[object, number[]]>([
    [{}, [1, 2, 3]],
    [{ query: 'ERRORS' }, [1, 3]],
    [{ kind: 'metric' }, [2]],
    [{ status: 'inactive' }, [3]],
    [{ status: 'ok', query: 'e' }, [1, 2]],
    [{ projectIds: [1] }, [1, 3]],
    [{ projectIds: [1, 2] }, [1, 2, 3]],
    [{ kind: 'metric', projectIds: [1] }, []],
  ])('with %j', async (filter, expected) => {
    expect(await ids(filter)).toEqual(expected)
  })

  test('goes on at a cursor and knows the number of hits', async () => {
    const page = await alertRulesPage(metaWith(rules), 1, { projectIds: [] }, { cursor: undefined, limit: 2 })
    expect([page.hits, page.next]).toEqual([3, { cursor: '0:2:0', results: true }])
    expect(await ids({}, { cursor: page.next.cursor, limit: 2 })).toEqual([3])
    const last = await alertRulesPage(metaWith(rules), 1, { projectIds: [] }, { cursor: '0:2:0', limit: 2 })
    expect([last.next.results, last.previous]).toEqual([false, { cursor: '0:0:1', results: true }])
    await expect(ids({}, { cursor: 'x', limit: 1 })).rejects.toThrow(MishapError)
  })
})
