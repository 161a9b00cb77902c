import { describe, expect, test, vi } from 'vitest'
import { testClock } from '../base/clock.ts'
import type { AlertDefinition } from '../store/meta/alerts/rules.ts'
import { commit, effect, nowMs } from '../store/meta/fixture.cases.ts'
import { acknowledgeLink, acknowledgementOf } from './acknowledge.ts'
import type { AlertDeps } from './deps.ts'
import { logOf, incidentRig as rig } from './incident.cases.ts'
import { unsubscriptionOf } from './personal.ts'
import { DeliveryRefused } from './send/transport.ts'

const minuteMs = 60_000

const onCallService = {
  organizationId: 1,
  projectId: null,
  kind: 'pagerduty',
  name: 'On call',
  sealedTarget: '',
  sealedConfig: JSON.stringify({ key: 'k'.repeat(32), region: 'us' }),
  sealedSecret: '',
  subscription: 'rules',
} as const

describe('from a firing to the log', () => {
  test('a firing becomes an incident, a message and steps, once', async () => {
    const { meta, alerts, posts, fire } = await rig()
    await commit(meta, { events: [effect({ title: 'Boom' })] })
    await fire()
    expect(await alerts.run()).toEqual({ tries: 1 })
    expect(await alerts.run()).toEqual({ tries: 0 })
    expect(posts).toHaveLength(1)
    expect(await meta.incidents.incidentById(1)).toMatchObject({
      title: 'WEB-1: Boom',
      state: 'critical',
      notified: { 'channel:1': { atMs: nowMs, level: 'critical', impact: 1 } },
    })
    const [delivery] = await logOf(meta)
    expect(delivery).toMatchObject({ status: 'sent', incidentId: 1, ruleId: 1, firingIds: [1], kind: 'issue' })
    expect(delivery?.steps.map(({ step, text }) => [step, text])).toEqual([
      ['evaluated', 'Checkout errors: critical.'],
      ['sent', ''],
      ['answered', '200 ok'],
    ])
    expect(await meta.alertRules.firingsUndecided(10)).toEqual([])
  })

  test('a resolved issue ends its incident, and says how long it lasted', async () => {
    const { meta, alerts, posts, fire, clock } = await rig()
    await commit(meta, { events: [effect({ title: 'Boom' })] })
    await fire()
    await alerts.run()
    clock.advance(10 * minuteMs)
    await meta.issues.updateIssue(1, { status: 'resolved' }, null, clock.now())
    await alerts.run()
    expect(posts).toHaveLength(2)
    expect(await meta.incidents.incidentById(1)).toMatchObject({ state: 'resolved', endedMs: clock.now() })
    expect((await logOf(meta)).map(({ change }) => change)).toEqual(['end', 'start'])
    // The sentence for programs, and its facts for the screens, which say it in the language of the reader.
    expect((await meta.incidents.incidentActivitiesOf(1, 10)).map(({ kind, data }) => [kind, data])).toEqual([
      ['ended', { reason: 'WEB-1 was resolved.', why: 'issue_resolved', issue: 'WEB-1' }],
      ['started', expect.not.objectContaining({ reason: expect.anything() })],
    ])
  })

  test('a service that asks for a pause gets it, and its words are in the log', async () => {
    const { meta, alerts, posts, refuses, fire, clock } = await rig()
    await commit(meta, { events: [effect()] })
    await fire()
    refuses.error = new DeliveryRefused('429: slow down', 90_000)
    await alerts.run()
    refuses.error = undefined
    clock.advance(60_000)
    await alerts.run()
    expect(posts).toHaveLength(0)
    clock.advance(30_000)
    await alerts.run()
    expect(posts).toHaveLength(1)
    expect((await logOf(meta))[0]?.steps.map(({ step, text }) => [step, text])).toEqual([
      ['evaluated', 'Checkout errors: critical.'],
      ['retried', '429: slow down'],
      ['sent', ''],
      ['answered', '200 ok'],
    ])
  })

  test.each<[string, boolean, string[]]>([
    ['creates an issue in its tracker', false, ['rule-1']],
    ['creates none while it is muted', true, []],
  ])('a rule %s, and its message does not wait for it', async (_name, isMuted, origins) => {
    const { meta, alerts, posts, fire } = await rig({
      actions: [
        { type: 'channel', channel: '1' },
        { type: 'tracker', tracker: '1', options: {} },
      ],
    })
    await meta.trackers.createIntegration({
      organizationId: 1,
      kind: 'github',
      name: 'Web',
      url: 'https://api.github.com',
      target: 'acme/web',
      email: '',
      account: 'octo',
      accountId: '7',
      sealedToken: '',
      sealedSecret: '',
      syncState: true,
      syncComments: false,
      connectedBy: 'ann',
    })
    await commit(meta, { events: [effect({ title: 'Boom' })] })
    if (isMuted) {
      const rule = await meta.alertRules.alertRuleById(1)
      if (rule) await meta.alertRules.updateAlertRule(1, { ...rule, mutedUntilMs: nowMs + minuteMs }, null, rule.rev)
    }
    await fire()
    await alerts.run()
    expect((await meta.trackers.externalIssuesOf(1)).map(({ origin }) => origin)).toEqual(origins)
    expect(posts).toHaveLength(isMuted ? 0 : 1)
    const held = (await meta.incidents.incidentActivitiesOf(1, 10)).filter(({ kind }) => kind === 'tracker_held')
    expect(held.map(({ data }) => data.reason)).toEqual(isMuted ? ['The rule is muted.'] : [])
  })

  test('the mail of a metric names its window, until the rule is gone', async () => {
    const metric = {
      plan: { dataset: 'errors', series: [{ name: 'a', aggregate: 'count()' }] },
      of: 'a',
      windowMinutes: 90,
    } as AlertDefinition['metric']
    const actions: AlertDefinition['actions'] = [{ type: 'person', person: 'ann' }]
    const { meta, alerts, mails, fire } = await rig({ issue: null, metric, actions })
    await fire({
      value: 9,
      threshold: 5,
      trigger: 'fixed',
      cause: { projectIds: [1], issueIds: [], release: '', deployId: null },
    })
    await alerts.run()
    expect(mails[0]?.text).toContain('Window: 1 h 30 min')
    await meta.alerts.sendDeliveryAgain(1, 'Ann', nowMs)
    await meta.alertRules.deleteAlertRule(1, undefined)
    await alerts.run()
    expect(mails[1]?.text).toContain('Limit: 5')
    expect(mails[1]?.text).not.toContain('Window')
  })

  test.each<['pagerduty' | 'opsgenie', string[]]>([
    ['pagerduty', ['"event_action":"trigger"', '"event_action":"acknowledge"', '"event_action":"resolve"']],
    ['opsgenie', ['"priority":"P1"', '"user":"ann"', '"user":"Mishap"']],
  ])('%s hears that somebody acknowledged, and of the end of a deleted rule', async (kind, expected) => {
    const { meta, alerts, posts, fire, clock } = await rig({ actions: [{ type: 'channel', channel: '2' }] })
    await meta.alerts.createChannel({ ...onCallService, kind })
    await commit(meta, { events: [effect({ title: 'Boom' })] })
    await fire()
    await alerts.run()
    clock.advance(minuteMs)
    await meta.incidents.changeIncident(
      1,
      { state: 'acknowledged', acknowledgedBy: 'ann', acknowledgedMs: clock.now() },
      { kind: 'acknowledged', userId: 'ann', data: {} },
    )
    await alerts.run()
    clock.advance(minuteMs)
    await meta.alertRules.deleteAlertRule(1, undefined)
    await alerts.run()
    clock.advance(minuteMs)
    await alerts.run()
    expect(posts.map(({ text }) => text)).toEqual(expected.map((part) => expect.stringContaining(part)))
    expect((await logOf(meta)).map(({ status, error }) => [status, error])).toEqual(posts.map(() => ['sent', '']))
  })

  test('a start that fails until the end opens no alert that nobody would close', async () => {
    const { meta, alerts, posts, refuses, fire, clock } = await rig({ actions: [{ type: 'channel', channel: '2' }] })
    await meta.alerts.createChannel(onCallService)
    await commit(meta, { events: [effect()] })
    await fire()
    refuses.error = new DeliveryRefused('500')
    await alerts.run()
    await meta.issues.updateIssue(1, { status: 'resolved' }, null, clock.now())
    refuses.error = undefined
    clock.advance(minuteMs)
    await alerts.run()
    expect(posts).toMatchObject([{ text: expect.stringContaining('"event_action":"resolve"') }])
    expect((await logOf(meta)).map(({ change, steps }) => [change, steps.at(-1)?.text])).toEqual([
      ['end', '200 ok'],
      ['start', 'Nothing was sent: the incident has ended, and the alert would stay open.'],
    ])
  })

  test('a message that is sent again has the same id', async () => {
    const { meta, alerts, posts, fire, clock } = await rig()
    await commit(meta, { events: [effect()] })
    await fire()
    await alerts.run()
    clock.advance(minuteMs)
    await meta.alerts.sendDeliveryAgain(1, 'Ann', clock.now())
    await alerts.run()
    expect(posts.map(({ delivery }) => delivery)).toEqual([1, 1])
  })
})

