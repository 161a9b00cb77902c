import { describe, expect, test } from 'vitest'
import type { NewFiring } from '../store/meta/alerts/firing.ts'
import { aMember, anIncident, decided } from '../store/meta/alerts/incidents.cases.ts'
import type { IncidentPatch } from '../store/meta/alerts/incidents.ts'
import { commit, effect, nowMs } from '../store/meta/fixture.cases.ts'
import { createAlerts } from './alert.ts'
import { incidentRig as rig } from './incident.cases.ts'

const minuteMs = 60_000
const laterMs = nowMs + 10 * minuteMs

/** Two incidents whose on-call order is due in ten minutes, and a place where a decision looks something up. */
async function twoIncidents() {
  const during = { work: async (): Promise<unknown> => undefined }
  const smtp = async () => {
    const { work } = during
    during.work = async () => undefined
    await work()
    return { host: 'x', port: 1, security: 'none', user: '', password: '', from: 'm@x.test' } as const
  }
  const found = await rig({ escalation: [{ afterMinutes: 10, schedule: '1' }] }, { smtp })
  const { meta, alerts, fire, clock } = found
  await meta.organizations.setMember(1, 'cyd', 'admin')
  const rota = { timeZone: 'UTC', handOverDay: 1, handOverTime: '09:00', startDate: '2020-01-06', members: ['cyd'] }
  await meta.incidents.createSchedule({ organizationId: 1, name: 'Backend', ...rota })
  for (const id of [1, 2]) {
    await commit(meta, { events: [effect({ hashes: [String(id).padStart(16, '0')] })] })
    await fire({ cause: { projectIds: [1], issueIds: [id], release: '', deployId: null } })
  }
  await alerts.run()
  clock.advance(10 * minuteMs)
  const toldOf = async (incidentId: number) =>
    (await meta.alerts.listDeliveries({ organizationId: 1, incidentId }, 10))
      .map(({ change, userId }) => `${change} ${userId ?? 'channel'}`)
      .reverse()
  return { ...found, during, toldOf }
}

describe('what a person does while a decision looks things up is not overwritten', () => {
  test.each<[string, IncidentPatch, string[], object]>([
    [
      'to acknowledge: the order stops',
      { state: 'acknowledged', acknowledgedBy: 'ann', acknowledgedMs: laterMs, escalation: null },
      ['start channel'],
      { open: 1 },
    ],
    ['to snooze: nobody is told', { snoozedUntilMs: laterMs + 60 * minuteMs }, ['start channel'], { open: 1 }],
    [
      'to resolve: it stays ended, and its end is told',
      { state: 'resolved', endedMs: laterMs, escalation: null },
      ['start channel', 'end channel'],
      { open: 0, members: [{ endedMs: laterMs }] },
    ],
  ])('%s', async (_says, patch, told, members) => {
    const { meta, alerts, during, toldOf } = await twoIncidents()
    const change = { ...patch, changedMs: laterMs }
    during.work = () =>
      meta.incidents.changeIncident(1, change, { kind: 'snoozed', userId: 'ann', data: {} }, patch.state === 'resolved')
    await alerts.run()
    expect(await meta.incidents.incidentById(1)).toMatchObject(change)
    expect(await meta.incidents.incidentMembersOf(1, 10)).toMatchObject(members)
    expect(await toldOf(1)).toEqual(told)
    // Others do not wait for it.
    expect(await toldOf(2)).toEqual(['start channel', 'change cyd'])
  })

  test('nothing: both go on', async () => {
    const { alerts, toldOf } = await twoIncidents()
    await alerts.run()
    expect([await toldOf(1), await toldOf(2)]).toEqual([1, 2].map(() => ['start channel', 'change cyd']))
  })
})

/** A firing of a metric rule. */
const aFiring = (organizationId: number, ruleId: number, key: string): NewFiring => ({
  organizationId,
  ruleId,
  key,
  change: 'start',
  level: 'critical',
  atMs: nowMs,
  value: null,
  threshold: null,
  sentence: '',
  cause: { projectIds: [], issueIds: [1], release: '', deployId: null },
  trigger: 'new',
  eventId: '',
  sinceMs: nowMs,
})

