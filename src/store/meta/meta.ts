import type { Lane } from '../../base/lane.ts'
import type { DataCategory, OutcomeCount } from '../../base/outcome.ts'
import type { RestActivity } from '../../contract/issues.ts'
import type { DetectorChange } from '../../domain/detectors/detectors.ts'
import type { NoiseKind } from '../../domain/diagnostics.ts'
import type { Failure } from '../../domain/error-links.ts'
import type { IssueKind } from '../../domain/event.ts'
import type { ProjectFilters } from '../../domain/filters.ts'
import type { Status, StatusDetails, Substatus } from '../../domain/issue-states.ts'
import type { SignCounts, SignKey } from '../../domain/noise.ts'
import type { ProjectSwitches } from '../../domain/project-switches.ts'
import type { RouteSettings } from '../../domain/traces/routes.ts'
import type { FeedbackEffect } from './issues/feedback.ts'
import type { FilteredEvent } from './projects/inbound-filters.ts'
import type { ReleaseEffects } from './releases/release-effects.ts'
/** The changes that one stored event makes to its issue. Refine creates it, and the batch's transaction applies it. */
export type EventEffect = {
  projectId: number
  keyId: number
  jpos: number
  eventId: string
  /** All hashes of 16 hex digits, the first contributing one first. */
  hashes: string[]
  title: string
  culprit: string
  kind: IssueKind
  level: string
  platform: string
  logger: string
  metadata: { type?: string; value?: string; filename?: string; function?: string }
  timestampMs: number
  receivedMs: number
  release: string
  environment: string
  digest: string
  unhandled: boolean
  /** Its counted diagnostics; absent for nearly all events. */
  diagnostics?: SignKey[]
  /** Set if it is an end of a server error that the browser shows as a number; absent for nearly all events. */
  failure?: FailureEffect
  /** Names of its missing source maps, as in the table `missed`; absent for none. */
  misses?: string[]
  /** Public scripts in its frames that nobody uploaded (`scrapeName`); absent when its project fetches none. */
  scrapes?: string[]
}

export type AttachmentRow = {
  projectId: number
  eventId: string
  name: string
  type: string
  contentType: string
  bytes: number
  blobKey: string
  receivedMs: number
}
export type DeadLetter = {
  jpos: number
  projectId: number
  keyId: number
  receivedMs: number
  reason: string
  bytes: number
  blobKey: string
}

export type ReplayedDeadLetter = {
  id: number
  projectId: number
  keyId: number
  category: DataCategory
  itemType: string
  /** Additional entries that were counted as dead: its spans, or entries of category `of`. */
  spans?: number
  of?: DataCategory
  bytes: number
}

/** A batch in flight: the records of a lane between two positions. */
export type Batch = { seq: number; from: number; to: number; lane: Lane }
/** Positions by lane. Everything of the lane before its position is committed. */
export type FinishedTo = Partial<Record<Lane, number>>
export type BatchEffects = ReleaseEffects & {
  events: EventEffect[]
  attachments: AttachmentRow[]
  outcomes: OutcomeCount[]
  dead: DeadLetter[]
  /** Replayed dead letters. The commit deletes them and subtracts their counts, because they are counted again. */
  again?: ReplayedDeadLetter[]
  /** Counted at the commit, which knows the rows that are already stored. */
  feedback?: FeedbackEffect[]
  /** Samples of filtered events, one in a hundred. */
  samples?: FilteredEvent[]
}
/** Changes for listeners, sent only after the commit. */
export type BatchResult = {
  issues: {
    id: number
    projectId: number
    organizationId: number
    events: number
    isNew: boolean
    regressed: boolean
  }[]
}

/** The part of meta for refine (ARCHITECTURE.md "Exactly once"). */
export type BatchStore = {
  /**
   * Everything of a lane before this position is processed and committed; without a lane, everything of all lanes. Rows of
   * the table `events` come from lane `events` alone.
   */
  cursor(lane?: Lane): Promise<number>
  /** Batches that were open when the last process ended, in order. */
  openBatches(): Promise<Batch[]>
  /** Commits the intent of a batch. Call it before the batch's insert. */
  openBatch(from: number, to: number, lane?: Lane): Promise<Batch>
  /**
   * One transaction: issues, outcomes, all other effects, and the cursor of its lane = batch.to. Batches of a lane commit
   * in order. `finished`: later positions before which a lane has nothing left once this batch is committed.
   */
  commitBatch(batch: Batch, effects: BatchEffects, nowMs: number, finished?: FinishedTo): Promise<BatchResult>
  projectSettings(projectId: number): Promise<ProjectSettings | undefined>
}