describe('people', () => {
  const told = async (more: Partial<AlertDefinition>, deps: Partial<AlertDeps> = {}) => {
    const found = await rig(more, deps)
    const { meta } = found
    for (const [id, role] of [
      ['bob', 'member'],
      ['cyd', 'admin'],
      ['eve', 'viewer'],
    ] as const)
      await meta.organizations.setMember(1, id, role)
    await commit(meta, { events: [effect()] })
    return found
  }
  test.each<[string, AlertDefinition['actions'], string[]]>([
    ['one person', [{ type: 'person', person: 'eve' }], ['eve@x.test']],
    ['nobody who is not a member', [{ type: 'person', person: 'mallory' }], []],
    ['all members who can act', [{ type: 'members' }], ['ann@x.test', 'bob@x.test', 'cyd@x.test']],
    ['whoever the issue is assigned to', [{ type: 'assignee' }], ['cyd@x.test']],
    ['the owners', [{ type: 'owners' }], ['bob@x.test']],
    ['the authors of suspect commits', [{ type: 'authors' }], ['bob@x.test']],
    ['who is on call', [{ type: 'on_call', schedule: '1' }], ['cyd@x.test']],
    ['each once', [{ type: 'owners' }, { type: 'authors' }, { type: 'person', person: 'bob' }], ['bob@x.test']],
    [
      'nobody by what is gone or no message',
      [
        { type: 'channel', channel: '99' },
        { type: 'on_call', schedule: '7' },
        { type: 'tracker', tracker: '1', options: {} },
      ],
      [],
    ],
  ])('a rule tells %s', async (_name, actions, expected) => {
    const { meta, alerts, mails, fire } = await told({ actions })
    await meta.issues.updateIssue(1, { assigneeUserId: 'cyd' }, null, nowMs)
    await meta.issues.suggest(new Map([[1, [{ userId: 'bob', rule: 'path:x' }]]]))
    await meta.incidents.createSchedule({
      organizationId: 1,
      name: 'Backend',
      timeZone: 'UTC',
      handOverDay: 1,
      handOverTime: '09:00',
      startDate: '2020-01-06',
      members: ['cyd'],
    })
    await fire()
    await alerts.run()
    expect(mails.map(({ to }) => to).sort()).toEqual(expected)
    expect(await meta.incidents.incidentById(1)).toMatchObject({ state: 'critical' })
  })

  test('a person who has left since the message was queued gets nothing, and the log says why', async () => {
    const send = vi.fn(() => Promise.reject(new Error('down')))
    const actions: AlertDefinition['actions'] = [{ type: 'person', person: 'bob' }]
    const { meta, alerts, fire, clock } = await told({ actions }, { mailer: { send, close() {} } })
    await fire()
    expect(await alerts.run()).toEqual({ tries: 1 })
    await meta.organizations.endMembership(1, 'bob')
    clock.advance(minuteMs)
    expect(await alerts.run()).toEqual({ tries: 1 })
    expect(send).toHaveBeenCalledTimes(1)
    const [delivery] = await logOf(meta)
    expect(delivery).toMatchObject({ status: 'suppressed', recipient: 'bob@x.test', attempts: 1, sentMs: null })
    expect(delivery?.steps.at(-1)?.text).toBe('Nothing was sent: the person has left the organization.')
  })

  test('nor does a browser of such a person', async () => {
    const { meta, alerts, posts } = await told({})
    const channel = await meta.alerts.createChannel({
      organizationId: 1,
      projectId: null,
      kind: 'push',
      name: 'Browsers',
      sealedTarget: '',
      sealedSecret: '',
    })
    const stored = { userId: 'bob', sealed: '{}', browser: '', createdMs: nowMs, endpointHash: 'h' }
    const { id } = await meta.pushBrowsers.addBrowser(stored)
    const [delivery] = await meta.alerts.queueTest(channel.id, [String(id)], nowMs)
    // The browser stays, because its person is in another organization.
    const others = await meta.organizations.createOrganization({ slug: 'others', name: 'Others', ownerUserId: 'bob' })
    expect(others.id).not.toBe(1)
    await meta.organizations.endMembership(1, 'bob')
    await meta.alerts.sendDeliveryAgain(delivery?.id ?? 0, 'ann', nowMs)
    expect(await alerts.run()).toMatchObject({ tries: 1 })
    expect(posts).toEqual([])
    expect((await meta.alerts.deliveryById(delivery?.id ?? 0))?.steps.at(-1)?.text).toBe(
      'Nothing was sent: the person has left the organization.',
    )
  })

  test('without a mail server, or with an events store that is down, nobody hears and nothing fails', async () => {
    const authorEmails = async (): Promise<string[]> => {
      throw new Error('The events store is down.')
    }
    const down = await told({ actions: [{ type: 'authors' }] }, { authorEmails })
    await down.fire()
    expect(await down.alerts.run()).toEqual({ tries: 0 })
    const without = await told({ actions: [{ type: 'members' }] }, { smtp: async () => undefined })
    await without.fire()
    expect(await without.alerts.run()).toEqual({ tries: 0 })
    expect(await without.meta.incidents.countOpenIncidents(1)).toBe(1)
  })

  test.each([
    ['', 0],
    [', also after the clock was set back', 86_400_000],
  ])('nobody acknowledges: the next one of the order hears of it%s', async (_name, backMs) => {
    const state = { aheadMs: backMs }
    const base = testClock(nowMs)
    const { meta, alerts, mails, fire, clock } = await told(
      { actions: [{ type: 'on_call', schedule: '1' }], escalation: [{ afterMinutes: 10, schedule: '1' }] },
      { clock: { ...base, now: () => clock.now() + state.aheadMs } },
    )
    await alerts.run()
    state.aheadMs = 0
    await meta.incidents.createSchedule({
      organizationId: 1,
      name: 'Backend',
      timeZone: 'UTC',
      handOverDay: 1,
      handOverTime: '09:00',
      startDate: '2020-01-06',
      members: ['cyd', 'bob'],
    })
    await meta.incidents.createOverride({ scheduleId: 1, userId: 'ann', fromMs: 0, toMs: nowMs * 2, createdBy: null })
    await fire()
    await alerts.run()
    clock.advance(10 * minuteMs)
    await alerts.run()
    expect(mails.map(({ to }) => to)).toHaveLength(2)
    expect(mails[0]?.to).toBe('ann@x.test')
    expect((await logOf(meta))[0]?.steps[0]?.text).toBe('Checkout errors: nobody acknowledged within 10 minutes.')
  })
})

