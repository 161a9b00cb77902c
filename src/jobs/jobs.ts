import type { Alerts } from '../alert/alert.ts'
import type { Clock } from '../clock.ts'
import { faultOf, type Observe } from '../observe.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/events.ts'
import type { MetaStore } from '../store/meta/meta.ts'
import { linkFeedback } from './feedback.ts'
import { keepOwn } from './own-retention.ts'
import type { Removals } from './removals.ts'
import { createJobStates, type JobState } from './states.ts'

export type JobDeps = {
  clock: Clock
  observe: Observe
  meta: MetaStore
  events: EventStore
  blobs: BlobStore
  alerts: Pick<Alerts, 'run'>
  removals: Pick<Removals, 'run'>
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
      const own = await keepOwn({ clock, meta, events, blobs, retentionErrorsDays })
      return { dropped, removed: removed + own }
    },
  },
  {
    // A commit starts them at once; this one sends what failed again, and what a crash left behind.
    name: 'notifications',
    everyMs: 5000,
    firstMs: 1000,
    run: ({ alerts }) => alerts.run(),
  },
  {
    // Asking starts one at once; this one goes on with what a crash or an engine that was away left.
    name: 'removals',
    everyMs: 5000,
    firstMs: 2000,
    run: ({ removals }) => removals.run(),
  },
  {
    name: 'feedback',
    everyMs: 2000,
    firstMs: 2000,
    run: linkFeedback,
  },
]

/** Runs the table. A job that fails is logged and runs again at its next time; it never overlaps itself. */
export function createJobs(
  deps: JobDeps,
  table: readonly Job[] = jobTable,
): { start(): void; stop(): void; states(): JobState[] } {
  const states = createJobStates(deps.clock, deps.meta, table)
  const cancels: (() => void)[] = []
  const busy = new Set<string>()
  const run = async (job: Job): Promise<void> => {
    if (busy.has(job.name)) return
    busy.add(job.name)
    states.begin(job)
    try {
      const result = await job.run(deps)
      states.done(job, result)
      const done = { job: job.name, ...result }
      // What runs every few seconds would fill the log with nothing.
      if (job.everyMs < minuteMs) deps.observe.debug(done, 'a job has run')
      else deps.observe.info(done, 'a job has run')
    } catch (error) {
      states.failed(job, error)
      deps.observe.warn({ job: job.name, error: faultOf(error) }, 'a job failed')
    } finally {
      busy.delete(job.name)
    }
  }
  return {
    states: () => states.all(),
    start: () => {
      states.started()
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
