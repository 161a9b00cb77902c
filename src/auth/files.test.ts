import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readKeyFile, writeKeyFile } from './keyfile.ts'
import { type KeySnapshot, noKeys } from './keys.ts'
import { lockDataFolder } from './lock.ts'
import { loadSecrets } from './secret.ts'

const root = mkdtempSync(join(tmpdir(), 'mishap-files-'))
const folder = () => mkdtempSync(join(root, 'one-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const snapshot: KeySnapshot = {
  version: 3,
  keys: {
    ['a'.repeat(32)]: {
      keyId: 1,
      projectId: 2,
      organizationId: 3,
      active: true,
      rateLimit: { count: 5, windowS: 60 },
      allowedOrigins: ['*'],
    },
    ['b'.repeat(32)]: { keyId: 2, projectId: 2, organizationId: 3, active: false, allowedOrigins: [] },
  },
}

test('keys come back as written, over an older file, with nothing left beside it', () => {
  const data = folder()
  writeKeyFile(data, noKeys)
  writeKeyFile(data, snapshot)
  expect(readKeyFile(data)).toEqual(snapshot)
  expect(readdirSync(data)).toEqual(['keys.json'])
})

test.each([[undefined], [''], ['{'], ['null'], ['{"version":1}'], ['{"version":1,"keys":{"a":{"keyId":"1"}}}']])(
  'key file %j is no keys',
  (text) => {
    const data = folder()
    if (text !== undefined) writeFileSync(join(data, 'keys.json'), text)
    expect(readKeyFile(data)).toEqual(noKeys)
  },
)

test('secrets are made once, for the owner of the file only', () => {
  const data = folder()
  const made = loadSecrets(data)
  expect(loadSecrets(data)).toEqual(made)
  expect(loadSecrets(folder())).not.toEqual(made)
  expect(Buffer.from(made.actionsKey, 'base64')).toHaveLength(32)
  expect(made.authSecret.length).toBeGreaterThanOrEqual(32)
  expect(statSync(join(data, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test.each([
  ['', 'SyntaxError'],
  ['{}', 'ZodError'],
  ['{"authSecret":"short","actionsKey":"x"}', 'ZodError'],
  [JSON.stringify({ authSecret: 'x'.repeat(32), actionsKey: Buffer.alloc(31).toString('base64') }), 'ZodError'],
  [JSON.stringify({ authSecret: 'x'.repeat(31), actionsKey: Buffer.alloc(32).toString('base64') }), 'ZodError'],
])('broken secrets %j stop the start', (text, name) => {
  const data = folder()
  writeFileSync(join(data, 'secrets.json'), text)
  expect(() => loadSecrets(data)).toThrow(expect.objectContaining({ name }))
  expect(readFileSync(join(data, 'secrets.json'), 'utf8')).toBe(text)
})

test('secrets that cannot be read stop the start', () => {
  const data = folder()
  mkdirSync(join(data, 'secrets.json'))
  expect(() => loadSecrets(data)).toThrow(expect.objectContaining({ code: 'EISDIR' }))
  expect(readdirSync(data)).toEqual(['secrets.json'])
})

test('one owner in this process; released, it can be taken again', () => {
  const data = folder()
  const lock = lockDataFolder(data)
  expect(() => lockDataFolder(data)).toThrow(
    expect.objectContaining({ code: 'START_LOCKED', message: expect.stringContaining(`(pid ${process.pid})`) }),
  )
  lock.release()
  lockDataFolder(data).release()
})

test('a pid file alone locks nothing', () => {
  const data = folder()
  writeFileSync(join(data, 'lock.pid'), '4194304\n')
  const lock = lockDataFolder(data)
  expect(readFileSync(join(data, 'lock.pid'), 'utf8')).toBe(`${process.pid}\n`)
  lock.release()
})

test('another process holds it until kill -9', async () => {
  const data = folder()
  const source = `const { lockDataFolder } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)}); globalThis.lock = lockDataFolder(${JSON.stringify(data)}); console.log('held'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
  expect(() => lockDataFolder(data)).toThrow(`pid ${child.pid}`)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.kill('SIGKILL')
  await closed
  expect(existsSync(join(data, 'lock.pid'))).toBe(true)
  lockDataFolder(data).release()
}, 10_000)
