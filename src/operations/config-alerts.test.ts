import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import {
  type AlertAction,
  alertAction,
  alertTrigger,
  type NewAlertRuleBody,
  newAlertRuleBody,
} from '../contract/alerts.ts'
import type { AlertRule } from '../store/meta/alerts/rules.ts'
import { createAlertRule, type Kept, updateAlertRule } from './alert-rules.ts'
import { applyConfig, exportConfig, planConfig } from './config-apply.ts'
import { createOnCallSchedule } from './on-call.ts'
import { operationRig } from './rig.cases.ts'

const fresh = operationRig()

/** An organization with a person, channels, a tracker and a schedule, whose ids begin at another number each time. */
async function rig(before = 0) {
  const made = await fresh()
  const { organizations, alerts, trackers } = made.meta
  await organizations.setMember(1, 'bob', 'member')
  const people = async (ids: string[]) =>
    ids.filter((id) => ['ann', 'bob'].includes(id)).map((id) => ({ id, name: id, email: `${id}@example.test` }))
  const deps = {
    ...made,
    meta: { ...made.meta, people: { ...made.meta.people, people } },
    auth: made.meta.people,
    config: { alertRulesMax: 200 },
  }
  const others = await Array.fromAsync({ length: before }, (_, at) => addChannel(deps.meta, `other ${at}`))
  await addChannel(deps.meta, 'Ops: #1')
  for (const { id } of others) await alerts.deleteChannel(id)
  await trackers.createIntegration({
    organizationId: 1,
    kind: 'github',
    name: 'Code "x"',
    url: 'https://api.github.com',
    target: 'acme/web',
    email: '',
    account: 'bot',
    accountId: '1',
    sealedToken: 't',
    sealedSecret: 's',
    syncState: true,
    syncComments: false,
    connectedBy: 'ann',
  })
  const schedule = { name: 'Night - shift', timeZone: 'Europe/Berlin', handOverDay: 1, handOverTime: '09:00' }
  if (before === 0)
    await createOnCallSchedule(deps, 1, { ...schedule, startDate: '2026-01-05', members: ['bob', 'ann'] })
  const [channel, tracker] = [await alerts.channelsOf(1), await trackers.integrationsOf(1)]
  return {
    deps,
    channel: String(channel.find(({ name }) => name === 'Ops: #1')?.id),
    tracker: String(tracker[0]?.id),
    schedule: '1',
  }
}
type Rig = Awaited<ReturnType<typeof rig>>

const addChannel = (meta: Awaited<ReturnType<typeof fresh>>['meta'], name: string) =>
  meta.alerts.createChannel({
    organizationId: 1,
    projectId: null,
    kind: 'slack',
    name,
    sealedTarget: 't',
    sealedSecret: '',
  })

const state = {} as { rig: Rig }
beforeEach(async () => {
  state.rig = await rig()
})
const deps = () => state.rig.deps
type Files = Record<string, string>
const exported = async ({ deps: own } = state.rig) => (await exportConfig(own, 'acme')).files
const plan = (files: Files, isPruned = false) => planConfig(deps(), 'acme', files, isPruned)
const apply = (files: Files, isPruned = false) => applyConfig(deps(), 'acme', files, isPruned)
const names = ({ changes }: Awaited<ReturnType<typeof plan>>) => changes.map(({ action, key }) => `${action} ${key}`)
const rules = () => deps().meta.alertRules.listAlertRules(1)
const ruleNamed = async (name: string): Promise<AlertRule> => {
  const rule = (await rules()).find((row) => row.name === name)
  if (!rule) throw new Error(`There is no rule ${name}.`)
  return rule
}
const by = { organizationId: 1, userId: 'ann' }
const create = (body: object, kept?: Kept) =>
  createAlertRule(
    deps(),
    by,
    newAlertRuleBody.parse({ name: 'Rule', issue: { when: [{ type: 'new' }] }, ...body }),
    kept,
  )
const faultsOf = async (files: Files, isPruned = false): Promise<string> => {
  try {
    await plan(files, isPruned)
    return ''
  } catch (error) {
    return error instanceof MishapError ? error.message : String(error)
  }
}

