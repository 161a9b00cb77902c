import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lane } from '../../base/lane.ts'

/** The batch of a count. */
type Counted = { from: number; to: number; lane: Lane }

/**
 * How often the recovery of a batch was started. It is in a file because a record can crash more than its worker: one
 * that exhausts the heap ends the process. `at`: the record that was refined alone; `atTries`: how often.
 */
export type CrashCount = Counted & { tries: number; at?: number; atTries?: number }

const name = 'recovery'

const isOf = (batch: Counted) => (found: CrashCount) =>
  found.from === batch.from && found.to === batch.to && found.lane === batch.lane

/** Reads the counts of all batches. None if the file is missing or torn: one more try costs seconds. */
function readAll(folder: string): CrashCount[] {
  try {
    const found: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    // A version without lanes wrote the count of one batch.
    const list = Array.isArray(found)
      ? (found as CrashCount[])
      : [{ ...(found as CrashCount), lane: 'events' as const }]
    return list.filter((count) => Number.isInteger(count.tries))
  } catch {
    return []
  }
}

function writeAll(folder: string, counts: readonly CrashCount[]): void {
  const part = join(folder, `${name}~`)
  writeFileSync(part, JSON.stringify(counts), { mode: 0o600, flush: true })
  renameSync(part, join(folder, name))
}

/** Reads the count of this batch. Starts at 0 if there is none. */
export function readCrashCount(folder: string, { from, to, lane }: Counted): CrashCount {
  return readAll(folder).find(isOf({ from, to, lane })) ?? { from, to, lane, tries: 0 }
}

/** Writes the count of a batch beside those of others, and syncs them to disk. */
export function writeCrashCount(folder: string, crashCount: CrashCount): void {
  const isSame = isOf(crashCount)
  writeAll(folder, [...readAll(folder).filter((count) => !isSame(count)), crashCount])
}

/** Removes the count of a batch. Call it once the batch came through the workers. */
export function endCrashCount(folder: string, batch: Counted): void {
  const isSame = isOf(batch)
  const others = readAll(folder).filter((count) => !isSame(count))
  if (others.length > 0) writeAll(folder, others)
  else rmSync(join(folder, name), { force: true })
}
