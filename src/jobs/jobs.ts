import type { Alerts } from '../alert/alert.ts'
import type { IssueRules } from '../alert/issue-rules.ts'
import type { MetricRules } from '../alert/metric-rules.ts'
import type { Clock } from '../base/clock.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import type { Artifacts } from '../operations/artifacts.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { RetentionDays } from '../store/events/table.ts'
import { anyTable, type TableName, tableNames } from '../store/events/tables.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { Detecting } from './detectors.ts'
import type { Downsampling } from './downsampling.ts'
import { limitErrorEnds } from './error-links.ts'
import { droppedName, recordEvicted } from './evicted-rows.ts'
import type { Exports } from './exports.ts'
import { linkFeedback } from './feedback.ts'
import { learnRoutes } from './learn-routes.ts'
import type { Lock } from './lock.ts'
import { applyOwnRetention } from './own-retention.ts'
import type { Removals } from './removals.ts'
import type { Reprocessing } from './reprocessing.ts'
import type { Scraping } from './scrape.ts'
import { closeSessionDays } from './session-days.ts'
import { createJobStates, type JobState } from './states.ts'
import type { Triage } from './triage.ts'
import { trustedNow } from './trusted-clock.ts'
import { readUploadedRoutes } from './uploaded-routes.ts'
import { sweepUploads } from './uploads.ts'

export type JobDeps = {
  clock: Clock
  observe: Observe
  meta: MetaStore
  events: EventStore
  blobs: BlobStore
  alerts: Pick<Alerts, 'run'>
  trackers: { push(): Promise<Record<string, unknown>>; prune(nowMs: number): Promise<Record<string, unknown>> }
  slackClicks: { run(): Promise<Record<string, unknown>> }
  removals: Pick<Removals, 'run'>
  downsampling: Pick<Downsampling, 'run'>
  artifacts: Pick<Artifacts, 'isWriting' | 'dropFailures'>
  exports: Pick<Exports, 'run' | 'sweep'>
  reprocessing: Pick<Reprocessing, 'run'>
  scraping: Pick<Scraping, 'run'>
  detecting: Pick<Detecting, 'run'>
  metricRules: MetricRules
  triage: Pick<Triage, 'clock' | 'forecasts' | 'people' | 'failures' | 'summaries'>
  issueRules: Pick<IssueRules, 'run'>
  lock: Lock
  /** Blocks refining and all other row removal until the returned function is called. */
  pause(): Promise<() => void>
  retention: RetentionDays
}

/** A job of the jobs table. */
type Job = { name: string; everyMs: number; firstMs: number; run(deps: JobDeps): Promise<Record<string, unknown>> }

const dayMs = 86_400_000
const minuteMs = 60_000
/** Dead letters are deleted after 14 days (docs/operating.md). */
const deadLetterRetentionMs = 14 * dayMs

async function deleteAll(blobs: BlobStore, keys: string[]): Promise<number> {
  for (const key of keys) await blobs.delete(key)
  return keys.length
}