const issueFile = `name: Checkout
projects: [web]
owner: Ann@example.test
issue:
  when:
    - { type: new }
actions:
  - { type: channel, channel: "Ops: #1" }
  - { type: person, person: bob@example.test }
  - { type: on_call, schedule: Night - shift }
  - { type: tracker, integration: Code "x", repository: acme/web }
escalation:
  - { afterMinutes: 5, schedule: Night - shift }
`
const metricFile = `name: Slow
metric:
  plan:
    dataset: spans
    series:
      - { name: a, aggregate: count() }
    formulas:
      - { name: f, expression: a * 2 }
  of: f
  windowMinutes: 5
  threshold: { type: fixed, direction: above, critical: 10 }
`
const files = { 'alerts/checkout.yaml': issueFile, 'alerts/slow.yaml': metricFile }

describe('alert rules in files', () => {
  test('are created with ids for names, and exported as the same files', async () => {
    expect(names(await plan(files))).toEqual(['create alert Checkout', 'create alert Slow'])
    expect(await rules()).toEqual([])
    expect(names(await apply(files))).toEqual(['create alert Checkout', 'create alert Slow'])
    const { channel, tracker, schedule } = state.rig
    expect((await ruleNamed('Checkout')).definition).toMatchObject({
      projectIds: [1],
      ownerId: 'ann',
      actions: [
        { type: 'channel', channel },
        { type: 'person', person: 'bob' },
        { type: 'on_call', schedule },
        { type: 'tracker', tracker, options: {} },
      ],
      escalation: [{ afterMinutes: 5, schedule }],
    })
    expect(await ruleNamed('Slow')).toMatchObject({ kind: 'metric', definition: { metric: { of: 'f' } } })
    expect(names(await apply(files))).toEqual([])
    const again = await exported()
    expect(Object.keys(again).filter((name) => /^(?:alerts|on-call)/.test(name))).toEqual([
      'alerts/checkout.yaml',
      'alerts/slow.yaml',
      'on-call.yaml',
    ])
    expect(await plan(again)).toMatchObject({ changes: [], unmanaged: [], notes: [] })
    expect(Object.values(again).join('')).not.toMatch(/sealed|mutedUntil|revision/)
  })

  test('a change shows its lines, keeps a mute and ends what the rule had found', async () => {
    await apply(files)
    const rule = await ruleNamed('Slow')
    await updateAlertRule(deps(), rule, { mutedUntil: 5_000 }, 'bob')
    expect(names(await plan(files))).toEqual([])
    const changed = { ...files, 'alerts/slow.yaml': metricFile.replace('critical: 10', 'critical: 20') }
    const { changes } = await plan(changed)
    expect(changes).toMatchObject([{ action: 'change', key: 'alert Slow', kind: 'alert', drift: false }])
    expect(changes[0]?.diff.filter((line) => /^[+-]/.test(line))).toEqual(['-     critical: 10', '+     critical: 20'])
    await apply(changed)
    expect(await ruleNamed('Slow')).toMatchObject({ mutedUntilMs: 5_000, changedBy: 'ann', rev: 2 })
  })

  test('drift is what somebody changed since the last apply', async () => {
    await apply(files)
    await updateAlertRule(deps(), await ruleNamed('Checkout'), { isActive: false }, 'bob')
    expect((await plan(files)).changes).toMatchObject([
      { key: 'alert Checkout', drift: true, diff: expect.arrayContaining(['- isActive: false', '+ isActive: true']) },
    ])
  })

  test('rules in no file stay until they are pruned, and a new name is another rule', async () => {
    await apply(files)
    const renamed = { 'alerts/checkout.yaml': issueFile.replace('name: Checkout', 'name: Paying') }
    expect(await plan(renamed)).toMatchObject({
      changes: [{ action: 'create', key: 'alert Paying' }],
      unmanaged: ['on-call Night - shift', 'alert Checkout', 'alert Slow'],
    })
    const withSchedules = { ...renamed, 'on-call.yaml': (await exported())['on-call.yaml'] ?? '' }
    expect(names(await apply(withSchedules, true))).toEqual([
      'create alert Paying',
      'delete alert Checkout',
      'delete alert Slow',
    ])
    expect((await rules()).map(({ name }) => name)).toEqual(['Paying'])
  })

  test('a rule that changes between plan and apply is a conflict, and no rule changes', async () => {
    await apply(files)
    const { meta } = deps()
    const changeAlertRules: typeof meta.alertRules.changeAlertRules = async (changes) => {
      await meta.alertRules.updateAlertRule((await ruleNamed('Slow')).id, { active: false }, 'bob')
      return meta.alertRules.changeAlertRules(changes)
    }
    const racing = { ...deps(), meta: { ...meta, alertRules: { ...meta.alertRules, changeAlertRules } } }
    const changed = {
      'alerts/checkout.yaml': issueFile.replace('type: new', 'type: regression'),
      'alerts/slow.yaml': metricFile.replace('critical: 10', 'critical: 20'),
      'alerts/third.yaml': metricFile.replace('name: Slow', 'name: Third'),
    }
    await expect(applyConfig(racing, 'acme', changed, false)).rejects.toMatchObject({ code: 'CONFLICT', status: 409 })
    expect((await rules()).map(({ name, rev }) => [name, rev])).toEqual([
      ['Checkout', 0],
      ['Slow', 1],
    ])
    expect((await ruleNamed('Checkout')).definition.issue?.when).toEqual([{ type: 'new' }])
  })

  test('a project and a schedule of the same apply may be named', async () => {
    const all = {
      'projects/api.yaml': 'project: api\n',
      'on-call.yaml':
        'schedules:\n  - name: Day\n    timeZone: UTC\n    startDate: 2026-01-05\n    members: [bob@example.test]\n',
      'alerts/api.yaml': issueFile.replace('[web]', '[api]').replaceAll('Night - shift', 'Day'),
    }
    expect(names(await apply(all))).toEqual(['create alert Checkout', 'create on-call Day', 'create project api'])
    const api = await deps().meta.projects.projectBySlug(1, 'api')
    const day = (await deps().meta.incidents.listSchedules(1)).find(({ name }) => name === 'Day')
    expect((await ruleNamed('Checkout')).definition).toMatchObject({
      projectIds: [api?.id],
      escalation: [{ afterMinutes: 5, schedule: String(day?.id) }],
    })
    expect(day).toMatchObject({ members: ['bob'], handOverDay: 1, handOverTime: '09:00' })
    expect(names(await plan(all))).toEqual([])
  })

  test('conditions that Mishap cannot evaluate are kept as they are, and the rule stays off', async () => {
    const kept = {
      unevaluable: ['a share of sessions'],
      original: { shape: 'rules', conditions: [{ id: 'x', value: 1e21 }] },
    }
    await create({ name: 'Old', issue: { when: [] }, isActive: true }, kept)
    const all = await exported()
    expect(await plan(all)).toMatchObject({ changes: [] })
    const target = await rig(3)
    await applyConfig(target.deps, 'acme', all, false)
    const [rule] = await target.deps.meta.alertRules.listAlertRules(1)
    expect(rule).toMatchObject({ active: false, definition: kept })
    const on = { 'alerts/old.yaml': (all['alerts/old.yaml'] ?? '').replace('isActive: false', 'isActive: true') }
    expect(await faultsOf(on)).toContain('isActive: Mishap cannot evaluate a share of sessions.')
    const other = { 'alerts/old.yaml': (all['alerts/old.yaml'] ?? '').replace('when: []', 'when: [{ type: new }]') }
    expect(await faultsOf(other)).toContain('no longer describe them. Remove both.')
  })

  test('what a rule names and is gone is noted, and of rules with one name the oldest is in a file', async () => {
    const { channel } = state.rig
    await create({ actions: [{ type: 'channel', channel }, { type: 'owners' }] })
    await create({ environment: 'second' })
    const project = await deps().meta.projects.createProject({
      organizationId: 1,
      slug: 'gone',
      name: 'G',
      platform: null,
    })
    await create({ name: 'Orphan', projects: ['gone'] })
    await deps().meta.alerts.deleteChannel(Number(channel))
    const orphan = await ruleNamed('Orphan')
    await deps().meta.alertRules.updateAlertRule(
      orphan.id,
      { definition: { ...orphan.definition, projectIds: [project.id + 100] } },
      'ann',
    )
    const { files: all, notes } = await exportConfig(deps(), 'acme')
    expect(notes).toEqual([
      'There are 2 of alert Rule. Files describe the oldest one. Rename the others.',
      'alert Rule names a channel that is gone. Files leave it out.',
      'alert Orphan is in no file, because all of its projects are deleted.',
    ])
    expect(Object.keys(all).filter((name) => name.startsWith('alerts/'))).toEqual(['alerts/rule.yaml'])
    expect(all['alerts/rule.yaml']).toContain('actions:\n  - type: owners\n')
    expect(await plan(all)).toMatchObject({ changes: [], unmanaged: ['alert Orphan'], notes })
  })
})

