import type { ErrorCode } from '../base/errors.ts'
import type { Outcome, OutcomeReason } from '../base/outcome.ts'

/** The request log, fed by ingest (a note) and by refine (outcomes). It has types, sizes and ids, but no content. */

/** The outcome of one item. */
export type ItemOutcome = {
  type: string
  bytes: number
  outcome: Outcome
  reason: OutcomeReason
  /** Event id, or '' for other items. */
  eventId: string
  /** Position of an event's row or of the record that contained the spans, else -1. */
  at: number
  /** Set for a transaction or a span item: the item's index in its record. */
  index?: number
}

/** The outcomes of one journal record. `more`: number of items that are not listed. */
export type RecordOutcomes = { jpos: number; keyId: number; items: ItemOutcome[]; more: number }

/** One item of a request: its outcome from ingest, or `waiting` while refine has it. */
export type RequestItem = { type: string; bytes: number; outcome: Outcome | 'waiting'; reason: OutcomeReason | '' }

/** One request to ingest and its response. */
export type RequestLogEntry = {
  atMs: number
  /** 0 when the key is unknown. */
  keyId: number
  projectId: number
  route: string
  /** `name/version` from the SDK, else the beginning of its user agent. Printable ASCII. */
  sdk: string
  /** Bytes on the wire. */
  bytes: number
  status: number
  code: ErrorCode | 'OK'
  /** Why the request was refused or limited, else ''. */
  reason: OutcomeReason | ''
  eventId: string
  /** Position of its journal record, or -1 when nothing was stored. */
  jpos: number
  items: RequestItem[]
  /** Number of items that are not listed. */
  more: number
}

/** Maximum number of stored requests per key, and of listed items per request. */
export const requestsPerKey = 100
export const requestItemsMax = 50