/** Applies the retention. Deletes nothing while the clock is not trusted. */
async function applyRetention(deps: JobDeps): Promise<Record<string, unknown>> {
  const { clock, observe, meta, events, blobs } = deps
  const { nowMs, untrusted } = await trustedNow({ clock, meta })
  if (untrusted) {
    observe.warn(untrusted, 'the clock is not trusted; nothing is deleted until it has run for three days')
    return {
      clockNotTrusted: new Date(untrusted.clockMs).toISOString(),
      waitingSince: new Date(untrusted.sinceMs).toISOString(),
      evenHours: Math.floor(untrusted.evenMs / (60 * minuteMs)),
    }
  }
  // The rows go first. A blob whose deletion fails has no row that names it any more.
  await blobs.ping()
  const release = await deps.lock()
  try {
    const beforeOf = (table: TableName) => nowMs - anyTable(table).retentionDays(deps.retention) * dayMs
    const beforeMs = beforeOf('events')
    const rowsBeforeMs = Math.min(...tableNames.map(beforeOf))
    const dropped: Record<string, string[]> = {}
    for (const table of tableNames) {
      const partitions = await events.dropBefore(table, beforeOf(table), nowMs)
      dropped[droppedName(table)] = partitions
      if (partitions.length > 0 && anyTable(table).tally) await recordEvicted(meta, table)
    }
    const removed = await deleteAll(
      blobs,
      await meta.retention.prune(nowMs, beforeMs, nowMs - deadLetterRetentionMs, rowsBeforeMs),
    )
    await meta.retention.forgetTraceDays(new Date(beforeOf('spans') - dayMs).toISOString().slice(0, 10))
    const removedOfOrganizations = await applyOwnRetention({ nowMs, meta, events, blobs, retention: deps.retention })
    // No remaining event uses these bundles: a new event would have recorded its use.
    const bundles = await deleteAll(blobs, await meta.artifacts.dropBundles(beforeMs))
    return { ...dropped, removed: removed + removedOfOrganizations, bundles }
  } finally {
    release()
  }
}

/** All scheduled jobs. */
export const jobTable: readonly Job[] = [
  {
    name: 'retention',
    everyMs: 60 * minuteMs,
    firstMs: minuteMs,
    run: applyRetention,
  },
  {
    name: 'session-days',
    everyMs: 60 * minuteMs,
    firstMs: 5 * minuteMs,
    run: closeSessionDays,
  },
  {
    name: 'disk-budget',
    everyMs: 5 * minuteMs,
    firstMs: 10_000,
    run: ({ downsampling }) => downsampling.run(),
  },
  {
    // A commit starts notifications at once. This job retries failed ones and those left by a crash.
    name: 'notifications',
    everyMs: 5000,
    firstMs: 1000,
    run: ({ alerts }) => alerts.run(),
  },
  {
    // Linked issues are their own outbox: this finds what changed, whoever changed it.
    name: 'trackers',
    everyMs: 3000,
    firstMs: 3000,
    run: ({ trackers }) => trackers.push(),
  },
  {
    name: 'tracker-deliveries',
    everyMs: 60 * minuteMs,
    firstMs: 7 * minuteMs,
    run: async (deps) => {
      const { nowMs, untrusted } = await trustedNow(deps)
      // A delivery whose note is gone would count twice.
      return untrusted ? { clockNotTrusted: new Date(untrusted.clockMs).toISOString() } : deps.trackers.prune(nowMs)
    },
  },
  {
    // A click starts this at once. This job continues after a crash, or if Slack did not take the answer.
    name: 'slack-clicks',
    everyMs: 5000,
    firstMs: 4500,
    run: ({ slackClicks }) => slackClicks.run(),
  },
  {
    // A request starts a removal at once. This job continues after a crash or an outage of the engine.
    name: 'removals',
    everyMs: 5000,
    firstMs: 2000,
    run: ({ removals }) => removals.run(),
  },
  {
    name: 'uploads',
    everyMs: 10 * minuteMs,
    firstMs: 5000,
    run: sweepUploads,
  },
  {
    // A killed writer leaves parts in a bucket, which cost space and are in no list. A start clears files.
    name: 'blob-parts',
    everyMs: dayMs,
    firstMs: 10 * minuteMs,
    run: async ({ blobs, clock }) => ({ parts: blobs.isRemote ? await blobs.sweep(clock.now() - dayMs) : 0 }),
  },
  {
    // An upload starts this a second later. This job continues after a crash or an outage of the engine.
    name: 'source-maps',
    everyMs: 10_000,
    firstMs: 3000,
    run: ({ reprocessing }) => reprocessing.run(),
  },
  {
    // A request starts an export at once. This job begins one again after a crash or an outage of a store.
    name: 'exports',
    everyMs: 5000,
    firstMs: 3500,
    run: ({ exports }) => exports.run(),
  },
  {
    name: 'export-files',
    everyMs: minuteMs,
    firstMs: 40_000,
    run: ({ exports }) => exports.sweep(),
  },
  {
    name: 'scrape',
    everyMs: 3000,
    firstMs: 4000,
    run: ({ scraping }) => scraping.run(),
  },
  {
    name: 'issue-states',
    everyMs: 10_000,
    firstMs: 6000,
    run: ({ triage }) => triage.clock(),
  },
  {
    // Each run makes 500 forecasts. A forecast is renewed after an hour.
    name: 'forecasts',
    everyMs: minuteMs,
    firstMs: 20_000,
    run: ({ triage }) => triage.forecasts(),
  },
  {
    name: 'owners',
    everyMs: 2000,
    firstMs: 2500,
    run: ({ triage }) => triage.people(),
  },
  {
    // Each mail stores its next time when it has left, so a restart repeats none.
    name: 'personal-mails',
    everyMs: minuteMs,
    firstMs: 15_000,
    run: ({ triage }) => triage.summaries(),
  },
  {
    name: 'failures',
    everyMs: 1000,
    firstMs: 1500,
    run: ({ triage }) => triage.failures(),
  },
  {
    name: 'failure-rows',
    everyMs: minuteMs,
    firstMs: 30_000,
    run: async ({ meta }) => limitErrorEnds({ meta }),
  },
  {
    name: 'routes',
    everyMs: 10 * minuteMs,
    firstMs: 2 * minuteMs,
    run: learnRoutes,
  },
  {
    // Soon after an upload, as the first visitors of a release follow it.
    name: 'uploaded-routes',
    everyMs: 10_000,
    firstMs: 4000,
    run: readUploadedRoutes,
  },
  {
    // It only reads spans and appends to the journal, so it needs no lock: a removal between both is settled by refine.
    name: 'detectors',
    everyMs: 5000,
    firstMs: 5000,
    run: ({ detecting }) => detecting.run(),
  },
  {
    // A minute is judged once it is processed, some 5 s after its end.
    name: 'metric-rules',
    everyMs: 5000,
    firstMs: 4500,
    run: ({ metricRules }) => metricRules.run(),
  },
  {
    // A commit with a new issue starts this at once. The job sees windows, changes by people and what a crash left.
    name: 'issue-rules',
    everyMs: 5000,
    firstMs: 5500,
    run: ({ issueRules }) => issueRules.run(),
  },
  {
    name: 'feedback',
    everyMs: 2000,
    firstMs: 2000,
    run: linkFeedback,
  },
]