describe('what is wrong with a rule is refused before anything is created', () => {
  const wrong = (from: string, to: string) => ({ 'alerts/a.yaml': issueFile.replaceAll(from, to) })
  test.each<[string, Files, string]>([
    ['an unknown key', wrong('owner:', 'color: red\nowner:'), 'alerts/a.yaml:3: The key color is unknown.'],
    [
      'a channel',
      wrong('"Ops: #1"', 'Gone'),
      'alerts/a.yaml: alert Checkout: actions.0: there is no channel "Gone". Its address is a secret',
    ],
    ['a person', wrong('bob@', 'eve@'), 'actions.1: there is no member "eve@example.test". Invite'],
    ['an owner', wrong('Ann@', 'eve@'), 'owner: there is no member "eve@example.test".'],
    [
      'a schedule',
      wrong('Night - shift', 'Day'),
      'actions.2: there is no on-call schedule "Day". Describe it in on-call.yaml.',
    ],
    [
      'a repository',
      wrong('acme/web', 'acme/api'),
      'actions.3: there is no tracker "Code \\"x\\" acme/api". Its token',
    ],
    ['a project', wrong('[web]', '[api]'), 'alert Checkout names the project api, which does not exist.'],
    ['a trigger', wrong('type: new', 'type: full_moon'), 'alerts/a.yaml:6: issue.when.0.type:'],
    ['a search', wrong('  when:', '  filter: "(("\n  when:'), 'alerts/a.yaml: alert Checkout: issue.filter:'],
    [
      'a threshold',
      { 'alerts/a.yaml': metricFile.replace('above,', 'above, warning: 11,') },
      'metric.threshold: critical must be above warning.',
    ],
    [
      'two kinds',
      { 'alerts/a.yaml': `${metricFile}issue:\n  when: [{ type: new }]\n` },
      'metric: A rule has either issue or metric.',
    ],
    [
      'a time zone',
      { 'on-call.yaml': 'schedules:\n  - { name: D, timeZone: Mars, startDate: 2026-01-05, members: [] }\n' },
      'on-call D: timeZone: An IANA',
    ],
    [
      'a long name of a schedule',
      {
        'on-call.yaml': `schedules:\n  - { name: ${'x'.repeat(65)}, timeZone: UTC, startDate: 2026-01-05, members: [] }\n`,
      },
      'name: Use 1 to 64 characters.',
    ],
    [
      'a rule that is too large',
      { 'alerts/a.yaml': `${metricFile}original: ${'x'.repeat(200_000)}\n` },
      'The rule is over 128 KiB.',
    ],
  ])('%s', async (_what, own, fault) => {
    const all = { 'projects/new.yaml': 'project: new\n', ...own }
    expect(await faultsOf(all)).toContain(fault)
    await expect(apply(all)).rejects.toMatchObject({ code: 'VALIDATION' })
    expect([await rules(), await deps().meta.projects.projectBySlug(1, 'new')]).toEqual([[], undefined])
  })

  test('another kind, a name that two channels have, a schedule that goes, and too many rules', async () => {
    await apply(files)
    expect(await faultsOf({ 'alerts/a.yaml': metricFile.replace('Slow', 'Checkout') })).toContain(
      'alert Checkout: it is an issue rule, and the kind of a rule does not change.',
    )
    await addChannel(deps().meta, 'Ops: #1')
    expect(await faultsOf(files)).toContain('actions.0: there are 2 of the channel "Ops: #1". Rename the others')
    const noChannel = { 'alerts/checkout.yaml': issueFile.replace(/^.*channel:.*\n/m, '') }
    expect(await faultsOf(noChannel)).toBe('')
    expect(await faultsOf(noChannel, true)).toContain('there is no on-call schedule "Night - shift"')
    const many = Object.fromEntries(
      Array.from({ length: 199 }, (_, at) => [`alerts/${at}.yaml`, metricFile.replace('Slow', `R${at}`)]),
    )
    expect(await faultsOf(many)).toBe('There would be 201 alert rules. At most 200 are allowed.')
  })
})

