import { describe, expect, test } from 'vitest'
import type { AlertAction } from '../../contract/alerts/alerts.ts'
import { operationRig } from '../rig.cases.ts'
import { targetMistakes } from './alert-targets.ts'

const fresh = operationRig()
const nobody = { actions: [], escalation: [], ownerId: null, metric: null }

const rota = {
  name: 'Backend',
  timeZone: 'UTC',
  handOverDay: 1,
  handOverTime: '09:00',
  startDate: '2020-01-06',
  members: ['ann'],
}
const tracker = {
  kind: 'github' as const,
  name: 'acme/web',
  url: 'https://api.github.com',
  target: 'acme/web',
  email: '',
  account: 'octo',
  accountId: '7',
  sealedToken: 't',
  sealedSecret: 's',
  syncState: true,
  syncComments: false,
  connectedBy: 'ann',
}

/** Organization 1 with channel, schedule and tracker 1, and organization 2 of `eve` with those of the number 2. */
async function rig() {
  const { meta } = await fresh()
  const other = await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'eve' })
  for (const organizationId of [1, other.id])
    await meta.alerts.createChannel({
      organizationId,
      projectId: null,
      kind: 'slack',
      name: 'Chat',
      sealedTarget: 't',
      sealedSecret: '',
    })
  for (const organizationId of [1, other.id]) {
    await meta.incidents.createSchedule({ organizationId, ...rota })
    await meta.trackers.createIntegration({ organizationId, ...tracker })
  }
  return { meta, otherId: other.id }
}

const mistakes = async (actions: AlertAction[]) => targetMistakes(await rig(), 1, { ...nobody, actions })

describe('a tracker action that would do nothing is refused', () => {
  test.each<[string, Record<string, string>, unknown, RegExp | undefined]>([
    ['of an issue rule', {}, null, undefined],
    ['with options', { project: 'WEB' }, null, /has none/],
    ['of a metric rule', {}, { of: 'a' }, /creates no issue/],
  ])('%s', async (_says, options, metric, sentence) => {
    const actions: AlertAction[] = [{ type: 'tracker', tracker: '1', options }]
    const found = await targetMistakes(await rig(), 1, { ...nobody, actions, metric })
    expect(found['actions.0']?.[0]).toEqual(sentence === undefined ? undefined : expect.stringMatching(sentence))
  })
})

describe('targets of a rule', () => {
  test('that exist have no mistakes, also an inactive channel', async () => {
    const deps = await rig()
    await deps.meta.alerts.updateChannel(1, { active: false })
    const actions: AlertAction[] = [
      { type: 'channel', channel: '1' },
      { type: 'person', person: 'ann' },
      { type: 'on_call', schedule: '1' },
      { type: 'tracker', tracker: '1', options: {} },
    ]
    const escalation = [{ afterMinutes: 5, schedule: '1' }]
    expect(
      await targetMistakes(deps, 1, {
        metric: null,
        actions,
        escalation,
        ownerId: 'ann',
      }),
    ).toEqual({})
  })

  test.each<AlertAction['type'] & ('assignee' | 'owners' | 'authors' | 'members')>([
    'assignee',
    'owners',
    'authors',
    'members',
  ])('that depend on the issue can always be named: %s', async (type) => {
    expect(await mistakes([{ type }])).toEqual({})
  })

  test.each<[AlertAction, string]>([
    [{ type: 'channel', channel: '2' }, 'There is no such channel.'],
    [{ type: 'channel', channel: '3' }, 'There is no such channel.'],
    [{ type: 'channel', channel: '01' }, 'There is no such channel.'],
    [{ type: 'person', person: 'eve' }, 'This person is no member.'],
    [{ type: 'person', person: 'nobody' }, 'This person is no member.'],
    [{ type: 'on_call', schedule: '77' }, 'There is no such on-call schedule.'],
    [{ type: 'on_call', schedule: '2' }, 'There is no such on-call schedule.'],
    [{ type: 'tracker', tracker: '2', options: {} }, 'There is no such tracker.'],
    [{ type: 'tracker', tracker: '77', options: {} }, 'There is no such tracker.'],
  ])('of another organization, or of none, are refused at their place: %j', async (action, sentence) => {
    expect(await mistakes([{ type: 'members' }, action])).toEqual({ 'actions.1': [sentence] })
  })

  test('each wrong place is named', async () => {
    const deps = await rig()
    const escalation = [
      { afterMinutes: 5, schedule: '77' },
      { afterMinutes: 9, schedule: '78' },
    ]
    const wrong: AlertAction = { type: 'person', person: 'eve' }
    const rule = { actions: [wrong, wrong], escalation, metric: null, ownerId: 'eve' }
    expect(Object.keys(await targetMistakes(deps, 1, rule)).sort()).toEqual([
      'actions.0',
      'actions.1',
      'escalation.0',
      'escalation.1',
      'owner',
    ])
    expect(await targetMistakes(deps, deps.otherId, { ...rule, escalation: [] })).toEqual({})
  })
})
