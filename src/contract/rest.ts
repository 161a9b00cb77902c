import type { NoiseKind, RestSigns } from '../domain/diagnostics.ts'
import type { UnmappedReason } from '../domain/event.ts'
import type { StatusDetails, Substatus } from '../domain/issue-states.ts'
import type { RestDisk } from './rest-disk.ts'
import type { RestBrowserSide, RestFailure } from './rest-failure.ts'
import type { RestPerson } from './rest-triage.ts'

/** Shapes of the answers under /api/0/ (docs/rest.md), camelCase, as screens and other clients read them. */
export type RestOrganization = {
  id: string
  slug: string
  name: string
  dateCreated: string
  status: { id: 'active'; name: 'active' }
  features: string[]
  /** sentry-cli reads no organization without these three. */
  isEarlyAdopter: false
  require2FA: false
  requireEmailVerification: false
  links: { organizationUrl: string; regionUrl: string }
}

export type RestProject = {
  id: string
  slug: string
  name: string
  platform: string | null
  platforms: string[]
  dateCreated: string
  /** Time of the first event stored, or null. */
  firstEvent: string | null
  isMember: boolean
  hasAccess: boolean
  features: string[]
  status: 'active'
  teams: { id: string; slug: string; name: string }[]
  team: { id: string; slug: string; name: string } | null
  organization?: RestOrganization
  /** Ours: grows with each change; a change that names another one is refused (409). */
  revision: number
}

/** A project with its settings: what PUT takes and what one project answers. */
export type RestProjectSettings = RestProject & {
  options: Record<string, never>
  color: string
  isPublic: false
  resolveAge: 0
  subjectTemplate: ''
  digestsMinDelay: 0
  digestsMaxDelay: 0
  securityTokenHeader: null
  allowedDomains: string[]
  dataScrubber: boolean
  dataScrubberDefaults: boolean
  scrubIPAddresses: boolean
  sensitiveFields: string[]
  safeFields: string[]
  /** Ours to say: scripts that nobody uploaded are fetched. The token is shown as stars. */
  scrapeJavaScript: boolean
  verifySSL: boolean
  securityToken: string
  /** Rules of grouping, '' for none; the version that groups, and the one before while the project changes over. */
  fingerprintingRules: string
  groupingEnhancements: string
  groupingConfig: string
  secondaryGroupingConfig: string | null
  secondaryGroupingExpiry: string | null
}

export type IssueStatus = 'unresolved' | 'resolved' | 'ignored'
export type RestLevel = 'fatal' | 'error' | 'warning' | 'info' | 'debug'

/** One point: [seconds since 1970, events]. */
export type RestPoint = [number, number]

export type RestIssue = {
  id: string
  shortId: string
  title: string
  culprit: string
  permalink: string
  level: RestLevel
  status: IssueStatus
  substatus: Substatus | null
  statusDetails: StatusDetails
  platform: string
  project: { id: string; slug: string; name: string; platform: string | null }
  type: 'error' | 'default' | 'csp'
  metadata: { type?: string; value?: string; filename?: string; function?: string }
  issueType: 'error'
  issueCategory: 'error'
  priority: 'high' | 'medium' | 'low'
  /** Ours: where the priority comes from: the level, the state, or a person. */
  priorityReason: 'level' | 'escalating' | 'set'
  assignedTo: null | { type: 'user'; id: string; name: string; email: string }
  isUnhandled: boolean
  /** Ours: the verdict that nobody of the team can mend it; null where not each of its events says so. */
  noise: { kind: NoiseKind; sentence: string } | null
  isBookmarked: boolean
  /** Whether the caller has looked at it since it came, or came back. */
  hasSeen: boolean
  /** Ours: grows with each change of status or assignee; a change that names another one is refused (409). */
  revision: number
  /** Events over the asked range (a string, as other clients expect). */
  count: string
  userCount: number
  firstSeen: string
  lastSeen: string
  /** Under '24h' or '14d' or 'range': the points of the asked range, oldest first. */
  stats: Record<string, RestPoint[]>
  logger: string | null
  numComments: number
  /** Over the issue's life. */
  lifetime: { count: string; userCount: number; firstSeen: string; lastSeen: string }
  firstRelease: { version: string } | null
  lastRelease: { version: string } | null
}

/** GET organizations/{org}/members/ */
export type RestMember = {
  id: string
  email: string
  name: string
  user: { id: string; name: string; email: string; username: string }
  role: 'owner' | 'admin' | 'member' | 'viewer'
  orgRole: 'owner' | 'admin' | 'member' | 'viewer'
  pending: boolean
  expired: boolean
  inviteStatus: 'approved'
  dateCreated: string
}

