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

/** The items as listed in an entry. */
function itemsOf({ items, outcome, reason = 'ok', skip, jpos }: Ended): RequestItem[] {
  const skipped = new Set(skip)
  return items.map(({ type, bytes }, index) => {
    const ended = jpos === undefined ? outcome : skipped.has(index) ? 'rate_limited' : undefined
    return ended
      ? { type, bytes, outcome: ended, reason }
      : { type, bytes, outcome: 'waiting' as const, reason: '' as const }
  })
}

/** What an entry is made from. Most are overwritten before the next drain, so entries are made only then. */
type Noted = Ended &
  Pick<RequestLogEntry, 'atMs' | 'keyId' | 'projectId' | 'route' | 'sdk' | 'bytes'> & { more: number }

/** Keeps nothing of the request but short values: headers of items can have a MiB. Invented type names are replaced. */
function noteOf(request: IngestRequest, ended: Ended): Noted {
  const { key, req, target, client, receivedMs, wireBytes } = request
  return {
    ...ended,
    atMs: receivedMs,
    keyId: key?.keyId ?? 0,
    projectId: key?.projectId ?? 0,
    route: target.route.name,
    sdk: client || (req.headers['user-agent'] ?? ''),
    bytes: wireBytes,
    items: ended.items
      .slice(0, requestItemsMax)
      .map(({ type, bytes }) => ({ type: type === '' || isItemType(type) ? type : 'unknown', bytes })),
    more: Math.max(0, ended.items.length - requestItemsMax),
  }
}

const entryOf = (noted: Noted): RequestLogEntry => ({
  atMs: noted.atMs,
  keyId: noted.keyId,
  projectId: noted.projectId,
  route: noted.route,
  sdk: printable(noted.sdk),
  bytes: noted.bytes,
  status: noted.status,
  code: noted.code,
  reason: noted.reason ?? '',
  eventId: noted.eventId ?? '',
  jpos: noted.jpos ?? -1,
  items: itemsOf(noted),
  more: noted.more,
})

/** Creates the notes for the request log. They are bounded to 100 requests of 1,000 keys between two drains. */
export function createRequestLogBuffer(): RequestLogBuffer {
  let rings = new Map<number, { notes: Noted[]; next: number }>()
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
        ring = { notes: [], next: 0 }
        rings.set(keyId, ring)
      }
      ring.notes[ring.next] = noteOf(request, ended)
      ring.next = (ring.next + 1) % requestsPerKey
    },
    drain: () => {
      if (rings.size === 0) return []
      const drained = [...rings.values()].flatMap(({ notes }) => notes)
      rings = new Map()
      return drained.sort((a, b) => a.atMs - b.atMs).map(entryOf)
    },
    answers: () => [...counts.values()].map((count) => ({ ...count })),
  }
}
