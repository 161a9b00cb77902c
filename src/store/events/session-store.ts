import type { EventFilter } from './events.ts'

/** Status of a session. The index is the stored code: a worse end has a higher number. */
export const sessionStatuses = ['ok', 'exited', 'errored', 'unhandled', 'abnormal', 'crashed'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/**
 * One row of `sessions`: an update of a session, or the sessions of one aggregate bucket with the same status. Updates
 * of a session share `sid`, project and start minute.
 */
export type SessionRow = {
  projectId: number
  /** The session's id. Aggregates and sessions without id get a unique text. Stored as a hash. */
  sid: string
  /** Milliseconds since 1970; stored to the minute. */
  startedMs: number
  release: string
  environment: string
  /** 0 to 2^53. The update with the highest number determines the session. */
  seq: number
  status: SessionStatus
  hasErrors: boolean
  /** The update starts the session. Only sessions with such an update count, or crashed ones. */
  isInit: boolean
  /** Number of sessions of the row: 1 for an update. */
  quantity: number
  /** 16 hex: hash of the user's id; '' if none was sent. */
  userHash: string
  /** Seconds; -1 if none was sent. */
  durationS: number
  receivedMs: number
  /** Position of the row's record and number within the record: together they identify the row. */
  jpos: number
  place: number
  /** Items or buckets that the ledger counts for the row: 1 for the first row of an item or bucket, 0 for others. */
  entries: 0 | 1
}

/** Sessions or users by status. For sessions, `all` is the sum. A user can be in several statuses. */
export type HealthCounts = { all: number; errored: number; unhandled: number; abnormal: number; crashed: number }

/** Durations in seconds of exited sessions that sent a duration. */
export type SessionDurations = { avg: number; p50: number; p75: number; p90: number; p95: number; p99: number }

/** Counts of one group of sessions. Dimensions that were not requested are '' or 0. */
export type SessionGroup = {
  projectId: number
  release: string
  environment: string
  /** Start of the bucket, ms. */
  startMs: number
  sessions: HealthCounts
  /** Set if users were requested. Estimates from some thousand users on. */
  users: HealthCounts | undefined
  /** Set if durations were requested and there are any. */
  durations: SessionDurations | undefined
}

export type SessionScope = {
  projectIds: readonly number[]
  /** Empty: all. */
  environments: readonly string[]
  /** By session start, in whole minutes: `fromMs` is inclusive, `toMs` exclusive. */
  fromMs: number
  toMs: number
  /** Allowed: fields `release` and `environment`, `releases`, `projects`, and operators that combine them. */
  filter?: EventFilter | undefined
}

export type SessionDimension = 'project' | 'release' | 'environment'

/** Queries of release-health sessions, and the rollup of their days. */
export type SessionStore = {
  /**
   * Counts sessions by the dimensions, and by time if `bucketMs` is set (buckets start at its multiples; whole
   * minutes). Returns at most `max` groups, the largest first. Throws QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  sessionGroups(request: {
    scope: SessionScope
    by: readonly SessionDimension[]
    bucketMs?: number
    users?: boolean
    durations?: boolean
    max: number
  }): Promise<SessionGroup[]>
  /** Returns days (UTC, ms) that started before `beforeMs` and still have rows of single updates, oldest first. */
  openSessionDays(beforeMs: number): Promise<number[]>
  /**
   * Replaces the updates of one day by a rollup per project, release, environment and minute, atomically. Nothing may
   * be inserted or removed meanwhile. Safe to repeat. Returns the number of replaced rows.
   */
  closeSessionDay(dayMs: number): Promise<number>
}
