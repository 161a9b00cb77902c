import type { EventFilter } from './events.ts'

/** How a session ended, or that it goes on. The stored codes: a worse end has a higher number. */
export const sessionStatuses = ['ok', 'exited', 'errored', 'unhandled', 'abnormal', 'crashed'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/**
 * One row of `sessions`: an update of a session, or the sessions of one bucket of an aggregate that ended alike. Updates of
 * a session are told apart by `sid` within the project and the minute of its start.
 */
export type SessionRow = {
  projectId: number
  /** The session's id; of an aggregate or a session without id, a text of the row's own. Stored as a hash. */
  sid: string
  /** Milliseconds since 1970; stored to the minute. */
  startedMs: number
  release: string
  environment: string
  /** 0 to 2^53: the update with the highest one says what the session is. */
  seq: number
  status: SessionStatus
  hasErrors: boolean
  /** The update that starts the session: only a session with one of these counts, or one that crashed. */
  isInit: boolean
  /** Sessions that the row stands for: 1 for an update. */
  quantity: number
  /** 16 hex: hash of the user's id; '' when none was sent. */
  userHash: string
  /** Seconds; -1 when none was sent. */
  durationS: number
  receivedMs: number
  /** Position of the record that brought it, and its number within: together they identify the row. */
  jpos: number
  place: number
  /**
   * Items or buckets that the ledger counts for the row: 1 for the first row of an item or bucket, 0 for the
   * others.
   */
  entries: 0 | 1
}

/** Sessions or users by their end. `all` of sessions is their sum; a user may be in several of the others. */
export type HealthCounts = { all: number; errored: number; unhandled: number; abnormal: number; crashed: number }

/** Seconds; of sessions that exited and said how long they took. */
export type SessionDurations = { avg: number; p50: number; p75: number; p90: number; p95: number; p99: number }

/** The counts of one group of sessions. What was not asked for as a dimension is '' or 0. */
export type SessionGroup = {
  projectId: number
  release: string
  environment: string
  /** Start of the bucket, ms. */
  startMs: number
  sessions: HealthCounts
  /** Only where users were asked for. Estimates from some thousand users on. */
  users: HealthCounts | undefined
  /** Only where durations were asked for and there are any. */
  durations: SessionDurations | undefined
}

export type SessionScope = {
  projectIds: readonly number[]
  /** Empty: all. */
  environments: readonly string[]
  /** By the start of sessions, in whole minutes: `fromMs` is within, `toMs` is not. */
  fromMs: number
  toMs: number
  /** May hold fields `release` and `environment`, `releases` and `projects`, and what joins them. */
  filter?: EventFilter | undefined
}

export type SessionDimension = 'project' | 'release' | 'environment'

/** What is asked of release-health sessions. */
export type SessionStore = {
  /**
   * Counts of sessions by the dimensions, and by time where `bucketMs` is given (buckets begin at multiples of it; whole
   * minutes). Groups with the most sessions come first, `max` at most. Throws QUERY_TIMEOUT or STORE_UNAVAILABLE.
   */
  sessionGroups(request: {
    scope: SessionScope
    by: readonly SessionDimension[]
    bucketMs?: number
    users?: boolean
    durations?: boolean
    max: number
  }): Promise<SessionGroup[]>
  /** Days (UTC, ms) that started before `beforeMs` and still have rows of single updates, oldest first. */
  openSessionDays(beforeMs: number): Promise<number[]>
  /**
   * Replaces the updates of one day by a rollup for each project, release, environment and minute, in one step of the
   * engine. Nothing may be inserted or removed meanwhile. Safe to repeat. Returns how many rows it replaced.
   */
  closeSessionDay(dayMs: number): Promise<number>
}
