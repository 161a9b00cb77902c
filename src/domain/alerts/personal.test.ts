import { describe, expect, test } from 'vitest'
import {
  defaultSettings,
  nextSummaryMs,
  type PersonalKind,
  type PersonalSettings,
  paceOf,
  quietUntil,
  reachOf,
  withoutMail,
} from './personal.ts'

const at = (text: string) => Date.parse(text)
const iso = (ms: number) => new Date(ms).toISOString()
const night = { quietHours: { from: '22:00', to: '07:30' }, timeZone: 'Europe/Berlin' }

describe('quiet hours', () => {
  test.each([
    ['2026-01-15T20:59:00Z', null, 'before them'],
    ['2026-01-15T21:00:00Z', '2026-01-16T06:30:00.000Z', 'at their start'],
    ['2026-01-16T05:00:00Z', '2026-01-16T06:30:00.000Z', 'after midnight'],
    ['2026-01-16T06:30:00Z', null, 'at their end'],
    ['2026-03-28T22:00:00Z', '2026-03-29T05:30:00.000Z', 'the night in which the clock goes forward'],
    ['2026-10-24T21:00:00Z', '2026-10-25T06:30:00.000Z', 'the night in which it goes back'],
  ])('at %s they end at %s: %s', (now, end, _when) => expect(iso(quietUntil(night, at(now)))).toBe(end ?? iso(at(now))))

  test.each([
    ['within one day', { quietHours: { from: '12:00', to: '13:00' }, timeZone: 'UTC' }, '2026-05-01T13:00:00.000Z'],
    ['of no length', { quietHours: { from: '12:00', to: '12:00' }, timeZone: 'UTC' }, '2026-05-01T12:30:00.000Z'],
    ['without any', { quietHours: null, timeZone: 'UTC' }, '2026-05-01T12:30:00.000Z'],
    [
      'in an unknown zone',
      { quietHours: { from: '00:00', to: '23:59' }, timeZone: 'Mars/X' },
      '2026-05-01T12:30:00.000Z',
    ],
  ])('%s', (_name, settings, end) => expect(iso(quietUntil(settings, at('2026-05-01T12:30:00Z')))).toBe(end))

  test('of an hour that the clock shows twice never end in the past', () => {
    const twice = { quietHours: { from: '01:00', to: '02:30' }, timeZone: 'Europe/Berlin' }
    const now = at('2026-10-25T01:10:00Z')
    expect(quietUntil(twice, now)).toBe(now)
  })
})

describe('where a message reaches a person', () => {
  const settings: PersonalSettings = { ...defaultSettings, ...night, projects: { 1: 'mine', 2: 'none' } }
  test.each<[PersonalKind, number | null, boolean]>([
    ['assigned', null, true],
    ['release', null, true],
    ['assigned', 1, true],
    ['mention', 1, true],
    ['followed', 1, false],
    ['release', 1, false],
    ['alert', 1, false],
    ['mention', 2, false],
    ['alert', 2, false],
    ['on_call', 2, true],
    ['alert', 3, true],
  ])('%s in project %s: %s', (kind, projectId, reached) => {
    const reach = reachOf(settings, { kind, projectId, isCritical: false }, at('2026-05-01T12:00:00Z'))
    expect(reach).toEqual({ places: reached ? ['email'] : [], notBeforeMs: at('2026-05-01T12:00:00Z') })
  })
  test.each<[PersonalKind, boolean, string]>([
    ['on_call', true, '2026-05-01T22:00:00.000Z'],
    ['on_call', false, '2026-05-02T05:30:00.000Z'],
    ['alert', true, '2026-05-02T05:30:00.000Z'],
  ])('in quiet hours: %s, critical %s, from %s', (kind, isCritical, from) => {
    const reach = reachOf(settings, { kind, projectId: null, isCritical }, at('2026-05-01T22:00:00Z'))
    expect(iso(reach.notBeforeMs)).toBe(from)
  })
})

describe('the next mail that collects', () => {
  test.each<['daily' | 'weekly', string, string, string]>([
    ['daily', 'UTC', '2026-05-01T07:59:59Z', '2026-05-01T08:00:00.000Z'],
    ['daily', 'UTC', '2026-05-01T08:00:00Z', '2026-05-02T08:00:00.000Z'],
    ['daily', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T06:00:00.000Z'],
    ['daily', 'Pacific/Auckland', '2026-05-01T23:00:00Z', '2026-05-02T20:00:00.000Z'],
    ['weekly', 'UTC', '2026-05-01T12:00:00Z', '2026-05-04T08:00:00.000Z'],
    ['weekly', 'UTC', '2026-05-04T08:00:00Z', '2026-05-11T08:00:00.000Z'],
    ['weekly', 'Mars/X', '2026-05-04T07:00:00Z', '2026-05-04T08:00:00.000Z'],
  ])('%s in %s after %s: %s', (pace, zone, now, next) => expect(iso(nextSummaryMs(pace, zone, at(now)))).toBe(next))
})

test('places of a project count there only, and unsubscribing from mails keeps push messages', () => {
  const kinds = { ...defaultSettings.kinds, mention: ['email' as const, 'push' as const] }
  const settings = { ...defaultSettings, kinds, projects: { 1: { kinds: { alert: [], mention: ['email' as const] } } } }
  const placesIn = (kind: PersonalKind, projectId: number | null, from: PersonalSettings = settings) =>
    reachOf(from, { kind, projectId, isCritical: false }, 0).places
  expect([placesIn('mention', 1), placesIn('mention', 2), placesIn('mention', null)]).toEqual([
    ['email'],
    ['email', 'push'],
    ['email', 'push'],
  ])
  expect([placesIn('alert', 1), placesIn('alert', 2), placesIn('on_call', 1)]).toEqual([[], ['email'], ['email']])
  const without = withoutMail(settings, 'mention')
  expect([placesIn('mention', 1, without), placesIn('mention', 2, without)]).toEqual([[], ['push']])
  expect(without.projects).toEqual({ 1: { kinds: { alert: [], mention: [] } } })
})

test('unsubscribing ends one kind only', () => {
  const all: PersonalSettings = { ...defaultSettings, digest: 'daily', report: true }
  expect(withoutMail(all, 'mention')).toEqual({ ...all, kinds: { ...all.kinds, mention: [] } })
  expect(paceOf(withoutMail(all, 'digest'), 'digest')).toBeUndefined()
  expect(paceOf(withoutMail(all, 'digest'), 'report')).toBe('weekly')
  expect(paceOf(withoutMail(all, 'report'), 'report')).toBeUndefined()
  expect(paceOf(all, 'digest')).toBe('daily')
})
