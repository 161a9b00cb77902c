import type { FrameKey } from './frames.ts'

/** One error event as a row. Hashes are unsigned 64-bit numbers as 16 lower-case hex characters. */
export type EventRow = {
  projectId: number
  /** First contributing hash: stands for the issue (meta maps it to one). */
  groupHash: string
  hashes: string[]
  /** Microseconds since 1970. */
  timestampUs: number
  receivedMs: number
  /** 32 lower-case hex. */
  eventId: string
  jpos: number
  /** Generation: grows when the row is written again with another hash. */
  gen: number
  /** Hash of id, else e-mail, else user name, else address; '' when no user is known. */
  userHash: string
  level: string
  environment: string
  release: string
  transaction: string
  type: string
  platform: string
  /** Title and values for word search. */
  message: string
  tags: Record<string, string>
  /** 32 lower-case hex, or ''. */
  traceId: string
  /** The number a React framework showed, or ''. */
  digest: string
  /** What a search finds of its frames, each text once, as `frameText` writes it. */
  frames: string[]
  /** `normalized JSON` + '\n' + `JSON as received, after scrubbing`. */
  payload: string
}

/** A place in the order of every list of events: by time (microseconds), then by id (32 hex). */
export type EventPosition = { timestampUs: number; eventId: string }

export type EventRef = EventPosition & {
  projectId: number
  groupHash: string
  receivedMs: number
}

/** What a stored event says of itself within a trace, and of its span: the start of ids as sent, '' where it says none. */
export type EventSpan = {
  projectId: number
  eventId: string
  spanId: string
  parentId: string
  title: string
  culprit: string
  /** `error`, `default`, `csp`, ... */
  type: string
  /** Of the exception; '' for none. */
  errorType: string
  errorValue: string
  level: string
  transaction: string
}

/** What is shown of an event: a row without what its payload says too. Each column more costs a query 0.5 ms. */
export type SeenEvent = EventRef & Pick<EventRow, 'jpos' | 'hashes' | 'tags' | 'traceId' | 'payload'>

/** Where an event stands within its issue: its number (1 = oldest kept) and the ids beside it. */
export type PlaceInIssue = { number: number; total: number; olderId: string | undefined; newerId: string | undefined }

/**
 * A condition on rows; `text` is a word search in `message`. Of a `like`, `*` stands for any run of characters, `\*` and
 * `\\` for the sign itself; the case of letters does not count.
 */
export type EventFilter =
  | { op: 'and' | 'or'; of: EventFilter[] }
  | { op: 'not'; of: EventFilter }
  | { op: 'tag'; key: string; match: 'is' | 'like' | 'has'; value: string }
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
  /** A tag that is read as a number; what is none meets no comparison. */
  | { op: 'tagNumber'; key: string; compare: '<' | '<=' | '=' | '>=' | '>'; value: number }
  /** What a frame, or the stack, has (frames.ts). */
  | { op: 'frame'; key: FrameKey; match: 'is' | 'like' | 'has'; value: string }
  | { op: 'releases'; values: string[] }
  /** Events of these projects, or of these groups of one project. */
  | { op: 'projects'; ids: number[] }
  | { op: 'groups'; hashes: string[] }
  /** `fromMs` is within, `toMs` is not. */
  | { op: 'time'; fromMs?: number; toMs?: number }

export type Scope = {
  projectIds: number[]
  /** Empty: all. */
  environments: string[]
  fromMs: number
  toMs: number
}

/** What one group (hash) did within a scope. */
export type GroupCount = {
  projectId: number
  groupHash: string
  events: number
  /** Only where they were asked for: to merge them costs more than all else. */
  users?: number
  lastMs: number
  firstMs: number
}

/** What a set of groups did within a scope, the buckets that have events in the order of time, and its users over all times. */
export type SetFigures = {
  events: number
  users: number
  lifetimeUsers: number
  series: { startMs: number; events: number }[]
}
