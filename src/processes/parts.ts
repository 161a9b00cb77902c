import type { Alerts } from '../alert/alert.ts'
import type { Auth } from '../auth/auth.ts'
import type { Seal } from '../auth/seal.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import type { Observe } from '../base/observe.ts'
import type { DiskState } from '../jobs/disk.ts'
import type { Removals } from '../jobs/removals.ts'
import type { JobState } from '../jobs/states.ts'
import type { Triage } from '../jobs/triage.ts'
import type { Artifacts } from '../operations/artifacts.ts'
import type { Unmerge } from '../operations/issue-merges.ts'
import type { Doctor } from '../refine/pipeline/doctor.ts'
import type { GroupingPreview } from '../refine/pipeline/grouping.ts'
import type { Refine } from '../refine/pipeline/refine.ts'
import type { JournalState } from '../serve/lag.ts'
import type { Live } from '../serve/live.ts'
import type { RequestLog } from '../serve/request-log.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { DeadLetter } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
/** Every part of process app, wired. Stands at globalThis[Symbol.for('mishap.app')]. */
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
  removals: Removals
  triage: Triage
  /** What builds upload. */
  artifacts: Artifacts
  /** Says why frames are not mapped. */
  doctor: Doctor
  /** Says why events are grouped as they are, by any rules. */
  grouping: GroupingPreview
  /** Takes hashes out of an issue again, with their events. */
  unmerge: Unmerge
  live: Live
  journal(): JournalState
  waitsFor: Refine['waitsFor']
  engineUp(): boolean
  /** Hands the changed keys to process main; resolves when accept uses them. */
  publishKeys(): Promise<void>
  /** Bytes that the files under a folder take on disk, at most 15 s old. */
  bytesUnder(folder: string): Promise<number>
  /** The ingest debugger's memory. */
  intakes: RequestLog
  /** What is stored and what it may take. Throws STORE_UNAVAILABLE while the events store is away. */
  disk(): Promise<DiskState>
  /** Everything that happens by the clock, and how its last run went. */
  jobs(): JobState[]
  /** Sends a dead item through refine again. Throws CONFLICT while it is on its way, VALIDATION when it holds no record. */
  sendAgain(item: DeadLetter & { id: number }): Promise<void>
  /** What a dead item was counted as in the ledger: 1, with the spans that came in it. */
  deadCount(item: DeadLetter): Promise<number>
  /** Id of the request that the running code belongs to. */
  requestId(): string | undefined
  /** DSN of the project that these screens report their own errors to; undefined when switched off. */
  selfDsn(): string | undefined
}
