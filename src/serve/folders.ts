import { createHash } from 'node:crypto'
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SettingError } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
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

/** Stands in the data folder while a restore runs, and after one that was cut off. */
export const restoreMark = (data: string): string => join(data, 'restoring')

/** Throws START_HALF_RESTORED where a restore was cut off: half of a backup must not be taken for all of it. */
export function demandWhole(data: string): void {
  if (existsSync(restoreMark(data)))
    throw new MishapError('START_HALF_RESTORED', {
      detail: `A restore into ${data} was cut off. Run it again, into this folder or an empty one.`,
    })
}

/** One by one: Node's own `recursive` never returns where the system says ENOENT to each try, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // another process may have made it in between
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Throws SettingError when the folder can't be made, read or written. */
function demandFolder(folder: string): void {
  try {
    makeFolder(folder)
    if (!statSync(folder).isDirectory()) throw new SettingError('data', 'ENOTDIR')
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw error instanceof SettingError ? error : new SettingError('data', (error as NodeJS.ErrnoException).code ?? '')
  }
}

/**
 * Where everything lies in the data folder. Makes the folders, readable by their owner only: the journal is unscrubbed.
 * Throws SettingError when they can't be made or used.
 */
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
  for (const folder of [data, ...Object.values(folders), run]) demandFolder(folder)
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
