import { expect, test } from 'vitest'
import { codeOf, nowMs } from '../fixture.cases.ts'
import type { NewDelivery } from '../issues/alerts.ts'
import type { MetaStore } from '../meta-store.ts'
import type { Decided, Incident, IncidentMember } from './incidents.ts'

export const anIncident = (change: Partial<Incident> = {}): Incident => ({
  id: 0,
  organizationId: 1,
  title: 'Errors of checkout',
  state: 'warning',
  level: 'warning',
  peak: 'warning',
  startedMs: nowMs,
  changedMs: nowMs,
  endedMs: null,
  acknowledgedBy: null,
  acknowledgedMs: null,
  snoozedUntilMs: null,
  impact: 1,
  isBurst: false,
  release: 'web@1',
  deployId: null,
  projectIds: [1],
  notified: {},
  escalation: null,
  ...change,
})

export const aMember = (change: Partial<IncidentMember> = {}): IncidentMember => ({
  ruleId: 4,
  issueId: 0,
  level: 'warning',
  openedMs: nowMs,
  endedMs: null,
  value: 0.5,
  threshold: 0.25,
  sentence: 'Above 25%.',
  causes: [],
  group: null,
  impact: 1,
  ...change,
})

export const aDelivery = (change: Partial<NewDelivery> = {}): NewDelivery => ({
  organizationId: 1,
  channelId: null,
  userId: 'ann',
  recipient: 'ann@x.test',
  personalKind: 'alert',
  kind: 'incident',
  change: 'start',
  level: 'warning',
  ruleId: 4,
  incidentId: null,
  firingIds: [7],
  items: [],
  issueIds: [],
  more: 0,
  status: 'queued',
  error: '',
  nextMs: nowMs,
  steps: [{ atMs: nowMs, step: 'evaluated', text: 'Errors fired.' }],
  ...change,
})

/** An empty decision with these changes, whatever the incidents are. */
export const decided = (change: Partial<Decided>) => (): Decided => ({
  incidents: [],
  deliveries: [],
  grown: [],
  dueIds: [],
  firingIds: [],
  trackerIssues: [],
  postponed: [],
  ...change,
})

