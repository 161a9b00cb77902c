import type { Clock } from '../../base/clock.ts'
import type { Connection } from './connection.ts'

/** Rollups that are counted anew are gone for a moment: neither inserts nor questions may come in between. */
export type Gate = {
  /** Runs an insert; waits while the rollups are counted anew. */
  inserting<T>(run: () => Promise<T>): Promise<T>
  /** Counts rollups anew: inserts that run are waited for, others wait. */
  counting(run: () => Promise<void>): Promise<void>
  /** Resolves when no rollup is being counted anew. A long one is not waited for to its end. */
  counted(): Promise<void>
}

const waitMs = 20
/** What a screen waits for numbers that are true; the longest counts of 100,000 rows took 0.4 s. */
const countedMs = 2000

/** Makes the gate of one events store. */
export function createGate(clock: Clock): Gate {
  let inserts = 0
  let recounting: Promise<void> | undefined

  async function alone(run: () => Promise<void>): Promise<void> {
    while (inserts > 0) await clock.sleep(waitMs)
    await run()
  }

  return {
    async inserting(run) {
      while (recounting) await recounting
      inserts++
      try {
        return await run()
      } finally {
        inserts--
      }
    },
    async counting(run) {
      while (recounting) await recounting
      const running = alone(run)
      recounting = running.then(
        () => undefined,
        () => undefined,
      )
      try {
        await running
      } finally {
        recounting = undefined
      }
    },
    async counted() {
      if (!recounting) return
      const ended = new AbortController()
      const late = clock.sleep(countedMs, ended.signal).then(() => 'late')
      while (recounting && (await Promise.race([recounting, late])) !== 'late');
      ended.abort()
    },
  }
}

/** A connection whose questions wait for rollups that are being counted anew. */
export const waitingFor = (gate: Pick<Gate, 'counted'>, connection: Connection): Connection => ({
  ...connection,
  rows: async (...asked) => {
    await gate.counted()
    return connection.rows(...asked)
  },
})
