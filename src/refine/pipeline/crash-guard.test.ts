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

const none: CrashCount = { from: 10, to: 20, tries: 0 }

test('what was counted of a batch is known after a restart, until it is committed', () => {
  const trial = { from: 10, to: 20, tries: 3, at: 12, atTries: 2 }
  expect(readCrashCount(folder, 10, 20)).toEqual(none)
  writeCrashCount(folder, { ...trial, tries: 2 })
  writeCrashCount(folder, trial)
  expect(readCrashCount(folder, 10, 20)).toEqual(trial)
  expect(readdirSync(folder)).toEqual(['recovery'])
  expect(statSync(join(folder, 'recovery')).mode & 0o777).toBe(0o600)
  endCrashCount(folder)
  expect(readCrashCount(folder, 10, 20)).toEqual(none)
  endCrashCount(folder)
})

test.each([
  ['that begins elsewhere', 11, 20],
  ['that ends elsewhere', 10, 21],
])('a batch %s begins with no try', (_name, from, to) => {
  writeCrashCount(folder, { from: 10, to: 20, tries: 3 })
  expect(readCrashCount(folder, from, to)).toEqual({ from, to, tries: 0 })
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
  expect(readCrashCount(folder, 10, 20)).toEqual(none)
})
