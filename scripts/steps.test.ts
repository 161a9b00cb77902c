// What `npm start` prints while it installs and builds. npm, Next and the product are stand-ins that print a lot.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const warnings = `for (let n = 0; n < 60; n++) console.warn('Warning: a Node.js module is loaded, number ' + n)\n`
/** It writes its words into npm.log, one call a line. FAKE_STALE=1: its cache lacks a version. */
const fakeNpm = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs')
appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n')
if (process.env.FAKE_STALE && process.argv.includes('--prefer-offline')) process.exit(1)
mkdirSync('node_modules/next/dist/bin', { recursive: true })
writeFileSync('node_modules/next/dist/bin/next', process.env.FAKE_NEXT)
console.log('added 300 packages')
`
const fakeNext = `${warnings}
const { mkdirSync } = require('node:fs')
for (const name of ['static', 'standalone']) mkdirSync('src/web/.next/' + name, { recursive: true })
`

const slim = '--workspace=packaging/runtime --include-workspace-root'
/** The words of each call of npm in a clone. */
const npmCalls = (root: string) => readFileSync(join(root, 'npm.log'), 'utf8').trim().split('\n')

/** A clone with only the script that starts it. */
function cloned(): string {
  const root = mkdtempSync(join(tmpdir(), 'mishap-steps-'))
  folders.push(root)
  const files = {
    'package.json': '{}',
    'package-lock.json': '{}',
    'npm.js': fakeNpm,
    'src/processes/main.ts': `console.log('Mishap is running')`,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  mkdirSync(join(root, 'scripts'))
  cpSync(join(import.meta.dirname, 'bootstrap.mjs'), join(root, 'scripts/bootstrap.mjs'))
  return root
}

function start(root: string, env: Record<string, string> = {}, command = 'start') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/bootstrap.mjs'), command], {
    cwd: root,
    encoding: 'utf8',
    env: { NODE_ENV: 'test', PATH: process.env.PATH, npm_execpath: join(root, 'npm.js'), FAKE_NEXT: fakeNext, ...env },
  })
  return { status, out: stdout.trim(), lines: stderr.split('\n').filter(Boolean) }
}

describe('a clean clone', () => {
  test('prints one line for each step, with its time, and nothing once all is built', () => {
    const root = cloned()
    const first = start(root)
    expect([first.status, first.out]).toEqual([0, 'Mishap is running'])
    expect(first.lines).toEqual([
      expect.stringMatching(/^mishap: installing packages .*: \d+ s$/),
      expect.stringMatching(/^mishap: building the screens .*: \d+ s$/),
    ])
    expect(start(root)).toEqual({ status: 0, out: 'Mishap is running', lines: [] })
  })

  test('prints everything with MISHAP_VERBOSE=1', () => {
    const { lines } = start(cloned(), { MISHAP_VERBOSE: '1' })
    expect(lines.filter((line) => line.startsWith('Warning: '))).toHaveLength(60)
    expect(lines).toContain('added 300 packages')
  })

  test('prints the output of a step that fails, and ends', () => {
    const { status, out, lines } = start(cloned(), { FAKE_NEXT: `${warnings}process.exit(3)` })
    expect([status, out]).toEqual([1, ''])
    expect(lines.filter((line) => line.startsWith('Warning: '))).toHaveLength(60)
    expect(lines.at(-1)).toMatch(/^mishap: next build failed .*ended with 3/)
  })
})

describe('the packages that a command installs', () => {
  test('a start leaves out the test tools, and a command that needs them adds them once', () => {
    const root = cloned()
    start(root)
    start(root, {}, '--version')
    expect(npmCalls(root)).toEqual([expect.stringContaining(slim)])
    start(root, {}, 'format')
    start(root, {}, 'format')
    start(root)
    expect(npmCalls(root)).toEqual([expect.stringContaining(slim), expect.not.stringContaining(slim)])
  })

  test('a checkout with the test tools keeps them when the lock file changes', () => {
    const root = cloned()
    start(root, {}, 'format')
    writeFileSync(join(root, 'package-lock.json'), '{"a":1}')
    start(root)
    expect(npmCalls(root)).toEqual([expect.not.stringContaining(slim), expect.not.stringContaining(slim)])
  })

  test('if the cache of npm lacks a version, npm asks the registry', () => {
    const root = cloned()
    const { status, lines } = start(root, { FAKE_STALE: '1' })
    expect(status).toBe(0)
    expect(npmCalls(root)).toEqual([
      expect.stringContaining('--prefer-offline'),
      expect.not.stringContaining('--prefer-offline'),
    ])
    expect(lines[0]).toBe('mishap: npm could not install from its cache; asking the registry')
  })
})
