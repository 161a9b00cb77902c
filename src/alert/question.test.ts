import { describe, expect, test } from 'vitest'
import type { IncidentPatch } from '../store/meta/alerts/incidents.ts'
import { commit, effect, nowMs } from '../store/meta/fixture.cases.ts'
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
      meta.incidents.changeIncident(
        1,
        change,
        { kind: 'snoozed', userId: 'ann', data: {} },
        patch.state === 'resolved',
      )
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
