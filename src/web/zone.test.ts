import { expect, test } from 'vitest'
import { isZone, zoneName, zoneOf } from './zone.ts'

test.each([
  ['Europe/Berlin', true],
  ['America/Argentina/Buenos_Aires', true],
  ['UTC', true],
  ['Etc/GMT+3', true],
  ['', false],
  ['Mars/Base', false],
  ['Europe/Berlin; path=/', false],
  ['../etc/passwd', false],
  [`A${'b'.repeat(64)}`, false],
])('%s is a zone: %s', (name, expected) => expect(isZone(name)).toBe(expected))

test.each([
  [undefined, 'Europe/Berlin', 'Europe/Berlin'],
  ['local', 'Europe/Berlin', 'Europe/Berlin'],
  ['utc', 'Europe/Berlin', 'UTC'],
  [undefined, undefined, 'UTC'],
  [undefined, 'Mars/Base', 'UTC'],
])('choice %s and browser %s give %s', (times, zone, expected) => expect(zoneOf(times, zone)).toBe(expected))

test.each([
  ['Europe/Berlin', 'Berlin'],
  ['America/New_York', 'New York'],
  ['UTC', 'UTC'],
])('%s is called %s', (zone, name) => expect(zoneName(zone)).toBe(name))