/** Settings of one project that refine reads. All have defaults. */
export type ProjectSettings = {
  projectId: number
  organizationId: number
  /** Scrub with the default rules. */
  scrubDefaults: boolean
  scrubIpAddresses: boolean
  sensitiveFields: string[]
  safeFields: string[]
  /** Hashes of discarded issues: events with one of them are filtered. */
  discardedHashes?: string[]
  /** Inbound filters; absent when all are off. */
  filters?: ProjectFilters
  /** The project was deleted: events that still arrive are filtered. */
  removed?: true
  /** Set if the project has uploaded artifacts. The text changes whenever they change. */
  artifacts?: string
  /** Names of all its artifacts, for `presenceLookup` (refine/symbolicate/presence.ts); absent when there are too many. */
  artifactNames?: SharedArrayBuffer
  /** Fetch scripts that nobody uploaded from their public addresses. */
  scrape?: true
  /** Grouping settings; absent for version 1 without rules. */
  grouping?: GroupingSettings
  /** How addresses become routes; absent without patterns and learned names. */
  routes?: RouteSettings
  /** Series of metrics in an hour; absent: the default. */
  metricSeriesMax?: number
}

/** Grouping settings of a project. Rule texts are '' for none (docs/grouping.md). */
export type GroupingSettings = {
  fingerprintRules: string
  stackRules: string
  version: number
  /** The previous version, and until when (ms) its hashes are also looked up. */
  secondary?: number
  secondaryUntilMs?: number
}

export type Role = 'owner' | 'admin' | 'member' | 'viewer'
export type Organization = { id: number; slug: string; name: string; createdMs: number }
export type Project = {
  id: number
  organizationId: number
  slug: string
  name: string
  platform: string | null
  createdMs: number
  firstEventMs: number | null
  allowedOrigins: string[]
  switches: ProjectSwitches
  /** Series of metrics that are stored in an hour. */
  metricSeriesMax: number
  /** Incremented by each change of a person. */
  rev: number
}
/** Changes to a project. */
export type ProjectChange = {
  name?: string
  /** The old slug redirects here until another project takes it. */
  slug?: string
  platform?: string | null
  allowedOrigins?: string[]
  /** Patterns of routes; see `RouteSettings`. */
  routePatterns?: string[]
  /** Only the given filters change. */
  filters?: Partial<ProjectFilters>
  /** Only the given detectors and thresholds change. */
  detectors?: DetectorChange
  metricSeriesMax?: number
} & Partial<ScrubSettings> &
  Partial<ProjectSwitches> &
  Partial<ScrapeChange> &
  Partial<GroupingChange>
/** Grouping rules, '' for none, and the version. A new version starts the changeover from the previous version. */
export type GroupingChange = { fingerprintRules: string; stackRules: string; groupingVersion: number }
/** Settings for fetching public scripts. An empty token means none. */
type ScrapeChange = { scrape: boolean; scrapeTls: boolean; sealedScrapeToken: string }
/** Scrubbing settings of a project. */
export type ScrubSettings = {
  /** Off: the default rules and the project's own names do not apply; addresses have their own switch. */
  scrub: boolean
  scrubDefaults: boolean
  scrubIpAddresses: boolean
  sensitiveFields: string[]
  safeFields: string[]
}
/** The author of a change and the expected revision. A different revision throws CONFLICT. */
export type ChangedBy = { userId: string | null; rev?: number | undefined }
export type ProjectKey = {
  id: number
  projectId: number
  label: string
  publicKey: string
  active: boolean
  rateLimit: { count: number; windowS: number } | null
  createdMs: number
  lastUsedMs: number | null
  /** The SDK version for a loader script (`latest`, `10.x`), and its options from clients by name. */
  browserSdk: string
  loaderOptions: Record<string, boolean>
  rev: number
}
/** `loaderOptions`: only the given ones change. */
export type KeyChange = Partial<Pick<ProjectKey, 'label' | 'active' | 'rateLimit' | 'browserSdk' | 'loaderOptions'>>
export type Member = { organizationId: number; userId: string; role: Role; createdMs: number }
export type Person = { id: string; name: string; email: string }
export type ApiToken = {
  id: number
  name: string
  prefix: string
  /** The user who created it. */
  userId: string
  organizationId: number | null
  /** Whether it belongs to the organization instead of the person. */
  ofOrganization: boolean
  scopes: string[]
  createdMs: number
  lastUsedMs: number | null
}