/** One issue alone: list fields and its tags and activity. */
export type RestIssueDetail = RestIssue & {
  tags: { key: string; name: string; totalValues: number }[]
  activity: RestActivity[]
  digests: string[]
  /** Ours: what its server errors were in the browser; apart from all counts of the issue. */
  browserSide: RestBrowserSide
  /** Ours: the inbound filter of its project that drops events like its own; null without a verdict, and where none does. */
  noiseFilter: { id: string; isActive: boolean } | null
  /** Who has looked at it, the latest first. */
  seenBy: (RestPerson & { lastSeen: string })[]
  /** Who follows it, and whether the caller does and why. */
  participants: RestPerson[]
  isSubscribed: boolean
  subscriptionDetails: { reason: string } | null
  /** Ours: whom the rules of ownership suggest, and by which rule. */
  suggestedOwners: (RestPerson & { rule: string })[]
  /** Ours: events of it that the disk budget took out. Counts are of all. */
  thinned: number
}

export type RestActivity = {
  id: string
  type:
    | 'first_seen'
    | 'note'
    | 'set_resolved'
    | 'set_unresolved'
    | 'set_regression'
    | 'set_ignored'
    | 'assigned'
    | 'unassigned'
    | 'mapped_again'
    | 'merge'
    | 'unmerge'
    | 'set_resolved_in_release'
    | 'set_escalating'
    | 'auto_set_ongoing'
    | 'set_priority'
  dateCreated: string
  user: { id: string; name: string; email: string } | null
  data: Record<string, unknown>
}

export type RestFrame = {
  filename: string | null
  absPath: string | null
  module: string | null
  function: string | null
  rawFunction: string | null
  lineNo: number | null
  colNo: number | null
  /** [line number, text], in order. */
  context: [number, string][]
  inApp: boolean
  vars: Record<string, unknown> | null
  package: string | null
  platform: string | null
  instructionAddr: string | null
  /** What mapping found about a frame of JavaScript; null when it was not tried. `reason`: why it, or its source, is missing. */
  data: {
    symbolicated: boolean
    sourcemap: string | null
    resolvedWith: string | null
    reason: UnmappedReason | null
  } | null
}
export type RestStacktrace = { frames: RestFrame[]; framesOmitted: [number, number] | null; hasSystemFrames: boolean }
export type RestException = {
  type: string | null
  value: string | null
  module: string | null
  threadId: string | number | null
  mechanism: Record<string, unknown> | null
  stacktrace: RestStacktrace | null
  rawStacktrace: RestStacktrace | null
}
export type RestThread = {
  id: string | number | null
  name: string | null
  crashed: boolean
  current: boolean
  state: string | null
  stacktrace: RestStacktrace | null
}
export type RestBreadcrumb = {
  timestamp: string | null
  type: string
  category: string | null
  level: string
  message: string | null
  data: Record<string, unknown> | null
}
export type RestRequest = {
  url: string | null
  method: string | null
  query: [string, string][]
  fragment: string | null
  headers: [string, string][]
  cookies: [string, string][]
  data: unknown
  env: Record<string, unknown> | null
  inferredContentType: string | null
}

export type RestEntry =
  | { type: 'exception'; data: { values: RestException[]; hasSystemFrames: boolean } }
  | { type: 'threads'; data: { values: RestThread[] } }
  | { type: 'stacktrace'; data: RestStacktrace }
  | { type: 'breadcrumbs'; data: { values: RestBreadcrumb[] } }
  | { type: 'request'; data: RestRequest }
  | { type: 'message'; data: { formatted: string; message: string | null; params: unknown } }
  | { type: 'csp'; data: Record<string, unknown> }
  | { type: 'debugmeta'; data: { images: Record<string, unknown>[] } }
  | { type: 'template'; data: Record<string, unknown> }

