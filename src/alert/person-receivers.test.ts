import { describe, expect, test } from 'vitest'
import type { AlertAction } from '../contract/alerts.ts'
import { defaultSettings, type PersonalKind } from '../domain/personal.ts'
import { kindFor, personReceiver } from './person-receivers.ts'

const ann = { id: 'ann', name: 'Ann', email: 'ann@x.test' }
const noon = { hasMail: true, nowMs: Date.parse('2026-05-01T12:00:00Z') }
const night = { hasMail: true, nowMs: Date.parse('2026-05-01T23:00:00Z') }
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
    })
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
})
