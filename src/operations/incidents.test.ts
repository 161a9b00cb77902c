import { describe, expect, test } from 'vitest'
import { acknowledgeLink } from '../alert/acknowledge.ts'
import { MishapError } from '../base/errors.ts'
import type { NewMuteBody } from '../contract/alerts/incidents.ts'
import { aMember, anIncident, decided } from '../store/meta/alerts/incidents.cases.ts'
import type { Incident, IncidentMember } from '../store/meta/alerts/incidents.ts'
import { nowMs } from '../store/meta/fixture.cases.ts'
import {
  acknowledgeByLink,
  acknowledgeIncident,
  createMute,
  endMute,
  resolveIncident,
  snoozeIncident,
} from './incidents.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()
const dayMs = 86_400_000
/** An end that is not so old that the store forgets it. */
const ended = { state: 'resolved', endedMs: nowMs - 1000 } as const

/** A store with one incident, and a record of how often the outbox was started. */
async function rig(change: Partial<Incident> = {}, members: IncidentMember[] = [aMember()]) {
  const deps = await fresh()
  const kicked: number[] = []
  const incident = anIncident(change)
  await deps.meta.incidents.storeDecision(decided({ incidents: [{ incident, members, activities: [] }] }), nowMs)
  const read = async (): Promise<Incident> => {
    const found = await deps.meta.incidents.incidentById(1)
    if (!found) throw new Error('no incident')
    return found
  }
  const history = async () =>
    (await deps.meta.incidents.incidentActivitiesOf(1, 50)).map(({ kind, userId, data }) => ({ kind, userId, data }))
  return { ...deps, nowMs, alerts: { kick: () => void kicked.push(1) }, kicked, read, history }
}

describe('acknowledging', () => {
  test('names the person and the time, and stops the on-call order', async () => {
    const deps = await rig({ escalation: { step: 1, dueMs: 5 } })
    deps.clock.advance(5000)
    const changed = await acknowledgeIncident(deps, await deps.read(), 'ann')
    const expected = {
      state: 'acknowledged',
      acknowledgedBy: 'ann',
      acknowledgedMs: deps.nowMs + 5000,
      changedMs: deps.nowMs + 5000,
      escalation: null,
      level: 'warning',
      endedMs: null,
    }
    expect(changed).toMatchObject(expected)
    expect(await deps.read()).toMatchObject(expected)
    expect(await deps.history()).toEqual([{ kind: 'acknowledged', userId: 'ann', data: {} }])
    // The answer is no news for anybody else.
    expect(deps.kicked).toEqual([])
  })

  test('a second person changes nothing: the first one works on it', async () => {
    const deps = await rig()
    await acknowledgeIncident(deps, await deps.read(), 'ann')
    expect(await acknowledgeIncident(deps, await deps.read(), 'bob')).toMatchObject({ acknowledgedBy: 'ann' })
    expect(await deps.history()).toHaveLength(1)
  })

  test('an incident that has ended in the meantime is a conflict, and stays as it was', async () => {
    const deps = await rig()
    const before = await deps.read()
    await resolveIncident(deps, before, 'ann')
    expect(await endOf(() => acknowledgeIncident(deps, before, 'bob'))).toEqual(['CONFLICT', []])
    expect(await deps.read()).toMatchObject({ state: 'resolved', acknowledgedBy: null })
    expect((await deps.history()).map(({ kind }) => kind)).toEqual(['resolved'])
  })

  test('an incident that is gone is not found', async () => {
    const deps = await rig()
    expect(await endOf(() => acknowledgeIncident(deps, anIncident({ id: 99 }), 'ann'))).toEqual(['NOT_FOUND', []])
  })
})

