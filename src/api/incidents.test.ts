import { beforeAll, describe, expect, test } from 'vitest'
import { acknowledgeLink } from '../alert/acknowledge.ts'
import type { RestIncident, RestIncidentDetails, RestMute, RestOnCallSchedule } from '../contract/alerts/incidents.ts'
import { acknowledgeByLink } from '../operations/incidents.ts'
import { aDelivery, aMember, anIncident, decided } from '../store/meta/alerts/incidents.cases.ts'
import { appForFile } from './app.cases.ts'

const { made, call, personAs } = appForFile()
const O = '/organizations/acme'
const nowMs = Date.now()

const stored = { title: 'WEB-1: Boom', startedMs: nowMs, changedMs: nowMs }
beforeAll(async () => {
  const rule = { issue: { when: [{ type: 'new' }] } }
  for (const name of ['First', 'Second']) await call('POST', `${O}/alerts/`, { body: { name, ...rule } })
  await made().app.meta.incidents.storeDecision(
    decided({
      incidents: [
        {
          incident: anIncident(stored),
          members: [aMember({ ruleId: 1 })],
          activities: [{ kind: 'started', userId: null, data: {} }],
        },
        {
          incident: anIncident({ ...stored, title: 'Ended', endedMs: nowMs, state: 'resolved' }),
          members: [aMember({ issueId: 1, endedMs: nowMs })],
          activities: [],
        },
        { incident: anIncident({ ...stored, title: 'By link' }), members: [aMember({ ruleId: 2 })], activities: [] },
      ],
      deliveries: [{ delivery: aDelivery({ userId: null, recipient: 'x@x.test' }), incident: 0 }],
    }),
    nowMs,
  )
})

const titles = (answer: { json: never }) => (answer.json as RestIncident[]).map(({ title }) => title)
const detailsOf = async (id: number): Promise<RestIncidentDetails> => (await call('GET', `${O}/incidents/${id}/`)).json

