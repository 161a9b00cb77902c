import { describe, expect, test } from 'vitest'
import type { AlertAction } from '../contract/alerts/alerts.ts'
import { defaultSettings, type PersonalKind } from '../domain/alerts/personal.ts'
import { atPlace, browserOf, kindFor, personReceiver, pushRecipient } from './person-receivers.ts'

const ann = { id: 'ann', name: 'Ann', email: 'ann@x.test' }
const noon = { hasMail: true, browsers: [4, 7], nowMs: Date.parse('2026-05-01T12:00:00Z') }
const night = { hasMail: true, browsers: [4, 7], nowMs: Date.parse('2026-05-01T23:00:00Z') }
const quiet = { ...defaultSettings, quietHours: { from: '22:00', to: '07:00' } }

test.each<[AlertAction[], PersonalKind]>([
  [[{ type: 'person', person: 'ann' }], 'alert'],
  [[{ type: 'person', person: 'bob' }, { type: 'assignee' }], 'assigned'],
  [[{ type: 'members' }, { type: 'authors' }], 'alert'],
  [[{ type: 'owners' }], 'assigned'],
  [[{ type: 'authors' }], 'release'],
  [[{ type: 'on_call', schedule: '1' }], 'on_call'],
  [[], 'on_call'],
])('%j reaches ann as %s', (actions, kind) => expect(kindFor(actions, 'ann')).toBe(kind))

describe('a person', () => {
  const receive = (
    settings: Parameters<typeof personReceiver>[1],
    kind: PersonalKind | undefined,
    at = noon,
    projectId: number | null = null,
  ) => personReceiver(ann, settings, { kind, projectId }, at)

  test('hears by mail at once, unless there is no mail server', () => {
    expect(receive(undefined, 'alert')).toEqual({
      key: 'person:ann',
      channelId: null,
      userId: 'ann',
      recipients: ['ann@x.test'],
      notBeforeMs: 0,
      personalKind: 'alert',
    })
    expect(receive(undefined, undefined)).not.toHaveProperty('personalKind')
    expect(receive(undefined, 'alert', { ...noon, hasMail: false }).recipients).toEqual([])
  })
  test('does not hear of kinds that they switched off, or of a silenced project', () => {
    const settings = {
      ...defaultSettings,
      kinds: { ...defaultSettings.kinds, alert: [] },
      projects: { 1: 'none' as const },
    }
    expect(receive(settings, 'alert').recipients).toEqual([])
    expect(receive(settings, 'assigned').recipients).toEqual(['ann@x.test'])
    expect(receive(settings, 'assigned', noon, 1).recipients).toEqual([])
    expect(receive(settings, 'on_call', noon, 1).recipients).toEqual(['ann@x.test'])
  })
  test('hears the end of an incident, whatever kind its start was', () => {
    const only = { ...defaultSettings.kinds, alert: [], release: [], on_call: [] }
    expect(receive({ ...defaultSettings, kinds: only }, undefined).recipients).toEqual(['ann@x.test'])
    expect(receive({ ...defaultSettings, kinds: { ...only, assigned: [] } }, undefined).recipients).toEqual([])
  })
  test('waits for the end of the quiet hours; on-call messages say that they may wake', () => {
    const end = Date.parse('2026-05-02T07:00:00Z')
    expect(receive(quiet, 'alert', night)).toMatchObject({ notBeforeMs: end })
    expect(receive(quiet, 'alert', night)).not.toHaveProperty('isOnCall')
    expect(receive(quiet, 'on_call', night)).toMatchObject({ notBeforeMs: end, isOnCall: true })
    expect(receive(quiet, 'alert', noon)).toMatchObject({ notBeforeMs: 0 })
  })
  test('hears in each browser when they chose push, at the places of the project if it has its own', () => {
    const kinds = { ...defaultSettings.kinds, alert: ['push' as const], assigned: ['email' as const, 'push' as const] }
    const settings = { ...defaultSettings, kinds, projects: { 1: { kinds: { assigned: ['push' as const] } } } }
    expect(receive(settings, 'alert').recipients).toEqual(['push:4', 'push:7'])
    expect(receive(settings, 'alert', { ...noon, browsers: [] }).recipients).toEqual([])
    expect(receive(settings, 'assigned').recipients).toEqual(['ann@x.test', 'push:4', 'push:7'])
    expect(receive(settings, 'assigned', noon, 1).recipients).toEqual(['push:4', 'push:7'])
    expect(receive(settings, 'alert', noon, 1).recipients).toEqual(['push:4', 'push:7'])
    expect(receive({ ...settings, quietHours: quiet.quietHours }, 'alert', night).notBeforeMs).toBeGreaterThan(0)
  })
  test('who is on call hears by mail when all browsers are gone, unless they want to hear nowhere', () => {
    const settings = { ...defaultSettings, kinds: { ...defaultSettings.kinds, on_call: ['push' as const] } }
    expect(receive(settings, 'on_call').recipients).toEqual(['push:4', 'push:7'])
    expect(receive(settings, 'on_call', { ...noon, browsers: [] }).recipients).toEqual(['ann@x.test'])
    const nowhere = { ...defaultSettings, kinds: { ...defaultSettings.kinds, on_call: [] } }
    expect(receive(nowhere, 'on_call', { ...noon, browsers: [] }).recipients).toEqual([])
  })
  test('is split by place', () => {
    const settings = {
      ...defaultSettings,
      kinds: { ...defaultSettings.kinds, alert: ['email' as const, 'push' as const] },
    }
    const both = receive(settings, 'alert')
    expect(atPlace(both, 'email')).toMatchObject({ key: 'person:ann', place: 'email', recipients: ['ann@x.test'] })
    expect(atPlace(both, 'push').recipients).toEqual(['push:4', 'push:7'])
    expect([browserOf(pushRecipient(7)), browserOf('push@x.test'), browserOf('')]).toEqual([7, undefined, undefined])
  })
})
