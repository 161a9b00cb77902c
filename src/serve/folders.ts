import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Folders, Sockets } from './messages.ts'

/** A Unix socket's path may have 107 bytes (Linux; macOS 103): a data folder with a longer path has its sockets in the temporary folder. */
const socketPathBytesMax = 100

/** Where everything lies in the data folder. Makes the folders, readable by their owner only: the journal is unscrubbed. */
export function layOut(data: string): { folders: Folders; sockets: Sockets } {
  const folders = {
    journal: join(data, 'journal'),
    blobs: join(data, 'blobs'),
    engine: join(data, 'events'),
    meta: join(data, 'meta'),
  }
  const fits = Buffer.byteLength(join(data, 'run', 'control.sock')) <= socketPathBytesMax
  const run = fits
    ? join(data, 'run')
    : join(tmpdir(), `mishap-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`)
  for (const folder of [data, ...Object.values(folders), run]) {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
  chmodSync(run, 0o700)
  return {
    folders,
    sockets: { app: join(run, 'app.sock'), control: join(run, 'control.sock'), engine: join(run, 'engine.sock') },
  }
}
