import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MishapError } from '../base/errors.ts'
import { holdExclusively } from '../store/meta/database/file-lock.ts'

/**
 * Makes this process the folder's one owner until `release` or its end. The operating system ends the lock with the process,
 * so kill -9 leaves none behind; the pid file beside it only names the holder and is never believed.
 * Throws START_LOCKED, naming the process that holds it.
 */
export function lockDataFolder(folder: string): { release(): void } {
  const pidFile = join(folder, 'lock.pid')
  const release = holdExclusively(join(folder, 'lock.sqlite'))
  if (release === undefined) {
    let holder = 'unknown'
    try {
      holder = readFileSync(pidFile, 'utf8').trim() || holder
    } catch {
      // The holder has the lock and writes its pid right now.
    }
    throw new MishapError('START_LOCKED', { detail: `Another process (pid ${holder}) owns the data folder ${folder}.` })
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  return { release }
}