/** Cases of incidents, their history and the log of deliveries. */
export function incidentCases(fresh: () => Promise<MetaStore>): void {
  const started = (incident = anIncident(), members = [aMember()]) => ({
    incident,
    members,
    activities: [{ kind: 'started' as const, userId: null, data: { rule: 'Errors' } }],
  })

  test('a decision stores incidents, members, history and deliveries together', async () => {
    const meta = await fresh()
    await meta.incidents.storeDecision(
      decided({
        incidents: [started(), started(anIncident({ title: 'Other' }), [aMember({ ruleId: 5 })])],
        deliveries: [
          { delivery: aDelivery(), incident: 1 },
          { delivery: aDelivery({ status: 'suppressed', error: 'Muted.' }), incident: null },
        ],
      }),
      nowMs,
    )
    expect(await meta.incidents.incidentById(1)).toEqual(anIncident({ id: 1 }))
    expect(await meta.incidents.incidentMembersOf(1, 10)).toEqual({ members: [aMember()], open: 1, total: 1 })
    expect(await meta.incidents.incidentActivitiesOf(1, 10)).toEqual([
      { id: 1, incidentId: 1, atMs: nowMs, kind: 'started', userId: null, data: { rule: 'Errors' } },
    ])
    const log = await meta.alerts.listDeliveries({ organizationId: 1 }, 10)
    expect(log.map((delivery) => [delivery.id, delivery.incidentId, delivery.status, delivery.error])).toEqual([
      [2, null, 'suppressed', 'Muted.'],
      [1, 2, 'queued', ''],
    ])
    expect(log[1]).toMatchObject(aDelivery({ incidentId: 2 }))
    expect((await meta.alerts.deliveriesQueued(nowMs, 10)).map((delivery) => delivery.id)).toEqual([1])
    expect(await meta.incidents.countOpenIncidents(1)).toBe(2)
    expect(await meta.incidents.lastFiringsOf([4, 5, 6])).toEqual(
      new Map([
        [4, nowMs],
        [5, nowMs],
      ]),
    )
    expect(await meta.incidents.lastFiringsOf([])).toEqual(new Map())
    expect(await meta.incidents.organizationsToLookAt(nowMs)).toEqual([1])
  })

  test('a decision that fails stores nothing', async () => {
    const meta = await fresh()
    const broken = aDelivery({ channelId: 99 })
    const work = meta.incidents.storeDecision(
      decided({ incidents: [started()], deliveries: [{ delivery: broken, incident: 0 }] }),
      nowMs,
    )
    await expect(work).rejects.toThrow(/foreign key/i)
    expect(await meta.incidents.incidentById(1)).toBeUndefined()
  })

  test('a decision sees incidents as they are now, and not those that are gone', async () => {
    const meta = await fresh()
    const two = decided({ incidents: [started(), started(anIncident(), [aMember({ ruleId: 5 })])] })
    await meta.incidents.storeDecision(two, nowMs)
    const read = await meta.incidents.incidentsToDecide([1, 2], [])
    const snoozed = { snoozedUntilMs: nowMs + 5, changedMs: nowMs + 1 }
    await meta.incidents.changeIncident(1, snoozed, { kind: 'snoozed', userId: 'ann', data: {} })
    const end = { state: 'resolved', endedMs: nowMs + 9, changedMs: nowMs + 9 } as const
    await meta.incidents.changeIncident(2, end, { kind: 'resolved', userId: 'ann', data: {} }, true)
    const gone = { incident: anIncident({ id: 9 }), members: [] }
    const seen: unknown[] = []
    const decision = await meta.incidents.storeDecision(
      (current) => {
        seen.push(...current)
        return decided({ firingIds: [7] })()
      },
      nowMs,
      [...read, gone],
    )
    expect(seen).toEqual([
      { incident: anIncident({ id: 1, ...snoozed }), members: [aMember()] },
      { incident: anIncident({ id: 2, ...end }), members: [aMember({ ruleId: 5, endedMs: nowMs + 9 })] },
    ])
    expect(decision).toEqual(decided({ firingIds: [7] })())
  })

  test('members are changed by their rule and issue, and summaries grow', async () => {
    const meta = await fresh()
    const first = decided({
      incidents: [started(anIncident(), [aMember({ issueId: 1 }), aMember({ issueId: 2 })])],
      deliveries: [{ delivery: aDelivery({ kind: 'summary', nextMs: nowMs + 600_000 }), incident: null }],
    })
    await meta.incidents.storeDecision(first, nowMs)
    const ended = aMember({ issueId: 1, endedMs: nowMs + 5, level: 'critical', value: null })
    const items = [{ issueId: 3, kind: 'new' as const, eventId: 'e' }]
    await meta.incidents.storeDecision(
      decided({
        incidents: [{ incident: anIncident({ id: 1, impact: 3 }), members: [ended], activities: [] }],
        grown: [{ id: 1, items, issueIds: [3, 4], more: 1 }],
      }),
      nowMs,
    )
    expect(await meta.incidents.incidentMembersOf(1, 10)).toEqual({
      members: [aMember({ issueId: 2 }), ended],
      open: 1,
      total: 2,
    })
    expect((await meta.incidents.incidentMembersOf(1, 1)).members).toEqual([aMember({ issueId: 2 })])
    expect(await meta.alerts.deliveryById(1)).toMatchObject({ items, issueIds: [3, 4], more: 1 })
    expect(await meta.alerts.deliveriesQueued(nowMs, 10)).toEqual([])
  })

  const ended = (ms: number, change: Partial<Incident> = {}) =>
    anIncident({ state: 'resolved', endedMs: nowMs + ms, ...change })
  const heard = (level: 'ok' | 'critical') => ({ 'channel:1': { atMs: nowMs, level, impact: 1, held: 0 } })

  test('a decision reads open members and those of its rules, and all members of what has ended', async () => {
    const meta = await fresh()
    await meta.incidents.storeDecision(
      decided({
        incidents: [
          started(ended(-10), [aMember({ endedMs: nowMs - 10 })]),
          started(anIncident(), [aMember({ issueId: 1, endedMs: nowMs }), aMember({ issueId: 2 })]),
        ],
      }),
      nowMs,
    )
    const read = async (ids: number[], ruleIds: number[]) =>
      (await meta.incidents.incidentsToDecide(ids, ruleIds)).map(({ incident, members }) => [
        incident.id,
        members.map((member) => member.issueId).sort(),
      ])
    expect(await read([1, 2, 9], [])).toEqual([
      [2, [2]],
      [1, [0]],
    ])
    expect(await read([2], [4, 5])).toEqual([[2, [1, 2]]])
    expect(await read([], [4])).toEqual([])
    // More than one statement of SQLite can name.
    expect(await read([2, ...Array.from({ length: 40_000 }, (_, at) => at + 10)], [])).toEqual([[2, [2]]])
  })

  test('time changes what is open, and what has ended and was not told', async () => {
    const meta = await fresh()
    await meta.incidents.storeDecision(
      decided({
        incidents: [
          started(),
          started(ended(-10, { notified: heard('ok') })),
          started(ended(-10, { notified: { 'person:a': heard('ok')['channel:1'], ...heard('critical') } })),
          started(ended(-1000, { notified: heard('critical') })),
          started(anIncident({ notified: heard('ok') })),
        ],
      }),
      nowMs,
    )
    expect(await meta.incidents.incidentsToLookAt(1, nowMs - 100)).toEqual([5, 3, 1])
    expect(await meta.incidents.incidentsToLookAt(2, 0)).toEqual([])
    expect(await meta.incidents.organizationsToLookAt(nowMs - 100)).toEqual([1])
    expect(await meta.incidents.organizationsDue(nowMs)).toEqual([])
  })

  test('firings look for their incidents by what they have in common', async () => {
    const meta = await fresh()
    const { id: other } = await meta.organizations.createOrganization({ slug: 'b', name: 'B', ownerUserId: 'ann' })
    const deploy = { release: '', deployId: 3 }
    await meta.incidents.storeDecision(
      decided({
        incidents: [
          started(anIncident({ release: '' }), [aMember({ issueId: 7 })]),
          started(ended(-10), [aMember({ issueId: 7, endedMs: nowMs - 10 })]),
          started(ended(-1000), [aMember({ issueId: 7, endedMs: nowMs - 1000 })]),
          started(anIncident({ release: '', startedMs: nowMs - 5000 }), [aMember({ ruleId: 5, causes: [8, 9] })]),
          started(anIncident(deploy), [aMember({ ruleId: 6, issueId: 1 })]),
          started(anIncident({ release: 'web@1', startedMs: nowMs - 50 }), [aMember({ ruleId: 6, issueId: 2 })]),
          started(anIncident({ release: 'web@1', startedMs: nowMs - 5000 }), [aMember({ ruleId: 6, issueId: 3 })]),
          started(anIncident({ organizationId: other, ...deploy }), [aMember({ ruleId: 5, issueId: 7 })]),
        ],
      }),
      nowMs,
    )
    const none = { ruleIds: [], metricRuleIds: [], issueIds: [], deployIds: [], releases: [] }
    const times = { startedFromMs: nowMs - 100, startedToMs: nowMs + 100, endedFromMs: nowMs - 100 }
    const join = async (keys: object) =>
      (await meta.incidents.incidentsToJoin({ organizationId: 1, ...none, ...times, ...keys })).sort()
    for (const [keys, ids] of [
      [{}, []],
      [{ issueIds: [7] }, [1, 2]],
      [{ issueIds: [9] }, [4]],
      [{ issueIds: [4, 5, 8] }, [4]],
      [{ ruleIds: [5], metricRuleIds: [5] }, [4]],
      [{ ruleIds: [4] }, [1]],
      [{ ruleIds: [6] }, [5, 6]],
      [{ deployIds: [3] }, [5]],
      [{ releases: ['web@1'] }, [6]],
      [{ releases: ['web@1'], startedFromMs: 0 }, [6, 7]],
      [{ organizationId: other, issueIds: [7], deployIds: [3] }, [8]],
      [{ issueIds: Array.from({ length: 40_000 }, (_, at) => at + 7) }, [1, 2, 4]],
    ] as const)
      expect([keys, await join(keys)]).toEqual([keys, ids])
  })

  test('the list is by state, rule and issue, newest first, page by page', async () => {
    const meta = await fresh()
    await meta.incidents.storeDecision(
      decided({
        incidents: [
          started(anIncident(), [aMember({ issueId: 1 })]),
          started(anIncident({ endedMs: nowMs, state: 'resolved' }), [aMember({ ruleId: 5, issueId: 1 })]),
          started(anIncident(), [aMember({ ruleId: 5 })]),
        ],
      }),
      nowMs,
    )
    const ids = async (filter: object, max = 10) =>
      (await meta.incidents.listIncidents({ organizationId: 1, ...filter }, max)).map((incident) => incident.id)
    expect(await ids({})).toEqual([3, 2, 1])
    expect(await ids({}, 2)).toEqual([3, 2])
    expect(await ids({ offset: 1 }, 1)).toEqual([2])
    expect(await ids({ state: 'open' })).toEqual([3, 1])
    expect(await ids({ state: 'ended' })).toEqual([2])
    expect(await ids({ ruleId: 5 })).toEqual([3, 2])
    expect(await ids({ issueId: 1 })).toEqual([2, 1])
    expect(await ids({ organizationId: 2 })).toEqual([])
  })

  test('people change incidents that are open', async () => {
    const meta = await fresh()
    await meta.incidents.storeDecision(decided({ incidents: [started()] }), nowMs)
    const patch = { state: 'acknowledged', acknowledgedBy: 'ann', acknowledgedMs: nowMs, escalation: null } as const
    const activity = { kind: 'acknowledged', userId: 'ann', data: {} } as const
    expect(await meta.incidents.changeIncident(1, patch, activity)).toEqual(anIncident({ id: 1, ...patch }))
    const end = { state: 'resolved', endedMs: nowMs + 9, changedMs: nowMs + 9 } as const
    await meta.incidents.changeIncident(1, end, { kind: 'resolved', userId: 'ann', data: {} }, true)
    expect(await meta.incidents.incidentMembersOf(1, 10)).toMatchObject({ members: [{ endedMs: nowMs + 9 }], open: 0 })
    expect((await meta.incidents.incidentActivitiesOf(1, 2)).map(({ kind, userId }) => [kind, userId])).toEqual([
      ['resolved', 'ann'],
      ['acknowledged', 'ann'],
    ])
    expect(await codeOf(() => meta.incidents.changeIncident(1, patch, activity))).toBe('CONFLICT')
    expect(await codeOf(() => meta.incidents.changeIncident(9, patch, activity))).toBe('NOT_FOUND')
  })

  test('the log keeps each step, and a message is sent again under its id', async () => {
    const meta = await fresh()
    await meta.incidents.storeDecision(decided({ deliveries: [{ delivery: aDelivery(), incident: null }] }), nowMs)
    expect(await codeOf(() => meta.alerts.sendDeliveryAgain(1, 'ann', nowMs))).toBe('CONFLICT')
    await meta.alerts.recordDelivery(1, { status: 'queued', error: 'Busy.', nextMs: nowMs + 10 }, nowMs + 1)
    await meta.alerts.recordDelivery(1, { status: 'failed', error: 'Gone.' }, nowMs + 2)
    expect(await meta.alerts.sendDeliveryAgain(1, 'ann', nowMs + 3)).toMatchObject({
      id: 1,
      status: 'queued',
      attempts: 0,
    })
    await meta.alerts.recordDelivery(1, { status: 'sent', answer: '250 ok' }, nowMs + 4)
    const delivery = await meta.alerts.deliveryById(1)
    expect(delivery).toMatchObject({ status: 'sent', error: '', sentMs: nowMs + 4 })
    expect(delivery?.steps.map(({ atMs, step, text }) => [atMs - nowMs, step, text])).toEqual([
      [0, 'evaluated', 'Errors fired.'],
      [1, 'retried', 'Busy.'],
      [2, 'sent', ''],
      [2, 'answered', 'Gone.'],
      [3, 'sent_again', 'ann'],
      [4, 'sent', ''],
      [4, 'answered', '250 ok'],
    ])
    for (let round = 0; round < 30; round++)
      await meta.alerts.recordDelivery(1, { status: 'sent', answer: `answer ${round}` }, nowMs + 5)
    const { steps = [] } = (await meta.alerts.deliveryById(1)) ?? {}
    expect([steps.length, steps[0]?.step, steps.at(-1)?.text]).toEqual([40, 'evaluated', 'answer 29'])
    expect(await codeOf(() => meta.alerts.sendDeliveryAgain(9, 'ann', nowMs))).toBe('NOT_FOUND')
    const filters = [
      { userId: 'ann' },
      { userId: 'bob' },
      { status: 'sent' as const },
      { incidentId: 1 },
      { beforeId: 1 },
    ]
    for (const [place, filter] of filters.entries())
      expect(await meta.alerts.listDeliveries({ organizationId: 1, ...filter }, 9)).toHaveLength(
        [1, 0, 1, 0, 0][place] ?? 0,
      )
  })

  test('ended incidents are forgotten after 90 days', async () => {
    const meta = await fresh()
    await meta.incidents.storeDecision(
      decided({ incidents: [started(anIncident({ endedMs: nowMs })), started()] }),
      nowMs,
    )
    // A decision by a clock that was set far ahead deletes nothing: only the retention does, by its trusted time.
    await meta.incidents.storeDecision(decided({}), nowMs + 9_000 * 86_400_000)
    await meta.retention.prune(nowMs + 90 * 86_400_000, 0, 0, 0)
    expect(await meta.incidents.incidentById(1)).toBeDefined()
    await meta.retention.prune(nowMs + 90 * 86_400_000 + 1, 0, 0, 0)
    expect(await meta.incidents.incidentById(1)).toBeUndefined()
    expect(await meta.incidents.incidentById(2)).toBeDefined()
  })
}

