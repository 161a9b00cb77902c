import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * How often the recovery of a batch was started. It is in a file because a record can crash more than its worker: one
 * that exhausts the heap ends the process. `at`: the record that was refined alone; `atTries`: how often.
 */
export type CrashCount = { from: number; to: number; tries: number; at?: number; atTries?: number }

const name = 'recovery'

/** Reads the count of this batch. Starts at 0 if the file is missing, torn or about another batch. */
export function readCrashCount(folder: string, from: number, to: number): CrashCount {
  try {
    const found = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CrashCount
    if (found.from === from && found.to === to && Number.isInteger(found.tries)) return found
  } catch {
    // Missing or torn. One more try costs seconds.
  }
  return { from, to, tries: 0 }
}

/** Writes the count and syncs it to disk. */
export function writeCrashCount(folder: string, crashCount: CrashCount): void {
  const part = join(folder, `${name}~`)
  writeFileSync(part, JSON.stringify(crashCount), { mode: 0o600, flush: true })
  renameSync(part, join(folder, name))
}

/** Removes the count. Call it once the batch came through the workers. */
export function endCrashCount(folder: string): void {
  rmSync(join(folder, name), { force: true })
}
