import type { DataCategory, OutcomeCount } from '../../base/outcome.ts'
import type { RestActivity } from '../../contract/issues.ts'
import type { NoiseKind } from '../../domain/diagnostics.ts'
import type { Failure } from '../../domain/error-links.ts'
import type { ProjectFilters } from '../../domain/filters.ts'
import type { Status, StatusDetails, Substatus } from '../../domain/issue-states.ts'
import type { SignCounts, SignKey } from '../../domain/noise.ts'
import type { ProjectSwitches } from '../../domain/project-switches.ts'
import type { FeedbackEffect } from './issues/feedback.ts'
import type { FilteredEvent } from './projects/inbound-filters.ts'
import type { ReleaseEffects } from './releases/release-effects.ts'
/** What one stored event does to its issue; made by refine, applied in the batch's one transaction. */
export type EventEffect = {
  projectId: number
  keyId: number
  jpos: number
  eventId: string
  /** All hashes, first contributing first (16 hex each). */
  hashes: string[]
  title: string
  culprit: string
  kind: 'error' | 'message' | 'csp'
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
  /** What is counted of its signs; absent for nearly all. */
  signs?: SignKey[]
  /** It is one side of a server error that the browser shows as a number; absent for nearly all. */
  failure?: FailureEffect
  /** Names of maps that it missed, as `missed` keeps them; absent for none. */
  misses?: string[]
  /** Public scripts that it ran and that nobody uploaded (`scrapeName`); absent where its project fetches none. */
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

export type DeadAgain = {
  id: number
  projectId: number
  keyId: number
  category: DataCategory
  itemType: string
  /** What was counted as dead beside it, each as one: its spans, or entries of category `of`. */
  spans?: number
  of?: DataCategory
  bytes: number
}

export type Batch = { seq: number; from: number; to: number }
export type BatchEffects = ReleaseEffects & {
  events: EventEffect[]
  attachments: AttachmentRow[]
  outcomes: OutcomeCount[]
  dead: DeadLetter[]
  /** Dead items that came again: taken out, and taken back out of the ledger, as what they hold is counted anew. */
  again?: DeadAgain[]
  /** Counted at the commit, which knows what stands already. */
  feedback?: FeedbackEffect[]
  /** Of what filters dropped: a hundredth, to look at. */
  samples?: FilteredEvent[]
}
/** What changed, for listeners: after the commit only. */
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

/** The part of meta that refine works with (ARCHITECTURE.md "Exactly once"). */
export type BatchStore = {
  /** Everything before this position is refined and committed. */
  cursor(): number
  /** Intents that were open when the last process ended, in order. */
  openBatches(): Batch[]
  /** Commits the intent; before the batch's insert. */
  openBatch(from: number, to: number): Batch
  /** One transaction: issues, counters, releases, outcomes, dead items, attachments, and cursor = batch.to. Batches commit in order. */
  commitBatch(batch: Batch, effects: BatchEffects, nowMs: number): BatchResult
  projectSettings(projectId: number): ProjectSettings | undefined
}

/** Switches of one project that refine reads; all have defaults. */
export type ProjectSettings = {
  projectId: number
  organizationId: number
  /** Scrub with the default rules. */
  scrubDefaults: boolean
  scrubIpAddresses: boolean
  sensitiveFields: string[]
  safeFields: string[]
  /** Hashes of issues that people deleted for good: events that have one are filtered. */
  discardedHashes?: string[]
  /** What is dropped of what comes in; absent when nothing is. */
  filters?: ProjectFilters
  /** People deleted the project: what still comes of it is filtered. */
  removed?: true
  /** The project has uploaded artifacts; the text is another one whenever those change. */
  artifacts?: string
  /** Names of all that it has, for `lookIn` (refine/symbolicate/presence.ts); absent where those are too many. */
  artifactNames?: SharedArrayBuffer
  /** Scripts that nobody uploaded are fetched from where they are. */
  scrape?: true
  /** How events are grouped; absent: by version 1, without rules. */
  grouping?: GroupingSettings
}

/** How a project groups. Texts of rules are '' for none (docs/grouping.md). */
export type GroupingSettings = {
  fingerprintRules: string
  stackRules: string
  version: number
  /** The version before, and until when (ms) its hashes are looked up, too. */
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
  /** Grows with each change of a person. */
  rev: number
}
/** What can be changed of a project. */
export type ProjectChange = {
  name?: string
  /** The old one goes on leading here, until another project takes it. */
  slug?: string
  platform?: string | null
  allowedOrigins?: string[]
  /** Those that are named change. */
  filters?: Partial<ProjectFilters>
} & Partial<ScrubSettings> &
  Partial<ProjectSwitches> &
  Partial<ScrapeChange> &
  Partial<GroupingChange>
/** Rules of grouping, '' for none, and the version; another version begins the change-over from the one before. */
export type GroupingChange = { fingerprintRules: string; stackRules: string; groupingVersion: number }
/** How public scripts are fetched; a token '' is none. */
type ScrapeChange = { scrape: boolean; scrapeTls: boolean; sealedScrapeToken: string }
/** What a project says about scrubbing. */
export type ScrubSettings = {
  /** Off: neither the default rules nor the project's own names are applied; addresses have a switch of their own. */
  scrub: boolean
  scrubDefaults: boolean
  scrubIpAddresses: boolean
  sensitiveFields: string[]
  safeFields: string[]
}
/** Who makes a change, and the revision that it was made for; CONFLICT when the thing has another one by now. */
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
  /** What a loader script would load (`latest`, `10.x`), and its options as clients set them, by name. */
  browserSdk: string
  loaderOptions: Record<string, boolean>
  rev: number
}
/** `loaderOptions`: those that are named; the others stay. */
export type KeyChange = Partial<Pick<ProjectKey, 'label' | 'active' | 'rateLimit' | 'browserSdk' | 'loaderOptions'>>
export type Member = { organizationId: number; userId: string; role: Role; createdMs: number }
export type Person = { id: string; name: string; email: string }
export type ApiToken = {
  id: number
  name: string
  prefix: string
  /** Who made it. */
  userId: string
  organizationId: number | null
  /** The organization's, not the person's. */
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
  kind: 'error' | 'message' | 'csp'
  title: string
  culprit: string
  level: string
  platform: string
  logger: string
  metadata: { type?: string; value?: string; filename?: string; function?: string }
  status: Status
  substatus: Substatus | null
  statusDetails: StatusDetails
  /** Since when it is in its state. */
  stateMs: number
  /** What a person gave; null: it follows from level and state. */
  priority: Priority | null
  assigneeUserId: string | null
  firstSeenMs: number
  lastSeenMs: number
  /** Events over the issue's life. */
  count: number
  firstRelease: string
  lastRelease: string
  unhandled: boolean
  comments: number
  /** The verdict on the issue as a whole: nobody of the team can mend it. */
  noise: NoiseKind | null
  signCounts: SignCounts
  /** Grows with each change by a person; for CONFLICT. */
  rev: number
}

/** Conditions on issues' own state; compiled to SQL in store/meta. Times in ms. */
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
  /** It carries a verdict that it is noise. */
  | { op: 'noise' }
  /** Somebody sent feedback about one of its events; what was called spam does not count. */
  | { op: 'feedback' }
  /** Free text: any of title, culprit, type and value contains it, case-insensitively. */
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

/** One side of a hidden server error, as an event brings it. */
export type FailureEffect = Failure & { traceId: string; route: string; userHash: string }

export type Priority = 'high' | 'medium' | 'low'

/** One project key as accept needs it. */
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

/** All keys by public key (32 hex). Process app makes it, process main accepts by it and keeps it in a file. */
export type KeySnapshot = {
  /** Grows with each change. */
  version: number
  keys: Record<string, IngestKey>
}