describe('acknowledging by a link', () => {
  const tokenOf = ({ seal, nowMs }: Awaited<ReturnType<typeof rig>>, change = {}) => {
    const of = { id: 7, organizationId: 1, incidentId: 1, createdMs: nowMs, ...change }
    const link = acknowledgeLink({ seal: seal.seal, url: 'https://m.test' }, of)
    return new URL(link).searchParams.get('token') ?? ''
  }
  /** The store's own dependencies, with the seal in the place where the operation looks for it. */
  const partsOf = (deps: Awaited<ReturnType<typeof rig>>) => ({ meta: deps.meta, clock: deps.clock, seal: deps.seal })

  test('names no person but the message, and is once', async () => {
    const deps = await rig({ escalation: { step: 0, dueMs: 5 } })
    expect(await acknowledgeByLink(partsOf(deps), tokenOf(deps))).toBe('acknowledged')
    expect(await acknowledgeByLink(partsOf(deps), tokenOf(deps))).toBe('acknowledged')
    expect(await deps.read()).toMatchObject({ state: 'acknowledged', acknowledgedBy: null, escalation: null })
    expect(await deps.history()).toEqual([{ kind: 'acknowledged', userId: null, data: { message: 7 } }])
  })

  test.each([
    ['a moment before its day is over', dayMs - 1, 'acknowledged'],
    ['when its day is over', dayMs, 'expired'],
    ['a year later', 365 * dayMs, 'expired'],
  ])('%s', async (_says, afterMs, state) => {
    const deps = await rig()
    const token = tokenOf(deps)
    deps.clock.advance(afterMs)
    expect(await acknowledgeByLink(partsOf(deps), token)).toBe(state)
    expect(await deps.history()).toHaveLength(state === 'acknowledged' ? 1 : 0)
  })

  test.each<[string, object]>([
    ['an incident that is gone', { incidentId: 99 }],
    ['an organization that is gone', { organizationId: 99 }],
  ])('%s', async (_says, change) => {
    const deps = await rig()
    expect(await acknowledgeByLink(partsOf(deps), tokenOf(deps, change))).toBe('invalid')
    expect(await deps.history()).toEqual([])
  })

  test('an incident of another organization than the link says', async () => {
    const deps = await rig()
    await deps.meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'bob' })
    expect(await acknowledgeByLink(partsOf(deps), tokenOf(deps, { organizationId: 2 }))).toBe('invalid')
    expect((await deps.read()).state).toBe('warning')
  })

  test.each([
    ['nothing', ''],
    ['no seal', 'x'],
    ['a long text', 'x'.repeat(100_000)],
  ])('%s is invalid', async (_says, token) => {
    const deps = await rig()
    expect(await acknowledgeByLink(partsOf(deps), token)).toBe('invalid')
  })

  test.each([
    ['of another purpose', ['unsubscribe', 1, 1, 7, 9e15]],
    ['with too few numbers', ['acknowledge', 1, 1, 9e15]],
    ['with too many numbers', ['acknowledge', 1, 1, 7, 9e15, 1]],
    ['with a text as the incident', ['acknowledge', 1, '1', 7, 9e15]],
    ['with a fraction', ['acknowledge', 1, 1.5, 7, 9e15]],
    ['with a number that is not exact', ['acknowledge', 1, 1, 7, 2 ** 60]],
    ['that is an object', { purpose: 'acknowledge' }],
    ['that is null', null],
  ])('a sealed text %s is invalid', async (_says, value) => {
    const deps = await rig()
    expect(await acknowledgeByLink(partsOf(deps), deps.seal.seal(JSON.stringify(value)))).toBe('invalid')
    expect(await deps.history()).toEqual([])
  })

  test('an incident that has ended stays ended', async () => {
    const deps = await rig(ended)
    expect(await acknowledgeByLink(partsOf(deps), tokenOf(deps))).toBe('ended')
  })

  test('the end between the look and the change is no error; a failure of the store is one', async () => {
    const deps = await rig()
    const failing = (error: Error) => ({
      ...partsOf(deps),
      meta: { ...deps.meta, incidents: { ...deps.meta.incidents, changeIncident: () => Promise.reject(error) } },
    })
    expect(await acknowledgeByLink(failing(new MishapError('CONFLICT')), tokenOf(deps))).toBe('ended')
    const down = new MishapError('STORE_UNAVAILABLE')
    await expect(acknowledgeByLink(failing(down), tokenOf(deps))).rejects.toBe(down)
    await expect(acknowledgeByLink(failing(new Error('disk full')), tokenOf(deps))).rejects.toThrow('disk full')
  })
})