// ---- round trip

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    'null',
    '~',
    'true',
    '1e3',
    '0x1f',
    '- a',
    '? b',
    ': c',
    '#d',
    '!!js/function x',
    '&a *b',
    '%TAG',
    '---',
    '...',
  ),
  fc.constantFrom(
    "it's",
    '"q"',
    '`=cmd()`',
    '{{x}}',
    '\u202eevil',
    '<b>',
    'a\u2028b',
    '09:00',
    '2026-01-01',
    '<<',
    '__proto__',
    '\ufeffx',
  ),
)
/** A text on one line, as names are. */
const line = hostile.map(
  (text) =>
    text
      .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
      .toWellFormed()
      .trim() || 'name',
)
const trigger = fc.constantFrom(
  ...[
    ...['new', 'regression', 'escalation', 'priority', 'first_of_release', 'performance', 'feedback'].map((type) => ({
      type,
    })),
    { type: 'events', count: 3, windowMinutes: 60 },
    { type: 'users', count: 1, windowMinutes: 1440 },
    { type: 'rate', percent: 12.5, windowMinutes: 5, before: 'week' },
  ].map((value) => alertTrigger.parse(value)),
)
const issue = fc.record({
  when: fc.uniqueArray(trigger, { minLength: 1, maxLength: 10, selector: (value) => value.type }),
  match: fc.constantFrom('any' as const, 'all' as const),
  filter: fc.constantFrom('', 'level:error', 'is:unassigned message:"*a: b*"', 'release:latest OR !environment:"# x"'),
  unless: fc.record({
    noise: fc.boolean(),
    skew: fc.boolean(),
    quietHours: fc.constantFrom(null, { from: '22:00', to: '06:30', timeZone: 'Europe/Berlin' }),
  }),
})
const thresholds = [
  { type: 'fixed', direction: 'above', warning: 1e-7, critical: 1e15, resolve: null },
  { type: 'fixed', direction: 'below', warning: null, critical: -0.5, resolve: 3 },
  ...(['hour', 'day', 'week'] as const).map((before) => ({
    type: 'change',
    direction: 'above',
    warning: 5,
    critical: 50,
    resolve: 2,
    before,
  })),
  { type: 'weekly', direction: 'below', warning: null, critical: 40, resolve: null },
]
const metric = fc.record({
  plan: fc.constantFrom(
    ...['errors', 'logs', 'metrics', 'spans'].map((dataset) => ({
      dataset,
      query: '',
      series: [
        { name: 'a', aggregate: 'count()' },
        { name: 'b', aggregate: 'count()', query: dataset === 'logs' ? 'severity:error' : '' },
      ],
      formulas: [{ name: 'f', expression: 'a / (a + b) * 100' }],
    })),
  ),
  of: fc.constantFrom('a', 'b', 'f'),
  windowMinutes: fc.constantFrom(1, 60, 1440),
  threshold: fc.constantFrom(...thresholds),
  minimum: fc.nat(1000),
  missing: fc.constantFrom('fire', 'resolve', 'keep'),
})
const action = ({ channel, tracker, schedule }: Rig): fc.Arbitrary<AlertAction> =>
  fc.oneof(
    fc.constantFrom(
      ...[
        { type: 'channel', channel },
        { type: 'person', person: 'bob' },
        ...['assignee', 'owners', 'authors', 'members'].map((type) => ({ type })),
        { type: 'on_call', schedule },
      ].map((value) => alertAction.parse(value)),
    ),
    fc
      .dictionary(
        fc.constantFrom('labels', 'project', '__proto__', 'a: b'),
        fc.oneof(line, fc.array(line, { maxLength: 3 })),
      )
      .map((options) => ({ type: 'tracker' as const, tracker, options })),
  )
