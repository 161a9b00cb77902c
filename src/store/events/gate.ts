import type { Clock } from '../../base/clock.ts'
import type { Connection } from './connection.ts'

/** While rollups are recounted, their rows are missing for a moment. Inserts and queries must not run then. */
export type Gate = {
  /** Runs an insert after any recount has finished. */
  inserting<T>(run: () => Promise<T>): Promise<T>
  /** Runs a recount of rollups. It waits for running inserts, and new inserts wait for it. */
  counting(run: () => Promise<void>): Promise<void>
  /** Resolves when no recount is running, or after 2 s. */
  counted(): Promise<void>
}

const waitMs = 20
/** How long a screen waits for correct numbers. The longest recount of 100,000 rows took 0.4 s. */
const countedMs = 2000

/** Creates the gate of one events store. */
export function createGate(clock: Clock): Gate {
  let inserts = 0
  let recounting: Promise<void> | undefined

  async function runWhenIdle(run: () => Promise<void>): Promise<void> {
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
      const running = runWhenIdle(run)
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
      const timeout = clock.sleep(countedMs, ended.signal).then(() => 'late')
      while (recounting && (await Promise.race([recounting, timeout])) !== 'late');
      ended.abort()
    },
  }
}

/** Wraps a connection so that its queries wait for running recounts. */
export const waitingFor = (gate: Pick<Gate, 'counted'>, connection: Connection): Connection => ({
  ...connection,
  rows: async (...args) => {
    await gate.counted()
    return connection.rows(...args)
  },
  read: async (...args) => {
    await gate.counted()
    return connection.read(...args)
  },
})
