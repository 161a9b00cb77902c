import type { ErrorCode } from '../base/errors.ts'
import type { Outcome, OutcomeReason } from '../base/outcome.ts'
import { type RequestItem, type RequestLogEntry, requestItemsMax, requestsPerKey } from '../journal/request-log.ts'
import type { ItemSpan } from '../wire/envelope.ts'
import { isItemType } from '../wire/item-types.ts'
import type { IngestRequest } from './request.ts'

/** Maximum keys with notes between two drains, about half a second. Requests of further keys are only counted. */
const keysMax = 1000
const sdkCharsMax = 100

/** The answer to a request, and the outcome of its items. */
type Ended = {
  status: number
  code: ErrorCode | 'OK'
  reason?: OutcomeReason
  eventId?: string
  /** Journal position of the appended record. */
  jpos?: number
  items: readonly (ItemSpan | { type: string; bytes: number })[]
  /** Outcome of all items (only those in `skip` if a record was appended); absent: they wait for refine. */
  outcome?: Outcome
  skip?: readonly number[] | undefined
}

export type RequestLogBuffer = {
  add(request: IngestRequest, ended: Ended): void
  /** Returns and clears the newest notes of each key since the last call, at most 100 per key, by time. */
  drain(): RequestLogEntry[]
  /** Requests by status and code since the process started. */
  answers(): { status: number; code: string; count: number }[]
}

const printable = (text: string) => text.slice(0, sdkCharsMax).replace(/[^\x20-\x7e]/g, '?')

/** The items as listed in a note. Invented type names are replaced. */
function itemsOf({ items, outcome, reason = 'ok', skip, jpos }: Ended): RequestItem[] {
  const skipped = new Set(skip)
  return items.slice(0, requestItemsMax).map(({ type, bytes }, index) => {
    const name = type === '' || isItemType(type) ? type : 'unknown'
    const ended = jpos === undefined ? outcome : skipped.has(index) ? 'rate_limited' : undefined
    return ended
      ? { type: name, bytes, outcome: ended, reason }
      : { type: name, bytes, outcome: 'waiting' as const, reason: '' as const }
  })
}

/** Creates the notes for the request log. They are bounded to 100 requests of 1,000 keys between two drains. */
export function createRequestLogBuffer(): RequestLogBuffer {
  let rings = new Map<number, { entries: RequestLogEntry[]; next: number }>()
  const counts = new Map<string, { status: number; code: string; count: number }>()

  return {
    add: (request, ended) => {
      const { status, code } = ended
      const name = `${status} ${code}`
      const counted = counts.get(name)
      if (counted) counted.count++
      else counts.set(name, { status, code, count: 1 })
      const keyId = request.key?.keyId ?? 0
      let ring = rings.get(keyId)
      if (!ring) {
        if (rings.size >= keysMax) return
        ring = { entries: [], next: 0 }
        rings.set(keyId, ring)
      }
      ring.entries[ring.next] = {
        atMs: request.receivedMs,
        keyId,
        projectId: request.key?.projectId ?? 0,
        route: request.target.route.name,
        sdk: printable(request.client || (request.req.headers['user-agent'] ?? '')),
        bytes: request.wireBytes,
        status,
        code,
        reason: ended.reason ?? '',
        eventId: ended.eventId ?? '',
        jpos: ended.jpos ?? -1,
        items: itemsOf(ended),
        more: Math.max(0, ended.items.length - requestItemsMax),
      }
      ring.next = (ring.next + 1) % requestsPerKey
    },
    drain: () => {
      if (rings.size === 0) return []
      const drained = [...rings.values()].flatMap(({ entries }) => entries)
      rings = new Map()
      return drained.sort((a, b) => a.atMs - b.atMs)
    },
    answers: () => [...counts.values()].map((count) => ({ ...count })),
  }
}
