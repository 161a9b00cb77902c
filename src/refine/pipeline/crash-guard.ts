import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * How often the recovery of a batch was begun, kept in a file, because what a record can end is not only its worker: one
 * that exhausts the heap ends the process. `at`: the record that was refined alone, and how often.
 */
export type CrashCount = { from: number; to: number; tries: number; at?: number; atTries?: number }

const name = 'recovery'

/** What the file says of this batch; a new trial when it speaks of none or another. */
export function readCrashCount(folder: string, from: number, to: number): CrashCount {
  try {
    const found = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CrashCount
    if (found.from === from && found.to === to && Number.isInteger(found.tries)) return found
  } catch {
    // not there, or torn: a trial more costs seconds
  }
  return { from, to, tries: 0 }
}

/** Keeps it, synced. */
export function writeCrashCount(folder: string, trial: CrashCount): void {
  const part = join(folder, `${name}~`)
  writeFileSync(part, JSON.stringify(trial), { mode: 0o600, flush: true })
  renameSync(part, join(folder, name))
}

/** The batch is committed. */
export function endCrashCount(folder: string): void {
  rmSync(join(folder, name), { force: true })
}
