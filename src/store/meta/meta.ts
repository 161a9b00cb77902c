import type { DataCategory, OutcomeCount } from '../../base/outcome.ts'
import type { RestActivity } from '../../contract/issues.ts'
import type { NoiseKind } from '../../domain/diagnostics.ts'
import type { ProjectFilters } from '../../domain/filters.ts'
import type { Status, StatusDetails, Substatus } from '../../domain/issue-states.ts'
import type { SignCounts, SignKey } from '../../domain/noise.ts'
import type { ArtifactSearchStore } from './artifacts/artifact-search.ts'
import type { ArtifactStore } from './artifacts/artifacts.ts'
import type { ChunkStore } from './artifacts/chunks.ts'
import type { KeepStore } from './database/snapshot.ts'
import type { EnvironmentStore } from './ingest/environments.ts'
import type { MissedStore } from './ingest/missing-source-maps.ts'
import type { AlertStore } from './issues/alerts.ts'
import type { AttentionStore } from './issues/attention.ts'
import type { BulkStore } from './issues/bulk.ts'
import type { FailureEffect, FailureStore } from './issues/error-links.ts'
import type { FeedbackEffect, FeedbackStore } from './issues/feedback.ts'
import type { CommentStore, IssueIdsStore } from './issues/issues.ts'
import type { MergeStore } from './issues/merge.ts'
import type { ClockworkStore } from './issues/scheduled-transitions.ts'
import type { SearchStore } from './issues/searches.ts'
import type { SuggestionStore } from './issues/suggestions.ts'
import type { IssueChangeStore, Priority } from './issues/triage.ts'
import type { MemberStore } from './people/members.ts'
import type { OrganizationStore } from './people/organization-change.ts'
import type { OrganizationRemovalStore } from './people/organization-removal.ts'
import type { ResetStore } from './people/resets.ts'
import type { FilteredEvent, FilterStore } from './projects/inbound-filters.ts'
import type { OwnershipStore } from './projects/ownership.ts'
import type { ScrapeStore } from './projects/scrape.ts'
import type { CommitStore } from './releases/commits.ts'
import type { DeployStore } from './releases/deploys.ts'
import type { ReleaseStore } from './releases/releases.ts'
import type { ThinningStore } from './retention/downsampling.ts'
import type { RemovalStore } from './retention/removals.ts'
import type { RegroupStoreMeta } from './retention/reprocessing.ts'

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
export type DeadItem = {
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
export type BatchEffects = {
  events: EventEffect[]
  attachments: AttachmentRow[]
  outcomes: OutcomeCount[]
  dead: DeadItem[]
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

/** The part of meta that refine works with (architecture.md "Exactly once"). */
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
  /** Scrub with the default rules (protocol.md 8.5). */
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
  Partial<ScrapeChange> &
  Partial<GroupingChange>
/** Rules of grouping, '' for none, and the version; another version begins the change-over from the one before. */
export type GroupingChange = { fingerprintRules: string; stackRules: string; groupingVersion: number }
/** How public scripts are fetched; a token '' is none. */
export type ScrapeChange = { scrape: boolean; scrapeTls: boolean; sealedScrapeToken: string }
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

/** Everything that is not an event: one store, one set of queries in Kysely, two dialects (SQLite now). */
export type MetaStore = BatchStore &
  AlertStore &
  KeepStore &
  MemberStore &
  FailureStore &
  FeedbackStore &
  FilterStore &
  OrganizationStore &
  RemovalStore &
  OrganizationRemovalStore &
  EnvironmentStore &
  ArtifactStore &
  ArtifactSearchStore &
  ChunkStore &
  CommitStore &
  DeployStore &
  ReleaseStore &
  ResetStore &
  MissedStore &
  RegroupStoreMeta &
  MergeStore &
  ScrapeStore &
  SearchStore &
  IssueChangeStore &
  CommentStore &
  IssueIdsStore &
  ClockworkStore &
  AttentionStore &
  BulkStore &
  OwnershipStore &
  SuggestionStore &
  ThinningStore & {
    /** Organizations. `createOrganization` makes the first member (owner) too. Slugs follow spec.md 5; CONFLICT when taken. */
    createOrganization(value: { slug: string; name: string; ownerUserId: string }): Organization
    organizationBySlug(slugOrId: string): Organization | undefined
    organizationById(id: number): Organization | undefined
    organizationsOf(userId: string): (Organization & { role: Role })[]
    organizations(): Organization[]
    memberOf(organizationId: number, userId: string): Member | undefined
    /** Adds a member or changes the role. */
    setMember(organizationId: number, userId: string, role: Role): void
    removeMember(organizationId: number, userId: string): void
    /** In the order of joining. */
    membersOf(organizationId: number): Member[]

    createProject(value: { organizationId: number; slug: string; name: string; platform: string | null }): Project
    projectsOf(organizationId: number): Project[]
    projectById(id: number): Project | undefined
    projectBySlug(organizationId: number, slugOrId: string): Project | undefined
    /** The project that had this slug before and has another one now. */
    projectByOldSlug(organizationId: number, slug: string): Project | undefined
    /** What a person set; `projectSettings` is what follows from it for refine. Throws NOT_FOUND. */
    scrubSettings(projectId: number): ScrubSettings
    /** How a project groups, as people set it. Throws NOT_FOUND. */
    groupingSettings(projectId: number): GroupingSettings
    updateProject(id: number, change: ProjectChange, by?: ChangedBy): Project

    createKey(projectId: number, label: string): ProjectKey
    keysOf(projectId: number): ProjectKey[]
    updateKey(id: number, value: KeyChange, by?: ChangedBy): ProjectKey
    deleteKey(id: number): void
    /** All keys for accept. */
    keySnapshot(): import('../../auth/keys.ts').KeySnapshot

    personById(userId: string): Person | undefined
    people(userIds: string[]): Person[]
    /** E-mails compare case-insensitively. */
    personByEmail(email: string): Person | undefined
    /** true while nobody has an account: /setup is open. */
    isEmpty(): boolean

    /** The issue, or the one that its events belong to now. */
    issueById(id: number): Issue | undefined
    issueByShortId(organizationId: number, shortId: string): Issue | undefined
    /** Issues of projects by state, newest first by `sort`; `after` is the last row of the page before. */
    listIssues(request: {
      projectIds: number[]
      filter?: IssueFilter
      fromMs?: number
      sort: 'last' | 'first'
      after?: { valueMs: number; id: number }
      max: number
    }): Issue[]
    countIssues(request: { projectIds: number[]; filter?: IssueFilter; fromMs?: number }): number
    /** The issues among `ids` that meet the filter. */
    issuesByIds(ids: number[], filter?: IssueFilter): Issue[]
    /** When each of the issues among `ids` that meet the filter was first seen (ms), by id. */
    issueStarts(ids: readonly number[], filter?: IssueFilter): Map<number, number>
    /** Hashes of the issues that meet the filter, with their issue, at most `max` of them and in no order. */
    groupsOfIssues(request: {
      projectIds: number[]
      filter?: IssueFilter
      fromMs?: number
      max: number
    }): { projectId: number; groupHash: string; issueId: number; firstSeenMs: number }[]
    /** Hash -> issue id, for hashes of the events store. Missing ones are absent. Keys are `${projectId}:${hash}`. */
    issueIdsOf(hashes: { projectId: number; groupHash: string }[]): Map<string, number>
    /** All hashes of each issue. */
    hashesOf(issueIds: number[]): Map<number, string[]>
    /** The issues among `ids` that the person has looked at; one that came back after a resolution counts as not seen. */
    seenBy(userId: string, ids: number[]): Set<number>
    activityOf(issueId: number): Activity[]
    /** The latest digests of an issue, newest first, at most 100. */
    digestsOf(issueId: number): string[]
    /** Issues that had this digest, latest first. */
    issuesOfDigest(
      projectIds: number[],
      digest: string,
    ): { issueId: number; projectId: number; eventId: string; lastMs: number }[]
    /** Names of environments seen in these projects, in alphabetical order, each once. */
    environmentsOf(projectIds: number[]): string[]
    /** Releases seen in these projects, latest event first. */
    releasesOf(
      projectIds: number[],
      max: number,
    ): { version: string; projectId: number; firstEventMs: number; lastEventMs: number }[]

    attachmentsOf(projectId: number, eventId: string): (AttachmentRow & { id: number })[]
    attachmentById(id: number): (AttachmentRow & { id: number }) | undefined

    createToken(value: {
      name: string
      userId: string
      organizationId: number | null
      scopes: string[]
      secret: string
      nowMs: number
    }): ApiToken
    tokenBySecret(secret: string): ApiToken | undefined
    /** A person's own tokens. */
    tokensOf(userId: string): ApiToken[]
    /** The organization's own tokens, oldest first. */
    tokensOfOrganization(organizationId: number): ApiToken[]
    deleteToken(id: number): void

    /** Adds counts to the hour of `atMs`. */
    addOutcomes(counts: OutcomeCount[], atMs: number): void
    outcomesSince(request: { projectIds?: number[]; fromMs: number }): OutcomeRow[]
    /** Sums since the hour of `fromMs`, by project, key, category, outcome and reason. */
    outcomeSums(request: { projectIds?: number[]; fromMs: number }): Omit<OutcomeCount, 'itemType'>[]
    /** Newest first. */
    deadItems(max: number, projectIds?: number[]): (DeadItem & { id: number })[]
    deadItemById(id: number): (DeadItem & { id: number }) | undefined
    /**
     * Deletes a dead item and counts it as deleted; `quantity`: what it was counted as, 1 but for spans. Returns the blob's key
     * to delete, undefined when it was gone.
     */
    deleteDeadItem(id: number, quantity: number, nowMs: number): string | undefined
    /** What attachments, dead items and bundles take, by project. */
    bytesByProject(): {
      projectId: number
      attachments: { count: number; bytes: number }
      dead: { count: number; bytes: number }
      /** Uploaded bundles; one that several projects share counts for the oldest of them. */
      bundles: { count: number; bytes: number }
    }[]
    /** Notes when accept saw keys last (a refusal too: the connection was seen). Unknown ids are skipped. */
    touchKeys(uses: { keyId: number; atMs: number }[]): void
    /** Removes old attachments, feedback and dead items. Outcomes stay 13 months, and longer if they count rows since `rowsBeforeMs`. Returns the blob keys to delete. */
    prune(nowMs: number, attachmentsBeforeMs: number, deadBeforeMs: number, rowsBeforeMs?: number): string[]

    getValue(name: string): string | undefined
    setValue(name: string, value: string): void
    close(): void
  }