export type RestEvent = {
  id: string
  eventID: string
  groupID: string
  projectID: string
  title: string
  message: string
  culprit: string
  location: string | null
  platform: string
  type: string
  metadata: Record<string, unknown>
  dateCreated: string
  dateReceived: string
  size: number
  dist: string | null
  release: { version: string } | null
  environment: string | null
  user: {
    id: string | null
    email: string | null
    username: string | null
    name: string | null
    ip_address: string | null
    geo: Record<string, string> | null
    data: Record<string, unknown> | null
  } | null
  tags: { key: string; value: string }[]
  contexts: Record<string, Record<string, unknown>>
  context: Record<string, unknown>
  packages: Record<string, string>
  sdk: { name: string; version: string; packages: { name: string; version: string }[]; integrations: string[] } | null
  errors: { type: string; message: string; data: Record<string, unknown> }[]
  fingerprints: string[]
  groupingConfig: { id: string }
  entries: RestEntry[]
  nextEventID: string | null
  previousEventID: string | null
  userReport: null
  occurrence: null
  _meta: Record<string, unknown>
  /** Ours: number within the issue (1 = oldest kept) and how many there are. */
  number: number
  total: number
  traceId: string | null
  spanId: string | null
  replayId: string | null
  digest: { value: string; found: string } | null
  /** Ours: what was recognized in it; null when nothing was. */
  signs: RestSigns | null
  /** Ours: every digest that it names, the surest first; `sure`: in a field or tag of its own. */
  digests: { value: string; found: string; sure: boolean }[]
  /** Ours: the other side of a server error that the browser shows as a number; null in lists and for all other events. */
  failure: RestFailure | null
  /** Ours: when its frames were mapped again, as their maps came after it; null otherwise. */
  dateMapped: string | null
  isUnhandled: boolean
  attachments: RestAttachment[]
  grouping: {
    version: number
    variants: { name: string; contributes: boolean; hash: string | null; why: string; values: string[] }[]
  }
}

export type RestAttachment = {
  id: string
  name: string
  type: string
  mimetype: string
  size: number
  dateCreated: string
  event_id: string
}

/** Values of a tag, most first; `unique` counts them all, also those that `values` leaves out. */
export type TagCount = { key: string; total: number; unique: number; values: { value: string; events: number }[] }
/** GET issues/{id}/tags/ */
export type RestTag = {
  key: string
  name: string
  totalValues: number
  uniqueValues: number
  topValues: { value: string; name: string; count: number }[]
}

/** Messages of the live stream (`event: change`): what changed after a commit. */
export type LiveChange =
  | { kind: 'events'; projects: { id: string; issues: { id: string; events: number; isNew: boolean }[] }[] }
  | { kind: 'issue'; id: string }
  | { kind: 'engine'; up: boolean }
  /** More happened since the id that the stream was resumed behind than is still known: look at everything once. */
  | { kind: 'missed' }

/** GET organizations/{org}/projects/{project}/arrivals/: what the waiting screen shows. */
export type RestArrivals = {
  /** Seconds since 1970 of the last request with one of the project's keys, or null. */
  connection: string | null
  firstEvent: string | null
  /** Stored, refused and not-yet-stored items of the last hour by kind. */
  items: { itemType: string; category: string; outcome: string; reason: string; quantity: number; sentence: string }[]
  newestIssue: { id: string; shortId: string; title: string } | null
}

/** GET /api/0/status/ */
export type RestStatus = {
  version: string
  startedAt: string
  engine: { up: boolean; version: string | null }
  journal: {
    lagBytes: number
    waitingRecords: number
    oldestWaitingMs: number
    boundBytes: number
    /** The store that processing waits for, as its disk is full or it is away; null when nothing holds it up. */
    waitsFor: { store: 'events' | 'database' | 'files'; since: string } | null
  }
  ledger: {
    received: number
    stored: number
    filtered: number
    rateLimited: number
    invalid: number
    duplicate: number
    waiting: number
    dead: number
    lost: number
    clientDiscards: number
    /** Events and attachments among the stored ones that the disk budget took out since. */
    thinned: number
    rows: { category: string; outcome: string; reason: string; quantity: number; bytes: number }[]
  }
  disk: RestDisk
  deadItems: { jpos: string; projectId: string; receivedAt: string; reason: string; bytes: number }[]
  versions: { name: string; version: string; advisory: string | null }[]
}

/** organizations/{org}/invitations/: somebody who was asked to join. */
export type RestInvitation = {
  id: string
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  invitedBy: { id: string; name: string; email: string } | null
  dateCreated: string
  dateExpires: string
  expired: boolean
}

/** organizations/{org}/feedback/: what somebody wrote about an application. Texts are theirs: never markup. */
export type RestFeedback = {
  id: string
  /** Screenshots are attachments of this id. */
  feedbackID: string
  kind: 'report' | 'feedback'
  project: { id: string; slug: string; name: string }
  name: string
  email: string
  message: string
  url: string
  eventID: string | null
  issue: { id: string; shortId: string } | null
  environment: string
  release: string
  status: 'new' | 'resolved' | 'spam'
  dateCreated: string
  attachments: { id: string; name: string; mimetype: string; size: number }[]
}

/** organizations/{org}/removals/: a deletion on its way through the stores. */
export type RestRemoval = {
  id: string
  kind: 'organization' | 'project' | 'issue' | 'discard'
  title: string
  /** null for an organization. */
  projectId: string | null
  issueId: string | null
  stage: 'asked' | 'blobs' | 'proof' | 'done'
  events: number
  files: number
  error: string
  dateCreated: string
  dateEnded: string | null
}