/** Runs the table. A failed job is logged and runs again at its next time. A job never overlaps itself. */
export async function createJobs(
  deps: JobDeps,
  table: readonly Job[] = jobTable,
): Promise<{ start(): void; stop(): void; states(): JobState[] }> {
  const states = await createJobStates(deps.clock, deps.meta, table)
  const cancels: (() => void)[] = []
  const busy = new Set<string>()
  const failing = new Map<string, string>()
  const run = async (job: Job): Promise<void> => {
    if (busy.has(job.name)) return
    busy.add(job.name)
    states.begin(job)
    try {
      const result = await job.run(deps)
      await states.done(job, result)
      const done = { job: job.name, ...result }
      // Jobs that run every few seconds would flood the log.
      if (job.everyMs < minuteMs) deps.observe.debug(done, 'a job has run')
      else deps.observe.info(done, 'a job has run')
      failing.delete(job.name)
    } catch (error) {
      const fault = faultOf(error)
      // While the database is down, the state cannot be saved either. It is shown all the same.
      await states.failed(job, error).catch(() => undefined)
      // An outage would repeat the same line every few seconds.
      const isRepeated = job.everyMs < minuteMs && failing.get(job.name) === fault
      failing.set(job.name, fault)
      deps.observe[isRepeated ? 'debug' : 'warn']({ job: job.name, error: fault }, 'a job failed')
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
