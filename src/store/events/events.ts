import type { FrameKey } from './frames.ts'

/** One error event as a row. Hashes are unsigned 64-bit numbers as 16 lower-case hex characters. */
export type EventRow = {
  projectId: number
  /** First contributing hash. It identifies the issue (meta maps it to one). */
  groupHash: string
  hashes: string[]
  /** Microseconds since 1970. */
  timestampUs: number
  receivedMs: number
  /** 32 lower-case hex. */
  eventId: string
  jpos: number
  /** Generation. It grows when the row is rewritten with another hash. */
  gen: number
  /** Hash of the user's id, else e-mail, user name or address; '' for an unknown user. */
  userHash: string
  level: string
  environment: string
  release: string
  transaction: string
  type: string
  platform: string
  /** Title and values for the word search. */
  message: string
  tags: Record<string, string>
  /** 32 lower-case hex, or ''. */
  traceId: string
  /** The digest that a React framework showed, or ''. */
  digest: string
  /** Searchable values of the frames, each text once, in the form of `frameText`. */
  frames: string[]
  /** `normalized JSON` + '\n' + `JSON as received, after scrubbing`. */
  payload: string
}

/** A position in the order of every list of events: by time (microseconds), then by id (32 hex). */
export type EventPosition = { timestampUs: number; eventId: string }

export type EventRef = EventPosition & {
  projectId: number
  groupHash: string
  receivedMs: number
}

/** Span and title of a stored event within a trace. Ids are the first characters as sent, '' for none. */
export type EventSpan = {
  projectId: number
  eventId: string
  spanId: string
  parentId: string
  title: string
  culprit: string
  /** `error`, `default`, `csp`, ... */
  type: string
  /** Type of the exception; '' for none. */
  errorType: string
  errorValue: string
  level: string
  transaction: string
}

/** The displayed part of an event: a row without columns that the payload repeats. Each extra column costs 0.5 ms. */
export type SeenEvent = EventRef & Pick<EventRow, 'jpos' | 'hashes' | 'tags' | 'traceId' | 'payload'>

/** Place of an event within its issue: its number (1 = oldest stored) and the ids before and after it. */
export type PlaceInIssue = { number: number; total: number; olderId: string | undefined; newerId: string | undefined }

/**
 * A condition on rows; `text` is a word search in `message`. In a `like`, `*` matches any run of characters, `\*` and
 * `\\` the character itself. Case is ignored.
 */
export type EventFilter =
  | { op: 'and' | 'or'; of: EventFilter[] }
  | { op: 'not'; of: EventFilter }
  /** `pairs`: all texts `key=value` that match, if the store has looked them up. */
  | { op: 'tag'; key: string; match: 'is' | 'like' | 'has'; value: string; pairs?: readonly string[] }
  | {
      op: 'field'
      field:
        | 'level'
        | 'environment'
        | 'release'
        | 'transaction'
        | 'type'
        | 'platform'
        | 'trace_id'
        | 'digest'
        | 'event_id'
        | 'message'
      match: 'is' | 'like' | 'has'
      value: string
    }
  | { op: 'text'; value: string }
  /** A tag read as a number. A value that is not a number matches no comparison. */
  | { op: 'tagNumber'; key: string; compare: '<' | '<=' | '=' | '>=' | '>'; value: number }
  /** A property of a frame or of the stack (frames.ts). */
  | { op: 'frame'; key: FrameKey; match: 'is' | 'like' | 'has'; value: string }
  | { op: 'releases'; values: string[] }
  /** Events of these projects, or of these groups of one project. */
  | { op: 'projects'; ids: number[] }
  | { op: 'groups'; hashes: string[] }
  /** `fromMs` is inclusive, `toMs` exclusive. */
  | { op: 'time'; fromMs?: number; toMs?: number }

export type Scope = {
  projectIds: number[]
  /** Empty: all. */
  environments: string[]
  fromMs: number
  toMs: number
}

/** Shorter scopes read the rows: there are few, and rounding to whole hours would be visible at the edges. */
const rollupFromMs = 12 * 3_600_000

/** Returns whether whole hours are precise enough for the scope. */
export const isLong = ({ fromMs, toMs }: Pick<Scope, 'fromMs' | 'toMs'>): boolean => toMs - fromMs >= rollupFromMs

/** Events of one group (hash) within a scope. */
export type GroupEvents = {
  projectId: number
  groupHash: string
  events: number
  /** Set on request only: merging users costs more than everything else. */
  users?: number
}

/** Events of one group within a scope, and the time of the last event. */
export type GroupCount = GroupEvents & { lastMs: number }

/** Stats of a set of groups within a scope. `series` has the non-empty buckets in time order. */
export type SetStats = {
  events: number
  users: number
  lifetimeUsers: number
  series: { startMs: number; events: number }[]
}
