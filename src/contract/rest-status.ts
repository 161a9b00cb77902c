import type { RestStatus } from './rest.ts'

/** Shapes of what shows the state of the installation, beside RestStatus in rest.ts. */

/** GET organizations/{org}/ledger/: how items ended in a range, down to the key. */
export type RestLedger = {
  range: '1h' | '24h' | '30d' | '13m'
  /** Counts stand by the hour, so this is the beginning of an hour. */
  from: string
  rows: {
    /** Null: it came without a known key. */
    project: { id: string; slug: string } | null
    key: { id: string; label: string } | null
    category: string
    outcome: string
    reason: string
    /** Negative where a dead item was sent again: what it holds is counted anew. */
    quantity: number
    bytes: number
    /** What to do about it; empty when nothing. */
    todo: string
  }[]
}

/** GET organizations/{org}/dead-items/ */
export type RestDeadItem = {
  id: string
  project: { id: string; slug: string }
  key: { id: string; label: string } | null
  receivedAt: string
  reason: string
  bytes: number
}
/** GET organizations/{org}/dead-items/{id}/: `text` is the beginning of the record as it came, not scrubbed. */
export type RestDeadContent = RestDeadItem & { text: string; textBytes: number; totalBytes: number }

/** One request to ingest in the debugger. */
export type RestLoggedRequest = {
  receivedAt: string
  /** Id of the project key; null without a known one. */
  key: string | null
  route: string
  sdk: string
  /** Bytes on the wire. */
  bytes: number
  status: number
  code: string
  reason: string
  eventId: string | null
  /** What to do about the answer; empty when it was accepted. */
  todo: string
  items: { type: string; bytes: number; outcome: string; reason: string; todo: string }[]
  /** Items that are not listed. */
  more: number
}
/** GET projects/{org}/{project}/ingest/ */
export type RestRequestLog = {
  keys: { id: string; label: string; public: string; isActive: boolean }[]
  /** Newest first, at most 100 of each key. */
  requests: RestLoggedRequest[]
}

/** GET status/jobs/ */
export type RestJob = {
  name: string
  everyMs: number
  running: boolean
  lastRun: string | null
  durationMs: number
  result: Record<string, unknown>
  error: string
  failures: number
  nextRun: string | null
}

/** GET organizations/{org}/regroupings/: events that were mapped again, as their source maps came after them. */
export type RestRegroupings = {
  /** Newest first. */
  runs: {
    id: string
    project: { id: string; slug: string }
    /** `upload`: files came; `late`: maps that events did not wait for. */
    cause: 'upload' | 'late'
    dateCreated: string
    dateEnded: string | null
    /** Events that may have missed something, and how many of them were looked at. */
    total: number
    looked: number
    mapped: number
    /** Of those mapped: they belong to another issue now. */
    moved: number
    issues: number
    error: string
  }[]
  /** Projects whose events missed so many different files that the newest of them are not noted. */
  full: { project: { id: string; slug: string }; noted: number; refused: number; dateRefused: string }[]
}

/** GET organizations/{org}/usage/: what lies on disk, by project and kind. */
export type RestUsage = {
  projects: {
    id: string
    slug: string
    /** Null while the events store is away. `bytes` is a share of the store by rows and their received size; `thinned` were taken out by the disk budget. */
    events: { rows: number; bytes: number; thinned: number } | null
    spans: { rows: number; bytes: number } | null
    attachments: { count: number; bytes: number }
    deadItems: { count: number; bytes: number }
    /** Uploaded bundles; one that several projects share counts for the oldest of them. */
    artifacts: { count: number; bytes: number }
  }[]
  /** Of all organizations together: null for everybody but the operator. */
  journalBytes: number | null
  databaseBytes: number | null
  spoolBytes: number | null
}

/** organizations/{org}/status/: what became of what its projects were sent. What waits is not told apart by project. */
export type RestOrganizationStatus = {
  ledger: Omit<RestStatus['ledger'], 'waiting'>
  deadItems: number
  projects: number
}