describe('snoozing', () => {
  test.each([
    ['the past', -1, 'VALIDATION'],
    ['now', 0, 'VALIDATION'],
    ['a moment', 1, 'done'],
    ['30 days', 30 * dayMs, 'done'],
    ['more than 30 days', 30 * dayMs + 1, 'VALIDATION'],
    ['no time', Number.NaN, 'done'],
  ])('until %s', async (says, afterMs, code) => {
    const deps = await rig()
    const untilMs = says === 'no time' ? null : deps.nowMs + afterMs
    const incident = await deps.read()
    const [found, fields] = await endOf(() => snoozeIncident(deps, incident, untilMs, 'ann'))
    expect([found, fields]).toEqual([code, code === 'done' ? [] : ['snoozedUntil']])
    expect((await deps.read()).snoozedUntilMs).toBe(code === 'done' ? untilMs : null)
    // The outbox must look again: messages are held back now, or no longer.
    expect(deps.kicked).toHaveLength(code === 'done' ? 1 : 0)
    const until = untilMs === null ? null : new Date(untilMs).toISOString()
    expect(await deps.history()).toEqual(code === 'done' ? [{ kind: 'snoozed', userId: 'ann', data: { until } }] : [])
  })

  test('keeps the state, the level and the on-call order', async () => {
    const escalation = { step: 1, dueMs: 5 }
    const deps = await rig({ state: 'critical', level: 'critical', peak: 'critical', escalation })
    const changed = await snoozeIncident(deps, await deps.read(), deps.nowMs + 1000, 'ann')
    expect(changed).toMatchObject({ state: 'critical', level: 'critical', escalation, endedMs: null })
  })

  test('an incident that has ended is a conflict, and nothing starts', async () => {
    const deps = await rig(ended)
    const incident = await deps.read()
    expect(await endOf(() => snoozeIncident(deps, incident, null, 'ann'))).toEqual(['CONFLICT', []])
    expect(deps.kicked).toEqual([])
  })
})

describe('resolving', () => {
  test('ends the incident and its open members, and starts the outbox', async () => {
    const members = [aMember(), aMember({ issueId: 3 }), aMember({ issueId: 4, endedMs: 5 })]
    const deps = await rig({ escalation: { step: 0, dueMs: 5 } }, members)
    deps.clock.advance(1000)
    const changed = await resolveIncident(deps, await deps.read(), 'ann')
    const endedMs = deps.nowMs + 1000
    expect(changed).toMatchObject({ state: 'resolved', endedMs, changedMs: endedMs, escalation: null })
    const found = await deps.meta.incidents.incidentMembersOf(1, 10)
    expect([found.open, found.total]).toEqual([0, 3])
    // A member that had ended before keeps its own end.
    expect(found.members.map((member) => [member.issueId, member.endedMs]).sort()).toEqual([
      [0, endedMs],
      [3, endedMs],
      [4, 5],
    ])
    expect(await deps.history()).toEqual([{ kind: 'resolved', userId: 'ann', data: {} }])
    expect(deps.kicked).toHaveLength(1)
  })

  test('twice is a conflict, and the first end counts', async () => {
    const deps = await rig()
    const before = await deps.read()
    await resolveIncident(deps, before, 'ann')
    deps.clock.advance(5000)
    expect(await endOf(() => resolveIncident(deps, before, 'bob'))).toEqual(['CONFLICT', []])
    expect((await deps.read()).endedMs).toBe(deps.nowMs)
    expect(deps.kicked).toHaveLength(1)
  })

  test('an acknowledged incident keeps who worked on it', async () => {
    const deps = await rig()
    const acknowledged = await acknowledgeIncident(deps, await deps.read(), 'ann')
    expect(await resolveIncident(deps, acknowledged, 'bob')).toMatchObject({ acknowledgedBy: 'ann', state: 'resolved' })
  })
})

