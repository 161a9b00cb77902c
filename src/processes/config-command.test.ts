import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { planLines, readConfigFolder, writeConfigFolder } from './config-command.ts'

const state = { folder: '' }
beforeEach(() => {
  state.folder = mkdtempSync(join(tmpdir(), 'mishap-config-'))
})
afterEach(() => rmSync(state.folder, { recursive: true }))

test('an export replaces the files of an earlier one, and no others', () => {
  const { folder } = state
  writeFileSync(join(folder, 'README.md'), 'mine')
  mkdirSync(join(folder, 'scripts'))
  writeFileSync(join(folder, 'scripts/x.yaml'), 'a: 1')
  expect(writeConfigFolder(folder, { 'projects/web.yaml': 'project: web\n', 'views.yaml': 'views: []\n' })).toBe(2)
  writeConfigFolder(folder, { 'projects/api.yaml': 'project: api\n' })
  expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()).toEqual([
    'README.md',
    'projects',
    'projects/api.yaml',
    'scripts',
    'scripts/x.yaml',
  ])
  expect(readConfigFolder(folder)).toEqual({ 'projects/api.yaml': 'project: api\n', 'scripts/x.yaml': 'a: 1' })
})

test.each(['../out.yaml', 'projects/../../out.yaml', '/etc/out.yaml'])(
  'a path outside is refused, and nothing is written or removed: %s',
  (name) => {
    writeConfigFolder(state.folder, { 'views.yaml': 'views: []\n' })
    const files = { 'projects/web.yaml': 'project: web\n', [name]: 'x' }
    expect(() => writeConfigFolder(state.folder, files)).toThrow(/no file of a configuration/)
    expect(readConfigFolder(state.folder)).toEqual({ 'views.yaml': 'views: []\n' })
  },
)

test('an export without a file makes an empty folder', () => {
  const folder = join(state.folder, 'new')
  expect([writeConfigFolder(folder, {}), readdirSync(folder)]).toEqual([0, []])
})

test('a folder without files, and one that is not there', () => {
  expect(() => readConfigFolder(state.folder)).toThrow(/no YAML files/)
  expect(() => readConfigFolder(join(state.folder, 'gone'))).toThrow(/no folder/)
})

test('a plan says what changes, what drifted and what is in no file', () => {
  const change = {
    key: 'project web',
    kind: 'project' as const,
    file: 'projects/web.yaml',
    drift: true,
    diff: ['- a', '+ b'],
  }
  const plan = {
    changes: [{ action: 'change' as const, ...change }],
    unmanaged: ['dashboard X'],
    notes: ['alert X names a channel that is gone.'],
  }
  expect(planLines(plan, false)).toEqual([
    '~ project web (projects/web.yaml) — drift: changed in Mishap since the last apply',
    '    - a',
    '    + b',
    '! alert X names a channel that is gone.',
    '? dashboard X: in no file. mishap apply --prune deletes it.',
    'Plan: 0 created, 1 changed, 0 deleted; 1 drifted.',
  ])
  expect(planLines({ changes: [], unmanaged: [], notes: [] }, true)).toEqual([
    'No changes. Mishap is what the files say.',
  ])
})
