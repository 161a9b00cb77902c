import type { ErrorCode } from '../base/errors.ts'
import type { Outcome, OutcomeReason } from '../base/outcome.ts'

/** What the ingest debugger is told, from accept (a note) and from refine (an end): of content only types, sizes, ids. */

/** How one item ended. */
export type ItemEnd = {
  type: string
  bytes: number
  outcome: Outcome
  reason: OutcomeReason
  /** Id of an event, else ''. */
  eventId: string
  /** Position of an event's row, or of the record that spans came in, else -1. */
  at: number
  /** Of a transaction or a span item: which item of its record it is. */
  index?: number
}

/** How the items of one journal record ended. `more` is how many are not listed. */
export type RecordEnd = { jpos: number; keyId: number; items: ItemEnd[]; more: number }

/** One item of a request: how accept ended it, or `waiting` while refine has it. */
export type NoteItem = { type: string; bytes: number; outcome: Outcome | 'waiting'; reason: OutcomeReason | '' }

/** One request to ingest and how it was answered. */
export type RequestNote = {
  atMs: number
  /** 0: without a known key. */
  keyId: number
  projectId: number
  route: string
  /** `name/version` as the SDK says, else the beginning of its user agent; printable ASCII. */
  sdk: string
  /** Bytes on the wire. */
  bytes: number
  status: number
  code: ErrorCode | 'OK'
  /** Why it was refused or limited, else ''. */
  reason: OutcomeReason | ''
  eventId: string
  /** Its record in the journal, -1 when nothing was kept. */
  jpos: number
  items: NoteItem[]
  /** Items that are not listed. */
  more: number
}

/** Requests that are kept of each key, and items that are listed of one request. */
export const notesPerKey = 100
export const noteItemsMax = 50
