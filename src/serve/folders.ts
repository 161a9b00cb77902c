import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MishapError } from '../errors.ts'
import type { Folders, Sockets } from './messages.ts'

/** A Unix socket's path may have 107 bytes (Linux; macOS 103): a data folder with a longer path has its sockets in the temporary folder. */
const socketPathBytesMax = 100

/** A folder that came from a copy or a backup is readable by everybody; on file systems without modes it stays as it is. */
function closeToOthers(folder: string): void {
  if ((statSync(folder).mode & 0o077) === 0) return
  try {
    chmodSync(folder, 0o700)
  } catch {
    // mounted by somebody else: their choice
  }
}

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
  // whoever may open this folder may give commands: one that somebody else made before us stays somebody else's
  if (lstatSync(run).uid !== (process.getuid?.() ?? lstatSync(run).uid))
    throw new MishapError('START_LOCKED', { detail: `The folder of the sockets, ${run}, belongs to another user.` })
  chmodSync(run, 0o700)
  for (const folder of Object.values(folders)) closeToOthers(folder)
  return {
    folders,
    sockets: { app: join(run, 'app.sock'), control: join(run, 'control.sock'), engine: join(run, 'engine.sock') },
  }
}
