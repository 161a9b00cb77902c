import { describe, expect, test } from 'vitest'
import type { NewOnCallScheduleBody, OnCallScheduleChangeBody } from '../contract/alerts/incidents.ts'
import { shiftsBetween } from '../domain/alerts/on-call.ts'
import { defaultSettings } from '../domain/alerts/personal.ts'
import {
  createOnCallOverride,
  createOnCallSchedule,
  deleteOnCallOverride,
  deleteOnCallSchedule,
  replaceOnCallOverride,
  updateOnCallSchedule,
} from './on-call.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()
const dayMs = 86_400_000

const body = (change: Partial<NewOnCallScheduleBody> = {}): NewOnCallScheduleBody => ({
  name: 'Nights',
  timeZone: 'Europe/Berlin',
  handOverDay: 1,
  handOverTime: '09:00',
  startDate: '2026-03-02',
  members: ['ann'],
  ...change,
})

/** A store with a schedule of Ann and Bob. */
async function rig() {
  const deps = await fresh()
  await deps.meta.organizations.setMember(1, 'bob', 'member')
  const schedule = await createOnCallSchedule(deps, 1, body({ members: ['ann', 'bob'] }))
  return { ...deps, schedule, nowMs: deps.clock.now() }
}

describe('a new schedule', () => {
  test.each<[string, Partial<NewOnCallScheduleBody>, [string, string[]]]>([
    ['of nobody', { members: [] }, ['done', []]],
    ['of a member', {}, ['done', []]],
    ['of a stranger', { members: ['eve'] }, ['VALIDATION', ['members']]],
    ['of a member and a stranger', { members: ['ann', 'eve'] }, ['VALIDATION', ['members']]],
    ['of nobody with a name', { members: [''] }, ['VALIDATION', ['members']]],
    ['in an unknown zone', { timeZone: 'Mars/Olympus' }, ['VALIDATION', ['timeZone']]],
    ['in an offset', { timeZone: '+02:00' }, ['VALIDATION', ['timeZone']]],
    ['in no zone', { timeZone: '' }, ['VALIDATION', ['timeZone']]],
    ['with two mistakes', { timeZone: 'x', members: ['eve'] }, ['VALIDATION', ['members', 'timeZone']]],
    ['without a name', { name: ' ' }, ['VALIDATION', ['name']]],
  ])('%s', async (_says, change, expected) => {
    const deps = await fresh()
    expect(await endOf(() => createOnCallSchedule(deps, 1, body(change)))).toEqual(expected)
    expect(await deps.meta.incidents.listSchedules(1)).toHaveLength(expected[0] === 'done' ? 1 : 0)
  })

  test('starts today, if it does not say when', async () => {
    const deps = await fresh()
    const { startDate: _given, ...others } = body()
    const today = new Date(deps.clock.now()).toISOString().slice(0, 10)
    expect(await createOnCallSchedule(deps, 1, others)).toMatchObject({ startDate: today, rev: 0 })
    expect(await createOnCallSchedule(deps, 1, body())).toMatchObject({ startDate: '2026-03-02' })
  })

  test('the 51st of an organization is a conflict, another organization has its own', async () => {
    const deps = await fresh()
    for (let at = 0; at < 50; at++) await createOnCallSchedule(deps, 1, body({ name: `Schedule ${at}` }))
    expect(await endOf(() => createOnCallSchedule(deps, 1, body()))).toEqual(['CONFLICT', []])
    const other = await deps.meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
    expect(await endOf(() => createOnCallSchedule(deps, other.id, body()))).toEqual(['done', []])
    await deleteOnCallSchedule(deps, 1)
    expect(await endOf(() => createOnCallSchedule(deps, 1, body()))).toEqual(['done', []])
  })
})

