import type { Alerts } from '../alert/alert.ts'
import type { Auth } from '../auth/auth.ts'
import type { Seal } from '../auth/seal.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import type { EventsServer } from '../base/events-server.ts'
import type { Observe } from '../base/observe.ts'
import type { Outgoing } from '../base/outgoing.ts'
import type { Recent } from '../base/recent.ts'
import type { DiskState } from '../jobs/disk.ts'
import type { Exports } from '../jobs/exports.ts'
import type { Removals } from '../jobs/removals.ts'
import type { JobState } from '../jobs/states.ts'
import type { Triage } from '../jobs/triage.ts'
import type { Artifacts } from '../operations/artifacts.ts'
import type { HookCalls } from '../operations/hook-calls.ts'
import type { Unmerge } from '../operations/issue-merges.ts'
import type { IssueCounts } from '../query/issues/issue-counts.ts'
import type { RecentStages } from '../query/release-stages.ts'
import type { Doctor } from '../refine/pipeline/doctor.ts'
import type { GroupingPreview } from '../refine/pipeline/grouping.ts'
import type { Refine } from '../refine/pipeline/refine.ts'
import type { EventRate } from '../serve/event-rate.ts'
import type { JournalState } from '../serve/lag.ts'
import type { Live } from '../serve/live.ts'
import type { Readers } from '../serve/readers.ts'
import type { RequestLog } from '../serve/request-log.ts'
import type { StoreAnswer } from '../serve/store-watch.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { ServerAway } from '../store/events/server-check.ts'
import type { DeadLetter } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
/** Every part of process app, connected. Available as globalThis[Symbol.for('mishap.app')]. */
export type App = {
  version: string
  startedMs: number
  config: Config
  clock: Clock
  observe: Observe
  meta: MetaStore
  events: EventStore
  blobs: BlobStore
  auth: Auth
  seal: Seal
  alerts: Alerts
  /** Limits and counts the calls of webhooks. */
  hookCalls: HookCalls
  /** Calls addresses that people configured, such as issue trackers. */
  outgoing: Outgoing
  removals: Removals
  triage: Triage
  /** Uploads of builds. */
  artifacts: Artifacts
  /** Writes exports. */
  exports: Exports
  /** Explains why frames are not resolved by source maps. */
  doctor: Doctor
  /** Explains the grouping of events by given rules. */
  grouping: GroupingPreview
  /** Removes hashes from an issue, with their events. */
  unmerge: Unmerge
  live: Live
  readers: Readers
  journal(): Promise<JournalState>
  waitsFor: Refine['waitsFor']
  caughtUp: Refine['caughtUp']
  processedTo: Refine['processedTo']
  engineUp(): boolean
  blobState(): StoreAnswer
  /** Returns the ClickHouse server and why it is away; undefined for the embedded store. */
  eventsServer(): (EventsServer & { away: ServerAway | undefined }) | undefined
  /** Sends the changed keys to process main. Resolves when ingest uses them. */
  publishKeys(): Promise<void>
  /** Returns the disk usage of a folder in bytes, at most 15 s old. */
  bytesUnder(folder: string): Promise<number>
  /** The request log. */
  requestLog: RequestLog
  /** The events of the last minute. */
  eventRate: EventRate
  /** Counts of the sidebar, at most 20 s old. */
  issueCounts: Recent<IssueCounts>
  /** Adoption stages of releases, at most a minute old. */
  releaseStages: RecentStages
  /** Returns disk usage and budget. Throws STORE_UNAVAILABLE while the events store is down. */
  disk(): Promise<DiskState>
  /** Returns all scheduled jobs with the result of their last run. */
  jobs(): JobState[]
  /** Replays a dead letter. Throws CONFLICT while a replay is running, VALIDATION if it has no record. */
  replayDeadLetter(letter: DeadLetter & { id: number }): Promise<void>
  /** Returns a dead letter's count in the ledger: 1, plus its spans. */
  deadLetterCount(letter: DeadLetter): Promise<number>
  /** Returns the id of the current request. */
  requestId(): string | undefined
  /** Returns the DSN of the project for the screens' own errors; undefined if switched off. */
  selfDsn(): Promise<string | undefined>
  /** Takes the permit of one page of the screens to send traces of itself; false if none is left this minute. */
  takeSelfTrace(): boolean
}
