import { createHash } from 'node:crypto'
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SettingError } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import type { Folders, Sockets } from './messages.ts'

/** Unix socket paths have at most 107 bytes (Linux; macOS 103). Longer ones move to the temporary folder. */
const socketPathBytesMax = 100

/** Closes a folder from a copy or backup that others can read. Skips file systems without modes. */
function closeToOthers(folder: string): void {
  if ((statSync(folder).mode & 0o077) === 0) return
  try {
    chmodSync(folder, 0o700)
  } catch {
    // Mounted by another user: the mode is their choice.
  }
}

/** Returns the path of the marker file that exists during a restore, and after an interrupted restore. */
export const restoreMarker = (data: string): string => join(data, 'restoring')

/** Throws START_HALF_RESTORED after an interrupted restore: half a backup must not pass as a whole. */
export function demandComplete(data: string): void {
  if (existsSync(restoreMarker(data)))
    throw new MishapError('START_HALF_RESTORED', {
      detail: `A restore into ${data} was cut off. Run it again, into this folder or an empty folder.`,
    })
}

/** Creates folders one by one: Node's `recursive` never returns if the system always answers ENOENT, like /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process can have created it in between.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Throws SettingError if the folder cannot be created, read or written. */
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
 * Returns the paths in the data folder. Creates the folders with access only for the owner: the journal is unscrubbed.
 * Throws SettingError if they cannot be created or used.
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
  // Everybody who can open this folder can send commands, so it must not belong to another user.
  if (lstatSync(run).uid !== (process.getuid?.() ?? lstatSync(run).uid))
    throw new MishapError('START_LOCKED', { detail: `The folder of the sockets, ${run}, belongs to another user.` })
  chmodSync(run, 0o700)
  for (const folder of Object.values(folders)) closeToOthers(folder)
  return {
    folders,
    sockets: { app: join(run, 'app.sock'), control: join(run, 'control.sock'), engine: join(run, 'engine.sock') },
  }
}