describe('a hole in the rota', () => {
  test('nobody is told at first, and the order goes on with the next member', async () => {
    const escalation = [{ afterMinutes: 5, schedule: '1' }]
    const { meta, alerts, mails, fire, clock } = await rig({
      actions: [{ type: 'on_call', schedule: '1' }],
      escalation,
    })
    await meta.organizations.setMember(1, 'bob', 'member')
    const rota = {
      timeZone: 'UTC',
      handOverDay: 1,
      handOverTime: '09:00',
      startDate: '2020-01-06',
      members: ['', 'bob'],
    }
    await meta.incidents.createSchedule({ organizationId: 1, name: 'Backend', ...rota })
    // Whoever's turn it is: nobody's.
    await meta.incidents.createOverride({ scheduleId: 1, userId: '', fromMs: 0, toMs: nowMs * 2, createdBy: null })
    await commit(meta, { events: [effect()] })
    await fire()
    await alerts.run()
    clock.advance(4 * minuteMs)
    await alerts.run()
    expect(mails).toEqual([])
    clock.advance(minuteMs)
    await alerts.run()
    expect(mails.map(({ to }) => to)).toEqual(['bob@x.test'])
  })
})

test('the link that unsubscribes ends the kind by which the message went, also at an escalation and at the end', async () => {
  const { meta, alerts, mails, fire, clock } = await rig({
    actions: [{ type: 'members' }, { type: 'on_call', schedule: '1' }],
    escalation: [{ afterMinutes: 10, schedule: '2' }],
  })
  for (const id of ['bob', 'cyd']) await meta.organizations.setMember(1, id, 'member')
  for (const member of ['cyd', 'bob'])
    await meta.incidents.createSchedule({
      organizationId: 1,
      name: member,
      timeZone: 'UTC',
      handOverDay: 1,
      handOverTime: '09:00',
      startDate: '2020-01-06',
      members: [member],
    })
  await commit(meta, { events: [effect()] })
  const kinds = async () => {
    mails.length = 0
    await alerts.run()
    const tokens = mails.map(({ to, unsubscribe = '' }) => [
      to.replace('@x.test', ''),
      unsubscriptionOf({ seal: { open: (text) => text } }, new URL(unsubscribe).searchParams.get('token') ?? '')?.kind,
    ])
    return Object.fromEntries(tokens)
  }
  await fire()
  expect(await kinds()).toEqual({ ann: 'alert', bob: 'alert', cyd: 'on_call' })
  clock.advance(10 * minuteMs)
  expect(await kinds()).toEqual({ bob: 'on_call' })
  await fire({ change: 'end' })
  expect(await kinds()).toEqual({ ann: 'alert', bob: 'on_call', cyd: 'on_call' })
})

