import { beforeEach, describe, expect, test } from 'vitest'
import { newAlertRuleBody } from '../../contract/alerts/alerts.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { createAlertRule, type Kept, updateAlertRule } from '../alert-rules.ts'
import { applyConfig, exportConfig } from '../config-apply.ts'
import { addChannel, type ConfigRig, configCommands, configRig } from '../config-rig.cases.ts'

const rig = configRig()

const state = {} as { rig: ConfigRig }
beforeEach(async () => {
  state.rig = await rig()
})
const deps = () => state.rig.deps
type Files = Record<string, string>
const exported = async ({ deps: own } = state.rig) => (await exportConfig(own, 'acme')).files
const { plan, apply, faultsOf } = configCommands(deps)
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
    // An export that is applied as it is deletes nothing.
    expect(await plan(all, true)).toMatchObject({ changes: [], unmanaged: ['alert Orphan'] })
    await apply(all, true)
    expect(await ruleNamed('Orphan')).toBeDefined()
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
      'on-call.yaml:2: schedules.0.name: At most 64 characters.',
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
    expect(await faultsOf(many)).toBe('There would be 201 alert rules. At most 200 are allowed. Delete some first.')
  })
})
