import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MishapError } from '../base/errors.ts'
import { lockExclusively } from '../store/meta/database/file-lock.ts'

/**
 * Makes this process the only owner of the folder until `release` or its exit. The operating system releases the lock
 * when the process ends, even by kill -9. The pid file only names the owner in messages. Throws START_LOCKED with the
 * pid of the owner.
 */
export function lockDataFolder(folder: string): { release(): void } {
  const pidFile = join(folder, 'lock.pid')
  const release = lockExclusively(join(folder, 'lock.sqlite'))
  if (release === undefined) {
    let holder = 'unknown'
    try {
      holder = readFileSync(pidFile, 'utf8').trim() || holder
    } catch {
      // The owner has the lock and is writing its pid right now.
    }
    throw new MishapError('START_LOCKED', { detail: `Another process (pid ${holder}) owns the data folder ${folder}.` })
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  return { release }
}