describe('the link that acknowledges', () => {
  const sealed = { open: (text: string) => text }

  test('is valid for a day, for its incident, and changes nothing by itself', async () => {
    const { meta, alerts, fire, clock } = await rig()
    await commit(meta, { events: [effect()] })
    await fire()
    await alerts.run()
    const delivery = { id: 1, organizationId: 1, incidentId: 1, createdMs: nowMs }
    const link = new URL(acknowledgeLink({ seal: (text) => text, url: 'https://m.test' }, delivery))
    expect(link.origin + link.pathname).toBe('https://m.test/acknowledge')
    const look = () => acknowledgementOf({ meta, clock, seal: sealed }, link.searchParams.get('token') ?? '')
    expect(await look()).toMatchObject({
      state: 'open',
      organization: { slug: 'acme' },
      incident: { id: 1 },
      deliveryId: 1,
    })
    expect(await meta.incidents.incidentById(1)).toMatchObject({ state: 'critical', acknowledgedBy: null })
    clock.advance(86_400_000 - 1)
    expect(await look()).toMatchObject({ state: 'open' })
    clock.advance(1)
    expect(await look()).toEqual({ state: 'expired' })
  })

  test.each([
    ['nothing', ''],
    ['no JSON', 'x'],
    ['another purpose', '["unsubscribe",1,1,1,9999999999999]'],
    ['another organization', '["acknowledge",2,1,1,9999999999999]'],
    ['another incident', '["acknowledge",1,2,1,9999999999999]'],
    ['more than it should have', '["acknowledge",1,1,1,9999999999999,1]'],
    ['less', '["acknowledge",1,1,1]'],
    ['texts', '["acknowledge","1","1","1","9999999999999"]'],
    ['too much', `["acknowledge",1,1,1,9999999999999${' '.repeat(1000)}]`],
  ])('with %s is invalid', async (_name, token) => {
    const { meta, alerts, fire, clock } = await rig()
    await commit(meta, { events: [effect()] })
    await fire()
    await alerts.run()
    expect(await acknowledgementOf({ meta, clock, seal: sealed }, token)).toEqual({ state: 'invalid' })
  })

  test('a seal that does not open is invalid, too', async () => {
    const { meta, clock } = await rig()
    const open = (): string => {
      throw new Error('The encrypted value is damaged.')
    }
    expect(await acknowledgementOf({ meta, clock, seal: { open } }, 'v1.x')).toEqual({ state: 'invalid' })
  })
})
