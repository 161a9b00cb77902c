import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../base/config.ts'

test('a process that waits for room for its database ends with main, and never goes on by itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-app-'))
  const read = readConfig({ '--data': folder, '--port': '9', '--url': 'http://mishap.test' }, {})
  if ('error' in read) throw new Error(read.error.sentence)
  const at = (name: string) => join(folder, name)
  // A folder in place of the WAL cannot be written, as on a full disk.
  mkdirSync(at('mishap.sqlite-wal'))
  const folders = { meta: folder, journal: at('journal'), blobs: at('blobs'), engine: at('events') }
  const sockets = { app: at('a'), control: at('c'), engine: at('e') }
  const setup = { config: read.config, version: '1', dev: false, folders, sockets }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'app.ts'), JSON.stringify(setup)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  try {
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (text) => String(text).includes('waits for a store') && resolve())
    })
    const ended = once(child, 'exit')
    child.disconnect()
    expect((await ended)[0]).toBe(1)
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}, 30_000)