/** A rig that counts the incidents that decisions read. */
async function counting() {
  const found = await rig()
  const { deps } = found
  const read: number[] = []
  const incidentsToDecide: typeof deps.meta.incidents.incidentsToDecide = async (...words) => {
    const incidents = await deps.meta.incidents.incidentsToDecide(...words)
    read.push(incidents.length)
    return incidents
  }
  const meta = { ...deps.meta, incidents: { ...deps.meta.incidents, incidentsToDecide } }
  return { ...found, read, alerts: createAlerts({ ...deps, meta }) }
}

const many = <Made>(count: number, make: (at: number) => Made): Made[] =>
  Array.from({ length: count }, (_, at) => make(at))

describe('a decision reads what it needs', () => {
  test('20,000 incidents that have ended and were told are not read, only the one that a firing opens again', async () => {
    const { meta, alerts, fire, read, clock } = await counting()
    const endedMs = nowMs - minuteMs
    const heard = { 'channel:1': { atMs: endedMs, level: 'ok', impact: 1, held: 0 } as const }
    await meta.incidents.storeDecision(
      decided({
        incidents: many(20_000, (at) => ({
          incident: anIncident({ state: 'resolved', release: '', endedMs, notified: heard }),
          members: [aMember({ ruleId: 1, issueId: at + 1, endedMs })],
          activities: [],
        })),
      }),
      endedMs,
    )
    await commit(meta, { events: [effect()] })
    await alerts.run()
    expect(read).toEqual([])
    await fire()
    clock.advance(minuteMs)
    await alerts.run()
    expect(read).toEqual([1])
    expect(await meta.incidents.incidentById(1)).toMatchObject({ state: 'critical', endedMs: null })
    expect(await meta.incidents.countOpenIncidents(1)).toBe(1)
  })

  test('open incidents are looked at in parts, and each part is decided', async () => {
    const { meta, alerts, read, clock } = await counting()
    await meta.incidents.storeDecision(
      decided({
        incidents: many(1_200, () => ({
          incident: anIncident({ release: '' }),
          // A rule that is gone.
          members: [aMember({ ruleId: 99 })],
          activities: [],
        })),
      }),
      nowMs,
    )
    await alerts.run()
    expect(read).toEqual([500, 500, 200])
    expect(await meta.incidents.countOpenIncidents(1)).toBe(0)
    clock.advance(minuteMs)
    await alerts.run()
    expect(read).toHaveLength(3)
  })
})

test('a decision that fails stops no other organization, and is reported', async () => {
  const { meta, deps, fire, clock, rule } = await rig()
  const { id: other } = await meta.organizations.createOrganization({ slug: 'b', name: 'B', ownerUserId: 'ann' })
  await commit(meta, { events: [effect()] })
  const channel = await meta.alerts.createChannel({
    organizationId: other,
    projectId: null,
    kind: 'webhook',
    name: 'Other',
    sealedTarget: 'https://hook.test/other',
    sealedSecret: '',
  })
  const theirs = await meta.alertRules.createAlertRule({
    organizationId: other,
    userId: 'ann',
    max: 10,
    name: 'Theirs',
    active: true,
    mutedUntilMs: null,
    definition: { ...rule.definition, actions: [{ type: 'channel', channel: String(channel.id) }] },
  })
  // The oldest firings are those of the organization whose decisions fail.
  await meta.alertRules.saveEvaluation({ firings: many(1_100, (at) => aFiring(1, 1, `a${at}`)) })
  await fire()
  await meta.alertRules.saveEvaluation({ firings: [aFiring(other, theirs.id, 'b')] })
  const isBroken = { now: true }
  const mutesAt: typeof meta.incidents.mutesAt = async (ids, atMs) => {
    if (isBroken.now && ids.includes(1)) throw new Error('A row is damaged.')
    return meta.incidents.mutesAt(ids, atMs)
  }
  const alerts = createAlerts({ ...deps, meta: { ...deps.meta, incidents: { ...deps.meta.incidents, mutesAt } } })
  await expect(alerts.run()).rejects.toThrow('A row is damaged.')
  const sent = async (organizationId: number) =>
    (await meta.alerts.listDeliveries({ organizationId }, 10)).map(({ status }) => status)
  expect([await sent(1), await sent(other)]).toEqual([[], ['sent']])
  isBroken.now = false
  clock.advance(minuteMs)
  await alerts.run()
  expect(await sent(1)).toEqual(['sent'])
})