describe('a change', () => {
  test.each<[string, OnCallScheduleChangeBody, [string, string[]]]>([
    ['of the name', { name: 'Days' }, ['done', []]],
    ['of the members', { members: ['bob', 'ann'] }, ['done', []]],
    ['with the right revision', { name: 'Days', revision: 0 }, ['done', []]],
    ['with an outdated revision', { name: 'Days', revision: 7 }, ['CONFLICT', []]],
    ['to a stranger', { members: ['ann', 'eve'] }, ['VALIDATION', ['members']]],
    ['to an unknown zone', { timeZone: 'Europe/Nowhere' }, ['VALIDATION', ['timeZone']]],
    ['to no name', { name: ' ' }, ['VALIDATION', ['name']]],
  ])('%s', async (_says, change, expected) => {
    const deps = await rig()
    const before = deps.schedule
    expect(await endOf(() => updateOnCallSchedule(deps, before, change, 'bob'))).toEqual(expected)
    const { revision: _revision, ...fields } = change
    const changed = { ...before, ...fields, rev: 1, changedMs: deps.nowMs, changedBy: 'bob' }
    expect(await deps.meta.incidents.scheduleById(before.id)).toEqual(expected[0] === 'done' ? changed : before)
  })

  test('fields that are undefined stay', async () => {
    const deps = await rig()
    const change = { name: 'Days', timeZone: undefined, members: undefined, startDate: undefined }
    expect(await updateOnCallSchedule(deps, deps.schedule, change, 'ann')).toMatchObject({
      name: 'Days',
      timeZone: 'Europe/Berlin',
      members: ['ann', 'bob'],
      startDate: '2026-03-02',
    })
  })

  test('a member who has left may stay in the rota, but not in a new one', async () => {
    const deps = await rig()
    await deps.meta.organizations.removeMember(1, 'bob')
    expect(await endOf(() => updateOnCallSchedule(deps, deps.schedule, { name: 'Days' }, 'ann'))).toEqual(['done', []])
    const change = { members: ['ann', 'bob'] }
    expect(await endOf(() => updateOnCallSchedule(deps, deps.schedule, change, 'ann'))).toEqual([
      'VALIDATION',
      ['members'],
    ])
  })

  test.each<[string, string[], [string, string[]]]>([
    ['in its place', ['ann', ''], ['done', []]],
    ['at another place', ['', 'ann', 'cem'], ['done', []]],
    ['taken out', ['ann'], ['done', []]],
    ['given to somebody', ['ann', 'cem'], ['done', []]],
    ['twice', ['ann', '', ''], ['VALIDATION', ['members']]],
    ['beside a stranger', ['ann', '', 'eve'], ['VALIDATION', ['members']]],
  ])('a turn of somebody who has left, %s', async (_says, members, expected) => {
    const deps = await rig()
    await deps.meta.organizations.setMember(1, 'cem', 'member')
    await deps.meta.organizations.endMembership(1, 'bob')
    const schedule = (await deps.meta.incidents.scheduleById(deps.schedule.id)) ?? deps.schedule
    expect(await endOf(() => updateOnCallSchedule(deps, schedule, { members }, 'ann'))).toEqual(expected)
    const stored = await deps.meta.incidents.scheduleById(schedule.id)
    expect(stored?.members).toEqual(expected[0] === 'done' ? members : ['ann', ''])
  })

  test('of a schedule that is gone is not found', async () => {
    const deps = await rig()
    await deleteOnCallSchedule(deps, deps.schedule.id)
    expect(await endOf(() => updateOnCallSchedule(deps, deps.schedule, { name: 'x' }, 'ann'))).toEqual([
      'NOT_FOUND',
      [],
    ])
  })
})

