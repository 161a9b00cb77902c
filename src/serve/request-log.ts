import { LRUCache } from 'lru-cache'
import { type RecordOutcomes, type RequestLogEntry, requestsPerKey } from '../journal/request-log.ts'

/** The request log: the newest requests of each key, in memory only. */
export type RequestLog = {
  /** Adds answers of ingest. */
  record(entries: readonly RequestLogEntry[]): void
  /** Adds the outcomes of the records of a commit. */
  complete(outcomes: readonly RecordOutcomes[]): void
  /** Returns the newest requests of these keys (0: without a known key), newest first, at most 100 per key. */
  of(keyIds: readonly number[]): RequestLogEntry[]
}

const keysMax = 1000
/** Outcomes that arrive before their note: ingest reports every half second, and refine is often faster. */
const earlyMax = 20_000

function settle(entry: RequestLogEntry, recordEnd: RecordOutcomes): void {
  const settled = entry.items.filter((item) => item.outcome !== 'waiting')
  const outcomes = recordEnd.items.map(({ type, bytes, outcome, reason }) => ({ type, bytes, outcome, reason }))
  entry.items = [...settled, ...outcomes]
  entry.more = recordEnd.more
  entry.eventId ||= recordEnd.items.find((item) => item.eventId !== '')?.eventId ?? ''
}

/** Creates an empty log of 1,000 keys with 100 requests each. The least recently active key is dropped first. */
export function createRequestLog(): RequestLog {
  const waiting = new Map<number, RequestLogEntry>()
  const early = new LRUCache<number, RecordOutcomes>({ max: earlyMax })
  const keys = new LRUCache<number, RequestLogEntry[]>({
    max: keysMax,
    dispose: (entries, _key, reason) => {
      if (reason === 'evict') for (const entry of entries) waiting.delete(entry.jpos)
    },
  })
  return {
    record: (entries) => {
      for (const entry of entries) {
        const logged = keys.get(entry.keyId) ?? []
        logged.push(entry)
        if (logged.length > requestsPerKey) waiting.delete(logged.shift()?.jpos ?? -1)
        keys.set(entry.keyId, logged)
        if (entry.jpos < 0) continue
        const recordEnd = early.get(entry.jpos)
        if (!recordEnd) waiting.set(entry.jpos, entry)
        else {
          early.delete(entry.jpos)
          settle(entry, recordEnd)
        }
      }
    },
    complete: (outcomes) => {
      for (const recordEnd of outcomes) {
        const entry = waiting.get(recordEnd.jpos)
        if (!entry) early.set(recordEnd.jpos, recordEnd)
        else {
          waiting.delete(recordEnd.jpos)
          settle(entry, recordEnd)
        }
      }
    },
    of: (keyIds) => keyIds.flatMap((id) => keys.peek(id) ?? []).sort((a, b) => b.atMs - a.atMs),
  }
}