describe('incidents', () => {
  test.each([
    ['', ['By link', 'Ended', 'WEB-1: Boom']],
    ['?status=open', ['By link', 'WEB-1: Boom']],
    ['?status=ended', ['Ended']],
    ['?rule=2', ['By link']],
    ['?issue=1', ['Ended']],
    ['?limit=1', ['By link']],
    ['?limit=1&cursor=0:1:0', ['Ended']],
  ])('the list %s', async (search, expected) => {
    expect(titles(await call('GET', `${O}/incidents/${search}`))).toEqual(expected)
  })

  test('one incident has members, history and messages', async () => {
    expect(await detailsOf(1)).toMatchObject({
      id: '1',
      status: 'warning',
      projects: ['web'],
      members: [{ rule: { id: '1', name: 'First' }, issue: null, level: 'warning', value: 0.5, threshold: 0.25 }],
      membersOpen: 1,
      membersTotal: 1,
      activity: [{ type: 'started', person: null }],
      messages: [{ receiver: 'x@x.test', change: 'start', status: 'queued' }],
    })
  })

  test('is acknowledged, snoozed and resolved, and then it is over', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const first = await call('PUT', `${O}/incidents/1/`, { body: { status: 'acknowledged', snoozedUntil: until } })
    expect(first.json).toMatchObject({ status: 'acknowledged', snoozedUntil: until })
    expect((await detailsOf(1)).activity.map(({ type }) => type)).toEqual(['acknowledged', 'snoozed', 'started'])
    // Twice is once.
    await call('PUT', `${O}/incidents/1/`, { body: { status: 'acknowledged', snoozedUntil: null } })
    expect((await detailsOf(1)).activity.map(({ type }) => type)).toEqual([
      'snoozed',
      'acknowledged',
      'snoozed',
      'started',
    ])
    const resolved = await call('PUT', `${O}/incidents/1/`, { body: { status: 'resolved' } })
    expect(resolved.json).toMatchObject({ status: 'resolved', membersOpen: 0 })
    expect((await call('PUT', `${O}/incidents/1/`, { body: { status: 'resolved' } })).status).toBe(409)
  })

  test.each<[unknown, number]>([
    [{}, 400],
    [{ status: 'warning' }, 400],
    [{ snoozedUntil: '2001-01-01T00:00:00Z' }, 400],
    [{ snoozedUntil: '2999-01-01T00:00:00Z' }, 400],
    [{ snoozedUntil: 'soon' }, 400],
  ])('refuses %j', async (body, status) => {
    expect((await call('PUT', `${O}/incidents/3/`, { body })).status).toBe(status)
  })

  test('what is not there, or not in the organization, is 404', async () => {
    for (const id of ['99', 'x', '1e3', '9'.repeat(16)])
      expect((await call('GET', `${O}/incidents/${id}/`)).status).toBe(404)
  })

  test('a viewer reads and changes nothing', async () => {
    const { token } = await personAs('viewer')
    expect((await call('GET', `${O}/incidents/3/`, { token })).status).toBe(200)
    expect((await call('PUT', `${O}/incidents/3/`, { token, body: { status: 'resolved' } })).status).toBe(403)
  })

  test('a signed link acknowledges once; a forged or expired one changes nothing', async () => {
    const { app } = made()
    const delivery = { id: 1, organizationId: 1, incidentId: 3, createdMs: Date.now() }
    const tokenOf = (of: typeof delivery) =>
      new URL(acknowledgeLink({ seal: app.seal.seal, url: 'https://m.test' }, of)).searchParams.get('token') ?? ''
    const token = tokenOf(delivery)
    expect(await acknowledgeByLink(app, token.slice(1))).toBe('invalid')
    expect(
      await acknowledgeByLink(app, `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`),
    ).toBe('invalid')
    expect(await acknowledgeByLink(app, app.seal.seal('["acknowledge",1]'))).toBe('invalid')
    expect(await acknowledgeByLink(app, tokenOf({ ...delivery, createdMs: Date.now() - 86_400_001 }))).toBe('expired')
    expect((await detailsOf(3)).status).toBe('warning')
    expect(await acknowledgeByLink(app, token)).toBe('acknowledged')
    expect(await acknowledgeByLink(app, token)).toBe('acknowledged')
    expect(await detailsOf(3)).toMatchObject({
      status: 'acknowledged',
      acknowledgedBy: null,
      activity: [{ type: 'acknowledged', person: null, data: { message: 1 } }],
    })
    await call('PUT', `${O}/incidents/3/`, { body: { status: 'resolved' } })
    expect(await acknowledgeByLink(app, token)).toBe('ended')
  })
})

describe('mutes', () => {
  test('are made, listed and ended', async () => {
    const window = {
      kind: 'project',
      target: '1',
      name: 'Move',
      start: '2998-01-01T00:00:00Z',
      end: '2999-01-01T00:00:00Z',
    }
    const planned: RestMute = (await call('POST', `${O}/mutes/`, { body: window })).json
    expect(planned).toMatchObject({ kind: 'project', target: '1', targetName: 'web', isActive: false })
    const all: RestMute = (await call('POST', `${O}/mutes/`, { body: { kind: 'organization', name: 'Quiet' } })).json
    expect(all).toMatchObject({ target: null, end: null, isActive: true })
    expect(((await call('GET', `${O}/mutes/`)).json as RestMute[]).map(({ name }) => name)).toEqual(['Quiet', 'Move'])
    for (const { id } of [planned, all]) expect((await call('DELETE', `${O}/mutes/${id}/`)).status).toBe(204)
    expect(
      ((await call('GET', `${O}/mutes/`)).json as RestMute[]).map(({ name, isActive }) => [name, isActive]),
    ).toEqual([['Quiet', false]])
    expect((await call('DELETE', `${O}/mutes/${planned.id}/`)).status).toBe(404)
  })

  test.each<[object, string]>([
    [{ kind: 'rule', target: '99' }, 'target'],
    [{ kind: 'issue', target: '99' }, 'target'],
    [{ kind: 'project', target: '99' }, 'target'],
    [{ kind: 'project' }, 'target'],
    [{ kind: 'organization', end: '2001-01-01T00:00:00Z' }, 'end'],
    [{ kind: 'organization', start: '2999-01-01T00:00:00Z', end: '2998-01-01T00:00:00Z' }, 'end'],
    [{ kind: 'team' }, 'kind'],
    [{ kind: 'organization', name: '' }, 'name'],
  ])('refuses %j with the field %s', async (body, field) => {
    const answer = await call('POST', `${O}/mutes/`, { body: { name: 'Move', ...body } })
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.json)).toContain(field)
  })
})

