import type { Alerts } from '../alert/alert.ts'
import type { Clock } from '../clock.ts'
import type { Observe } from '../observe.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/events.ts'
import type { MetaStore } from '../store/meta/meta.ts'

export type JobDeps = {
  clock: Clock
  observe: Observe
  meta: MetaStore
  events: EventStore
  blobs: BlobStore
  alerts: Pick<Alerts, 'run'>
  retentionErrorsDays: number
}

/** One thing that happens by the clock. */
type Job = { name: string; everyMs: number; firstMs: number; run(deps: JobDeps): Promise<Record<string, unknown>> }

const dayMs = 86_400_000
const minuteMs = 60_000
/** Dead items are kept for 14 days (spec.md 9). */
const deadKeptMs = 14 * dayMs

async function deleteAll(blobs: BlobStore, keys: string[]): Promise<number> {
  for (const key of keys) await blobs.delete(key)
  return keys.length
}

/** Everything that happens by the clock, in one place. */
export const jobTable: readonly Job[] = [
  {
    name: 'retention',
    everyMs: 60 * minuteMs,
    firstMs: minuteMs,
    run: async ({ clock, meta, events, blobs, retentionErrorsDays }) => {
      const beforeMs = clock.now() - retentionErrorsDays * dayMs
      const dropped = await events.dropBefore(beforeMs)
      const removed = await deleteAll(blobs, meta.prune(clock.now(), beforeMs, clock.now() - deadKeptMs))
      return { dropped, removed }
    },
  },
  {
    // A commit starts them at once; this one sends what failed again, and what a crash left behind.
    name: 'notifications',
    everyMs: 5000,
    firstMs: 1000,
    run: ({ alerts }) => alerts.run(),
  },
]

/** Runs the table. A job that fails is logged and runs again at its next time; it never overlaps itself. */
export function createJobs(deps: JobDeps, table: readonly Job[] = jobTable): { start(): void; stop(): void } {
  const cancels: (() => void)[] = []
  const busy = new Set<string>()
  const run = async (job: Job): Promise<void> => {
    if (busy.has(job.name)) return
    busy.add(job.name)
    try {
      const done = { job: job.name, ...(await job.run(deps)) }
      // What runs every few seconds would fill the log with nothing.
      if (job.everyMs < minuteMs) deps.observe.debug(done, 'a job has run')
      else deps.observe.info(done, 'a job has run')
    } catch (error) {
      deps.observe.warn({ job: job.name, error: String(error).slice(0, 300) }, 'a job failed')
    } finally {
      busy.delete(job.name)
    }
  }
  return {
    start: () => {
      for (const job of table)
        cancels.push(
          deps.clock.every(job.everyMs, () => void run(job)),
          deps.clock.after(job.firstMs, () => void run(job)),
        )
    },
    stop: () => {
      for (const cancel of cancels) cancel()
    },
  }
}