const ruleOf = (own: Rig) =>
  fc.record({
    body: fc
      .record({
        name: line,
        projects: fc.constantFrom<string[]>([], ['web']),
        environment: fc.oneof(fc.constant(null), line),
        owner: fc.constantFrom(null, 'user:ann'),
        isActive: fc.boolean(),
        of: fc.oneof(fc.record({ issue }), fc.record({ metric })),
        actions: fc.array(action(own), { maxLength: 6 }),
        intervalMinutes: fc.integer({ min: 5, max: 43_200 }),
        resolveMessage: fc.boolean(),
        escalation: fc.constantFrom([], [{ afterMinutes: 15, schedule: own.schedule }]),
      })
      .map(({ of, ...rest }): NewAlertRuleBody => newAlertRuleBody.parse({ ...rest, ...of })),
    kept: fc.oneof(
      fc.constant({ unevaluable: [] as string[], original: null as unknown }),
      fc.record({ unevaluable: fc.array(hostile, { minLength: 1, maxLength: 3 }), original: fc.jsonValue() }),
    ),
  })

describe('round trip', () => {
  test('any rules, exported, applied elsewhere and exported again, are the same files and the same rules', async () => {
    const seen = new Set<string>()
    const [source, target] = [state.rig, await rig(4)]
    /** Opening a store takes longer than a round trip, so each begins with the same two. */
    const clear = async ({ deps: own }: Rig) => {
      const deleted = await own.meta.alertRules.listAlertRules(1)
      await own.meta.alertRules.changeAlertRules({ ...by, max: 200, created: [], changed: [], deleted })
    }
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(ruleOf(state.rig), { maxLength: 12, selector: ({ body }) => body.name }),
        async (all) => {
          await clear(source)
          await clear(target)
          for (const { body, kept } of all) {
            await createAlertRule(source.deps, by, body, kept)
            for (const { type } of [...(body.issue?.when ?? []), ...body.actions]) seen.add(type)
            if (body.metric) seen.add(`${body.metric.plan.dataset} ${body.metric.of} ${body.metric.threshold.type}`)
          }
          const first = await exportConfig(source.deps, 'acme')
          expect(first.notes).toEqual([])
          expect((await planConfig(source.deps, 'acme', first.files, true)).changes).toEqual([])
          await applyConfig(target.deps, 'acme', first.files, false)
          expect(await exportConfig(target.deps, 'acme')).toEqual(first)
          expect((await planConfig(target.deps, 'acme', first.files, true)).changes).toEqual([])
          const conditions = async ({ deps: own }: Rig) =>
            (await own.meta.alertRules.listAlertRules(1)).map(({ name, active, definition }) => {
              const { actions, escalation, ...rest } = definition
              return { name, active, rest, actions: actions.map(({ type }) => type), steps: escalation.length }
            })
          expect(await conditions(target)).toEqual(await conditions(source))
        },
      ),
      { numRuns: 25, seed: 22 },
    )
    // Every kind was there.
    expect([...seen].filter((name) => !name.includes(' ')).sort()).toEqual(
      [
        ...['new', 'regression', 'escalation', 'priority', 'first_of_release', 'performance', 'feedback', 'events'],
        ...['users', 'rate', 'channel', 'person', 'assignee', 'owners', 'authors', 'members', 'on_call', 'tracker'],
      ].sort(),
    )
    for (const part of ['errors', 'logs', 'metrics', 'spans', ' f ', 'fixed', 'change', 'weekly'])
      expect([...seen].some((name) => name.includes(part) && name.includes(' '))).toBe(true)
  }, 60_000)
})