describe('an override', () => {
  test.each<[string, string, number, number, [string, string[]]]>([
    ['of a member', 'bob', 0, dayMs, ['done', []]],
    ['that began before', 'bob', -dayMs, 1, ['done', []]],
    ['of 90 days', 'bob', 0, 90 * dayMs, ['done', []]],
    ['of more than 90 days', 'bob', 0, 90 * dayMs + 1, ['VALIDATION', ['end']]],
    ['of no length', 'bob', dayMs, dayMs, ['VALIDATION', ['end']]],
    ['that ends before it starts', 'bob', 2 * dayMs, dayMs, ['VALIDATION', ['end']]],
    ['that is over', 'bob', -dayMs, 0, ['VALIDATION', ['end']]],
    ['of a stranger', 'eve', 0, dayMs, ['VALIDATION', ['person']]],
    ['of a stranger without an end', 'eve', 0, 0, ['VALIDATION', ['end', 'person']]],
  ])('%s', async (_says, person, fromMs, toMs, expected) => {
    const deps = await rig()
    const { schedule, nowMs } = deps
    const value = { person, start: nowMs + fromMs, end: nowMs + toMs }
    expect(await endOf(() => createOnCallOverride(deps, schedule, value, 'ann'))).toEqual(expected)
    const row = { scheduleId: schedule.id, userId: person, fromMs: value.start, toMs: value.end, createdBy: 'ann' }
    expect(await deps.meta.incidents.overridesOf([schedule.id], 0)).toMatchObject(expected[0] === 'done' ? [row] : [])
  })

  test('the 201st is a conflict until one is deleted or over; one that is over is not listed', async () => {
    const deps = await rig()
    const { schedule, nowMs } = deps
    const value = { person: 'bob', start: nowMs, end: nowMs + 1000 }
    for (let at = 0; at < 200; at++) await createOnCallOverride(deps, schedule, value, 'ann')
    expect(await endOf(() => createOnCallOverride(deps, schedule, value, 'ann'))).toEqual(['CONFLICT', []])
    await deleteOnCallOverride(deps, 1)
    expect(await endOf(() => createOnCallOverride(deps, schedule, value, 'ann'))).toEqual(['done', []])
    deps.clock.advance(1000)
    const later = { ...value, end: nowMs + dayMs }
    expect(await endOf(() => createOnCallOverride(deps, schedule, later, 'ann'))).toEqual(['done', []])
    expect(await deps.meta.incidents.overridesOf([schedule.id], deps.clock.now())).toHaveLength(1)
  })

  test('that is changed is checked like a new one, and an outdated change is a conflict', async () => {
    const deps = await rig()
    const { schedule, nowMs } = deps
    const value = { person: 'bob', start: nowMs, end: nowMs + dayMs }
    const first = await createOnCallOverride(deps, schedule, value, 'ann')
    const change = (change: Partial<typeof value>) =>
      endOf(() => replaceOnCallOverride(deps, schedule, first, { ...value, ...change }, 'bob'))
    expect(await change({ person: 'eve', end: nowMs })).toEqual(['VALIDATION', ['end', 'person']])
    expect(await change({ person: 'ann' })).toEqual(['done', []])
    const [stored] = await deps.meta.incidents.overridesOf([schedule.id], 0)
    expect(stored).toMatchObject({ userId: 'ann', toMs: value.end, createdBy: 'bob' })
    expect(await change({ end: nowMs + 2 * dayMs })).toEqual(['CONFLICT', []])
    expect(await deps.meta.incidents.overridesOf([schedule.id], 0)).toEqual([stored])
  })

  test('of several at once, the one that was added last counts, whichever begins later', async () => {
    const deps = await rig()
    const { schedule, nowMs } = deps
    await createOnCallOverride(deps, schedule, { person: 'ann', start: nowMs, end: nowMs + dayMs }, 'ann')
    await createOnCallOverride(deps, schedule, { person: 'bob', start: nowMs - dayMs, end: nowMs + dayMs }, 'ann')
    const overrides = await deps.meta.incidents.overridesOf([schedule.id], 0)
    expect(shiftsBetween(schedule, overrides, nowMs, nowMs + dayMs).map(({ userId }) => userId)).toEqual(['bob'])
  })

  test('goes with its schedule', async () => {
    const deps = await rig()
    const value = { person: 'bob', start: deps.nowMs, end: deps.nowMs + dayMs }
    const { id } = await createOnCallOverride(deps, deps.schedule, value, 'ann')
    await deleteOnCallSchedule(deps, deps.schedule.id)
    expect(await deps.meta.incidents.overrideById(id)).toBeUndefined()
  })
})

describe('a member who leaves', () => {
  test('leaves holes: nobody is on call in their turns, and the turns of the others stay', async () => {
    const { meta, schedule, nowMs } = await rig()
    const deps = { meta, clock: { now: () => nowMs } }
    await createOnCallOverride(deps, schedule, { person: 'bob', start: nowMs, end: nowMs + dayMs }, 'ann')
    const before = shiftsBetween(schedule, [], nowMs, nowMs + 28 * dayMs)
    await meta.organizations.endMembership(1, 'bob')
    const after = await meta.incidents.scheduleById(schedule.id)
    expect([after?.members, after?.rev]).toEqual([['ann', ''], 1])
    expect(await meta.incidents.overridesOf([schedule.id], 0)).toEqual([])
    const shifts = after ? shiftsBetween(after, [], nowMs, nowMs + 28 * dayMs) : []
    expect(shifts).toEqual(before.map((shift) => ({ ...shift, userId: shift.userId === 'bob' ? '' : shift.userId })))
    // An outdated edit would bring them back.
    const stale = updateOnCallSchedule(deps, schedule, { members: ['ann'], revision: 0 }, 'ann')
    await expect(stale).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  test('takes their settings and mails along, and their browsers with the last organization', async () => {
    const { meta } = await rig()
    const other = await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
    await meta.organizations.setMember(other.id, 'bob', 'member')
    const wishes = { ...defaultSettings, report: true }
    for (const id of [1, other.id]) await meta.personal.setPersonalSettings(id, 'bob', wishes)
    await meta.pushBrowsers.addBrowser({ userId: 'bob', endpointHash: 'h', sealed: 's', browser: 'b', createdMs: 1 })
    await meta.organizations.endMembership(1, 'bob')
    expect((await meta.personal.personalSettingsOf(1, 'bob')).rev).toBe(0)
    expect((await meta.personal.personalSettingsOf(other.id, 'bob')).rev).toBe(1)
    const mails = await meta.personal.personalMailsDue(Number.MAX_SAFE_INTEGER, 9)
    expect(mails.map(({ organizationId, userId }) => [organizationId, userId])).toEqual([[other.id, 'bob']])
    expect(await meta.pushBrowsers.browsersOf(['bob'])).toHaveLength(1)
    await meta.organizations.endMembership(other.id, 'bob')
    expect(await meta.pushBrowsers.browsersOf(['bob'])).toEqual([])
  })
})
