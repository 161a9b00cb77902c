import { describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { defaultSettings, type PersonalSettings } from '../domain/alerts/personal.ts'
import type { AlertDefinition } from '../store/meta/alerts/rules.ts'
import { commit, effect, nowMs, withProject } from '../store/meta/fixture.cases.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import type { AlertDeps } from './deps.ts'
import { readReceivers } from './receivers.ts'

/** Two organizations with a schedule of the same name. Ann and Bob are in both, and want to hear elsewhere in each. */
async function rig() {
  const clock = testClock(nowMs)
  const meta = await withProject(await openSqliteMeta(':memory:', { clock, readers: 0 }))
  const people = async (ids: readonly string[]) => ids.map((id) => ({ id, name: id, email: `${id}@x.test` }))
  Object.assign(meta.people, { people })
  const { id: other } = await meta.organizations.createOrganization({
    slug: 'other',
    name: 'Other',
    ownerUserId: 'ann',
  })
  for (const organizationId of [1, other]) await meta.organizations.setMember(organizationId, 'bob', 'member')
  await meta.organizations.setMember(other, 'eve', 'member')
  const rota = { name: 'Nights', timeZone: 'UTC', handOverDay: 1, handOverTime: '09:00', startDate: '2026-03-02' }
  const schedules = []
  for (const [organizationId, members] of [
    [1, ['ann', 'bob']],
    [other, ['eve', '']],
  ] as const)
    schedules.push(await meta.incidents.createSchedule({ organizationId, ...rota, members }))
  const kinds = Object.fromEntries(Object.keys(defaultSettings.kinds).map((kind) => [kind, []]))
  await meta.personal.setPersonalSettings(1, 'ann', {
    ...defaultSettings,
    kinds: { ...defaultSettings.kinds, ...kinds },
  })
  const asked: string[][] = []
  const deps = { meta, clock, smtp: async () => ({}), observe: { warn: () => undefined } } as unknown as AlertDeps
  const read = async (needs: Partial<Parameters<typeof readReceivers>[2]> = {}) =>
    readReceivers(
      deps,
      async (_issue, members) => {
        asked.push(members.map(({ id }) => id).sort())
        return []
      },
      { rules: [], issues: [], organizationIds: [1, other], ...needs },
      nowMs,
    )
  return { meta, other, schedules, asked, read }
}

test('a person is told the end of an incident as they want it in its organization', async () => {
  const { read, other } = await rig()
  const { receiverOf } = await read()
  expect(receiverOf('person:ann', 1)?.recipients).toEqual([])
  expect(receiverOf('person:ann', other)?.recipients).toEqual(['ann@x.test'])
  expect(receiverOf('person:eve', 1)).toBeUndefined()
  expect(receiverOf('person:eve', other)?.recipients).toEqual(['eve@x.test'])
  expect(receiverOf('person:bob', 99)).toBeUndefined()
})

test('a channel and a schedule count in their own organization only', async () => {
  const { read, meta, other, schedules } = await rig()
  const channel = await meta.alerts.createChannel({
    organizationId: other,
    projectId: null,
    kind: 'slack',
    name: 'Ops',
    sealedTarget: '',
    sealedSecret: '',
  })
  const { receiverOf, onCall } = await read()
  expect(receiverOf(`channel:${channel.id}`, other)?.channelId).toBe(channel.id)
  expect(receiverOf(`channel:${channel.id}`, 1)).toBeUndefined()
  const [mine, theirs] = schedules.map(({ id }) => String(id))
  const order = (schedule = '', organizationId = 1) => onCall(schedule, organizationId).map(({ key }) => key)
  expect(order(mine, 1).sort()).toEqual(['person:ann', 'person:bob'])
  expect(order(mine, other)).toEqual([])
  expect(order(theirs, 1)).toEqual([])
  // The turn of nobody is a step, if it is on now.
  expect(order(theirs, other).filter((key) => key !== 'nobody')).toEqual(['person:eve'])
})

test('authors of commits are looked for among the members of the issue’s organization', async () => {
  const { read, meta, asked } = await rig()
  await commit(meta, { events: [effect()] })
  const issue = await meta.issues.issueById(1)
  const rule = { id: 4, organizationId: 1, definition: { actions: [{ type: 'authors' }] } }
  await read({ rules: [rule] as never, issues: issue ? [issue] : [] })
  expect(asked).toEqual([['ann', 'bob']])
})

describe('a person whom several actions name', () => {
  const onCall = { type: 'on_call', schedule: '1' } as const
  const members = { type: 'members' } as const
  const { kinds } = defaultSettings
  const always = { ...defaultSettings, quietHours: { from: '00:00', to: '23:59' } }
  const byMail = { recipients: ['ann@x.test'], isOnCall: true }
  test.each<[string, PersonalSettings, AlertDefinition['actions'], object]>([
    ['in quiet hours is on call', always, [onCall, members], byMail],
    ['in quiet hours is on call, in the other order', always, [members, onCall], byMail],
    ['wants no alerts', { ...always, kinds: { ...kinds, alert: [] } }, [onCall, members], byMail],
    ['wants no alerts, in the other order', { ...always, kinds: { ...kinds, alert: [] } }, [members, onCall], byMail],
    [
      'hears at the places of both',
      { ...always, kinds: { ...kinds, on_call: ['push'] } },
      [onCall, members],
      { recipients: ['push:1', 'ann@x.test'], isOnCall: true },
    ],
    ['is not on call', always, [members, { type: 'person', person: 'ann' }], { recipients: ['ann@x.test'] }],
  ])('%s', async (_says, settings, actions, expected) => {
    const { read, meta } = await rig()
    await meta.personal.setPersonalSettings(1, 'ann', settings)
    await meta.pushBrowsers.addBrowser({ userId: 'ann', sealed: '', browser: '', createdMs: nowMs, endpointHash: 'h' })
    // Ann takes over, whoever's turn it is.
    await meta.incidents.createOverride({ scheduleId: 1, userId: 'ann', fromMs: 0, toMs: nowMs * 2, createdBy: null })
    const rule = { id: 4, organizationId: 1, definition: { actions } }
    const { receiversOf } = await read({ rules: [rule] as never })
    const ann = receiversOf(4, []).filter(({ key }) => key === 'person:ann')
    expect(ann).toEqual([expect.objectContaining({ notBeforeMs: expect.any(Number), ...expected })])
    expect(ann[0]?.notBeforeMs).toBeGreaterThan(nowMs)
    expect(ann[0]?.isOnCall).toBe('isOnCall' in expected ? true : undefined)
  })

  test.each<[string, AlertDefinition['actions']]>([
    ['members first', [{ type: 'members' }, { type: 'assignee' }]],
    ['the assignee first', [{ type: 'assignee' }, { type: 'members' }]],
  ])('wants no alerts, and hears of what is assigned to them: %s', async (_order, actions) => {
    const { read, meta } = await rig()
    await commit(meta, { events: [effect()] })
    await meta.issues.updateIssue(1, { assigneeUserId: 'ann' }, 'bob', nowMs)
    await meta.personal.setPersonalSettings(1, 'ann', { ...defaultSettings, kinds: { ...kinds, alert: [] } })
    const issue = await meta.issues.issueById(1)
    const rule = { id: 4, organizationId: 1, definition: { actions } }
    const { receiversOf } = await read({ rules: [rule] as never, issues: issue ? [issue] : [] })
    const ann = receiversOf(4, [1]).filter(({ key }) => key === 'person:ann')
    expect(ann).toMatchObject([{ recipients: ['ann@x.test'], personalKind: 'assigned' }])
  })
})