describe('muting', () => {
  const body = (change: Partial<NewMuteBody>): NewMuteBody => ({
    kind: 'organization',
    target: null,
    name: 'Move',
    end: null,
    ...change,
  })

  test.each<[string, Partial<NewMuteBody>, [string, string[]]]>([
    ['the organization', {}, ['done', []]],
    ['a project', { kind: 'project', target: '1' }, ['done', []]],
    ['a project of another organization', { kind: 'project', target: '2' }, ['VALIDATION', ['target']]],
    ['a project that is gone', { kind: 'project', target: '99' }, ['VALIDATION', ['target']]],
    ['a project without a name', { kind: 'project' }, ['VALIDATION', ['target']]],
    ['the project 0', { kind: 'project', target: '0' }, ['VALIDATION', ['target']]],
    ['an issue that is gone', { kind: 'issue', target: '99' }, ['VALIDATION', ['target']]],
    ['a rule that is gone', { kind: 'rule', target: '99' }, ['VALIDATION', ['target']]],
    ['until the past', { end: 1 }, ['VALIDATION', ['end']]],
    ['a window that ends before it starts', { start: 9e12, end: 8e12 }, ['VALIDATION', ['end']]],
    ['a window of no length', { start: 9e12, end: 9e12 }, ['VALIDATION', ['end']]],
    ['a window', { start: 8e12, end: 9e12 }, ['done', []]],
  ])('%s', async (_says, change, expected) => {
    const deps = await rig()
    const other = await deps.meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'bob' })
    await deps.meta.projects.createProject({ organizationId: other.id, slug: 'api', name: 'Api', platform: 'node' })
    expect(await endOf(() => createMute(deps, 1, body(change), 'ann'))).toEqual(expected)
    expect(await deps.meta.incidents.listMutes(1)).toHaveLength(expected[0] === 'done' ? 1 : 0)
  })

  test('until now is no mute; a target of the whole organization is not kept', async () => {
    const deps = await rig()
    expect(await endOf(() => createMute(deps, 1, body({ end: deps.nowMs }), 'ann'))).toEqual(['VALIDATION', ['end']])
    const over = body({ start: deps.nowMs - 1000, end: deps.nowMs })
    expect(await endOf(() => createMute(deps, 1, over, 'ann'))).toEqual(['VALIDATION', ['end']])
    const mute = await createMute(deps, 1, body({ target: '7', end: deps.nowMs + 1 }), 'ann')
    expect(mute).toMatchObject({ targetId: 0, fromMs: deps.nowMs, toMs: deps.nowMs + 1, userId: 'ann' })
  })

  test('the 201st mute is a conflict; ended ones do not count', async () => {
    const deps = await rig()
    for (let at = 0; at < 200; at++) await createMute(deps, 1, body({ name: `Mute ${at}` }), 'ann')
    expect(await endOf(() => createMute(deps, 1, body({}), 'ann'))).toEqual(['CONFLICT', []])
    await endMute(deps, 1)
    expect(await endOf(() => createMute(deps, 1, body({}), 'ann'))).toEqual(['done', []])
  })

  test('ends now, once; one that has not started is deleted', async () => {
    const deps = await rig()
    const running = await createMute(deps, 1, body({}), 'ann')
    const planned = await createMute(deps, 1, body({ start: deps.nowMs + 1000, end: deps.nowMs + 2000 }), 'ann')
    deps.clock.advance(500)
    for (const { id } of [running, planned, running]) {
      await endMute(deps, id)
      deps.clock.advance(100)
    }
    expect(await deps.meta.incidents.muteById(planned.id)).toBeUndefined()
    expect(await deps.meta.incidents.muteById(running.id)).toMatchObject({ toMs: deps.nowMs + 500 })
    expect(await deps.meta.incidents.mutesAt([1], deps.nowMs + 499)).toHaveLength(1)
    expect(await deps.meta.incidents.mutesAt([1], deps.nowMs + 500)).toEqual([])
  })
})
