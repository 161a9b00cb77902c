import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CrashCount, endCrashCount, readCrashCount, writeCrashCount } from './crash-guard.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mishap-guard-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const batch = { from: 10, to: 20, lane: 'events' } as const
const none: CrashCount = { ...batch, tries: 0 }

test('what was counted of a batch is known after a restart, until it is committed', () => {
  const trial = { ...batch, tries: 3, at: 12, atTries: 2 }
  expect(readCrashCount(folder, batch)).toEqual(none)
  writeCrashCount(folder, { ...trial, tries: 2 })
  writeCrashCount(folder, trial)
  expect(readCrashCount(folder, batch)).toEqual(trial)
  expect(readdirSync(folder)).toEqual(['recovery'])
  expect(statSync(join(folder, 'recovery')).mode & 0o777).toBe(0o600)
  endCrashCount(folder, batch)
  expect(readCrashCount(folder, batch)).toEqual(none)
  endCrashCount(folder, batch)
})

test.each([
  ['that begins elsewhere', { ...batch, from: 11 }],
  ['that ends elsewhere', { ...batch, to: 21 }],
  ['of the other lane', { ...batch, lane: 'bulk' as const }],
])('a batch %s begins with no try, and both are counted', (_name, other) => {
  writeCrashCount(folder, { ...batch, tries: 3 })
  expect(readCrashCount(folder, other)).toEqual({ ...other, tries: 0 })
  writeCrashCount(folder, { ...other, tries: 1 })
  expect(readCrashCount(folder, batch).tries).toBe(3)
  endCrashCount(folder, batch)
  expect([readCrashCount(folder, batch).tries, readCrashCount(folder, other).tries]).toEqual([0, 1])
})

test('the count of a version without lanes is one of lane events', () => {
  writeFileSync(join(folder, 'recovery'), '{"from":10,"to":20,"tries":2}')
  expect(readCrashCount(folder, batch)).toEqual({ ...batch, tries: 2 })
})

test.each([
  '',
  '{',
  'null',
  '[]',
  '{"from":10,"to":20}',
  '{"from":10,"to":20,"tries":"3"}',
  '{"from":10,"to":20,"tries":1.5}',
])('a file of %j counts as none', (text) => {
  writeFileSync(join(folder, 'recovery'), text)
  expect(readCrashCount(folder, batch)).toEqual(none)
})