describe('on-call schedules', () => {
  const S = `${O}/on-call-schedules`
  const me = async () => ((await call('GET', `${O}/members/`)).json as { user: { id: string } }[])[0]?.user.id ?? ''

  test('are made, changed and deleted, and say who is on call', async () => {
    const members = [await me()]
    const body = { name: 'Backend', timeZone: 'Europe/Berlin', members }
    const schedule: RestOnCallSchedule = (await call('POST', `${S}/`, { body })).json
    expect(schedule).toMatchObject({
      handOverDay: 1,
      handOverTime: '09:00',
      members: [{ id: members[0] }],
      onCall: { person: { id: members[0] }, isOverride: false },
      overrides: [],
      revision: 0,
    })
    expect(schedule.shifts).toHaveLength(1)
    const changed = await call('PUT', `${S}/${schedule.id}/`, { body: { handOverTime: '10:30', revision: 0 } })
    expect(changed.json).toMatchObject({ handOverTime: '10:30', name: 'Backend', revision: 1 })
    expect((await call('PUT', `${S}/${schedule.id}/`, { body: { name: 'X', revision: 0 } })).status).toBe(409)
    const override = { person: members[0], start: '2001-01-01T00:00:00Z', end: '2001-01-02T00:00:00Z' }
    expect((await call('POST', `${S}/${schedule.id}/overrides/`, { body: override })).status).toBe(400)
    const start = new Date().toISOString()
    const end = new Date(Date.now() + 86_400_000).toISOString()
    const taken = await call('POST', `${S}/${schedule.id}/overrides/`, { body: { ...override, start, end } })
    expect(taken.json).toMatchObject({ onCall: { isOverride: true, until: end }, overrides: [{ end }] })
    const id = (taken.json as RestOnCallSchedule).overrides[0]?.id
    expect((await call('DELETE', `${S}/${schedule.id}/overrides/${id}/`)).status).toBe(204)
    expect((await call('DELETE', `${S}/${schedule.id}/overrides/${id}/`)).status).toBe(404)
    expect((await call('GET', `${S}/`)).json).toMatchObject([{ id: schedule.id, onCall: { isOverride: false } }])
    // A rule can name it, and not another one.
    const rule = {
      name: 'R',
      issue: { when: [{ type: 'new' }] },
      actions: [{ type: 'on_call', schedule: schedule.id }],
    }
    expect((await call('POST', `${O}/alerts/`, { body: rule })).status).toBe(201)
    const other = { ...rule, actions: [{ type: 'on_call', schedule: '99' }] }
    expect((await call('POST', `${O}/alerts/`, { body: other })).status).toBe(400)
    expect((await call('DELETE', `${S}/${schedule.id}/`)).status).toBe(204)
    expect((await call('GET', `${S}/${schedule.id}/`)).status).toBe(404)
  })

  test.each<[object, string]>([
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ members: ['nobody'] }, 'members'],
    [{ handOverDay: 8 }, 'handOverDay'],
    [{ handOverTime: '24:00' }, 'handOverTime'],
    [{ startDate: '2026-02-30' }, 'startDate'],
    [{ name: '' }, 'name'],
  ])('refuses %j with the field %s', async (body, field) => {
    const answer = await call('POST', `${S}/`, { body: { name: 'S', timeZone: 'UTC', members: [], ...body } })
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.json)).toContain(field)
  })
})