/** Cases of mutes and of on-call schedules. */
export function muteCases(fresh: () => Promise<MetaStore>): void {
  const mute = {
    organizationId: 1,
    kind: 'project' as const,
    targetId: 1,
    name: ' Move of the database ',
    fromMs: nowMs - 10,
    toMs: nowMs + 10,
    userId: 'ann',
  }

  test('mutes and overrides that ended 90 days ago go, and those without an end stay', async () => {
    const meta = await fresh()
    await meta.incidents.createMute(mute)
    await meta.incidents.createMute({ ...mute, toMs: null })
    const rota = { timeZone: 'UTC', handOverDay: 1, handOverTime: '09:00', startDate: '2026-03-02', members: ['ann'] }
    const { id: scheduleId } = await meta.incidents.createSchedule({ organizationId: 1, name: 'Nights', ...rota })
    const times = { fromMs: nowMs - 10, toMs: nowMs + 10 }
    await meta.incidents.createOverride({ scheduleId, userId: 'ann', ...times, createdBy: null })
    const left = async () => [
      (await meta.incidents.muteById(1)) !== undefined,
      (await meta.incidents.muteById(2)) !== undefined,
      (await meta.incidents.overridesOf([scheduleId], 0)).length,
    ]
    await meta.retention.prune(times.toMs + 90 * 86_400_000, 0, 0, 0)
    expect(await left()).toEqual([true, true, 1])
    await meta.retention.prune(times.toMs + 90 * 86_400_000 + 1, 0, 0, 0)
    expect(await left()).toEqual([false, true, 0])
  })

  test('clicks in Slack are kept until they are done, and known for a week', async () => {
    const meta = await fresh()
    const click = { organizationId: 1, click: 'a', sealed: 's' }
    expect([await meta.alerts.addSlackClick(click, nowMs), await meta.alerts.addSlackClick(click, nowMs)]).toEqual([
      true,
      false,
    ])
    expect(await meta.alerts.slackClicksDue(nowMs - 1, 9)).toEqual([])
    const [due] = await meta.alerts.slackClicksDue(nowMs, 9)
    const id = due?.id ?? 0
    const claim = (atMs: number) => meta.alerts.claimSlackClick(id, atMs, atMs + 60_000)
    expect([await claim(nowMs), await claim(nowMs), await claim(nowMs + 60_000)]).toEqual([true, false, true])
    await meta.alerts.noteSlackClick(id, 'Done.')
    await meta.alerts.endSlackClick(id, { nextMs: nowMs + 5 })
    expect(await meta.alerts.slackClicksDue(nowMs, 9)).toEqual([])
    expect(await meta.alerts.slackClicksDue(nowMs + 5, 9)).toEqual([{ ...due, sentence: 'Done.', attempts: 1 }])
    await meta.retention.prune(nowMs + 99 * 86_400_000, 0, 0, 0)
    expect(await meta.alerts.slackClicksDue(nowMs + 5, 9)).toHaveLength(1)
    await meta.alerts.endSlackClick(id, { doneMs: nowMs + 6 })
    expect(await meta.alerts.slackClicksDue(nowMs + 99, 9)).toEqual([])
    await meta.retention.prune(nowMs + 7 * 86_400_000, 0, 0, 0)
    expect(await meta.alerts.addSlackClick(click, nowMs)).toBe(false)
    await meta.retention.prune(nowMs + 7 * 86_400_000 + 1, 0, 0, 0)
    expect(await meta.alerts.addSlackClick(click, nowMs)).toBe(true)
  })

  test('mutes hold from their start to their end', async () => {
    const meta = await fresh()
    await meta.incidents.createMute(mute)
    await meta.incidents.createMute({ ...mute, kind: 'organization', targetId: 0, toMs: null })
    const at = async (ms: number) => (await meta.incidents.mutesAt([1], ms)).map(({ id }) => id)
    expect([await at(nowMs - 11), await at(nowMs - 10), await at(nowMs + 9), await at(nowMs + 10)]).toEqual([
      [],
      [1, 2],
      [1, 2],
      [2],
    ])
    expect(await meta.incidents.mutesAt([2], nowMs)).toEqual([])
    await meta.incidents.endMute(1)
    await meta.incidents.endMute(2)
    expect(await at(nowMs)).toEqual([])
    expect((await meta.incidents.listMutes(1)).map(({ id, name, toMs }) => [id, name, toMs])).toEqual([
      [2, 'Move of the database', nowMs],
      [1, 'Move of the database', nowMs],
    ])
    const { id } = await meta.incidents.createMute({ ...mute, fromMs: nowMs + 5 })
    await meta.incidents.endMute(id)
    expect(await meta.incidents.muteById(id)).toBeUndefined()
    expect(await codeOf(() => meta.incidents.createMute({ ...mute, toMs: mute.fromMs }))).toBe('VALIDATION')
    expect(await codeOf(() => meta.incidents.createMute({ ...mute, name: '' }))).toBe('VALIDATION')
  })

  test('schedules are made, changed with their revision and removed with their overrides', async () => {
    const meta = await fresh()
    const rota = {
      name: 'Backend',
      timeZone: 'Europe/Berlin',
      handOverDay: 1,
      handOverTime: '09:00',
      startDate: '2026-03-02',
      members: ['ann', 'bob'],
    }
    const made = await meta.incidents.createSchedule({ organizationId: 1, ...rota })
    expect(made).toMatchObject({ id: 1, rev: 0, ...rota })
    const changed = await meta.incidents.updateSchedule(1, { members: ['bob'] }, 'ann', 0)
    expect(changed).toEqual({ ...made, members: ['bob'], rev: 1, changedMs: nowMs, changedBy: 'ann' })
    expect(await meta.incidents.listSchedules(1)).toEqual([changed])
    expect(await codeOf(() => meta.incidents.updateSchedule(1, {}, 'bob', 0))).toBe('CONFLICT')
    expect(await codeOf(() => meta.incidents.updateSchedule(9, {}, 'bob'))).toBe('NOT_FOUND')
    const override = { scheduleId: 1, userId: 'cyd', fromMs: nowMs, toMs: nowMs + 10, createdBy: 'ann' }
    expect(await meta.incidents.createOverride(override)).toEqual({ id: 1, ...override })
    expect(await meta.incidents.overridesOf([1], nowMs)).toEqual([{ id: 1, ...override }])
    expect(await meta.incidents.overridesOf([1], nowMs + 10)).toEqual([])
    const replaced = await meta.incidents.replaceOverride(1, { ...override, userId: 'bob' })
    expect(replaced).toEqual({ id: 2, ...override, userId: 'bob' })
    expect(await codeOf(() => meta.incidents.replaceOverride(1, override))).toBe('CONFLICT')
    // One that was added later and begins earlier counts, so it is the last.
    const earlier = await meta.incidents.createOverride({ ...override, fromMs: nowMs - 10 })
    expect(await meta.incidents.overridesOf([1], nowMs)).toEqual([replaced, earlier])
    await meta.incidents.deleteOverride(2)
    expect(await meta.incidents.overrideById(2)).toBeUndefined()
    await meta.incidents.deleteSchedule(1)
    expect(await meta.incidents.scheduleById(1)).toBeUndefined()
    expect(await meta.incidents.overridesOf([1], 0)).toEqual([])
  })
}