export type Issue = {
  id: number
  projectId: number
  organizationId: number
  /** `WEB-42`. */
  shortId: string
  kind: IssueKind
  title: string
  culprit: string
  level: string
  platform: string
  logger: string
  metadata: { type?: string; value?: string; filename?: string; function?: string }
  status: Status
  substatus: Substatus | null
  statusDetails: StatusDetails
  /** When it entered its state. */
  stateMs: number
  /** Set by a person; null: derived from level and state. */
  priority: Priority | null
  assigneeUserId: string | null
  firstSeenMs: number
  lastSeenMs: number
  /** Number of events since the issue began. */
  count: number
  firstRelease: string
  lastRelease: string
  unhandled: boolean
  comments: number
  /** The noise verdict of the whole issue: the team cannot fix its cause. */
  noise: NoiseKind | null
  diagnosticCounts: SignCounts
  /** Incremented by each change by a person, for CONFLICT. */
  rev: number
}

/** Conditions on the state of issues, compiled to SQL in store/meta. Times in ms. */
export type IssueFilter =
  | { op: 'and' | 'or'; of: IssueFilter[] }
  | { op: 'not'; of: IssueFilter }
  | { op: 'status'; value: Issue['status'] }
  | { op: 'substatus'; value: string }
  | { op: 'assigned'; userId: string | null | 'any' }
  | { op: 'suggested'; userId: string }
  | { op: 'priority'; value: Priority }
  | { op: 'bookmarked' | 'subscribed'; userId: string }
  | {
      op: 'field'
      field:
        | 'title'
        | 'culprit'
        | 'level'
        | 'platform'
        | 'logger'
        | 'kind'
        | 'shortId'
        | 'firstRelease'
        | 'lastRelease'
        | 'errorType'
        | 'errorValue'
      match: 'is' | 'like'
      value: string
    }
  | {
      op: 'number'
      field: 'firstSeen' | 'lastSeen' | 'count' | 'id'
      compare: '<' | '<=' | '=' | '>=' | '>'
      value: number
    }
  | { op: 'unhandled'; value: boolean }
  /** The issue has a noise verdict. */
  | { op: 'noise' }
  /** The issue has feedback other than spam. */
  | { op: 'feedback' }
  /** Free text: title, culprit, type or value contains it, case-insensitively. */
  | { op: 'text'; value: string }

export type Activity = {
  id: number
  issueId: number
  type: RestActivity['type']
  createdMs: number
  userId: string | null
  data: Record<string, unknown>
}

export type OutcomeRow = { hourMs: number } & OutcomeCount

/** An event's data as an end of a hidden server error. */
export type FailureEffect = Failure & { traceId: string; route: string; userHash: string }

export type Priority = 'high' | 'medium' | 'low'

/** A project key as ingest needs it. */
export type IngestKey = {
  keyId: number
  projectId: number
  organizationId: number
  active: boolean
  /** `count` items in `windowS` seconds; absent: no limit. */
  rateLimit?: { count: number; windowS: number }
  /** Patterns such as `*`, `https://shop.example`, `*.shop.example`; empty or `*`: all. */
  allowedOrigins: string[]
}

/** All keys by public key (32 hex). Process app creates it; process main uses it for ingest and stores it in a file. */
export type KeySnapshot = {
  /** Incremented by each change. */
  version: number
  keys: Record<string, IngestKey>
}
