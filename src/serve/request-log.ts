import { LRUCache } from 'lru-cache'
import { notesPerKey, type RecordEnd, type RequestNote } from '../journal/request-log.ts'

/** The request log: the newest requests of each key, in memory only. */
export type RequestLog = {
  /** Adds answers of ingest. */
  take(notes: readonly RequestNote[]): void
  /** Adds the outcomes of the records of a commit. */
  end(ends: readonly RecordEnd[]): void
  /** Returns the newest requests of these keys (0: without a known key), newest first, at most 100 per key. */
  of(keyIds: readonly number[]): RequestNote[]
}

const keysMax = 1000
/** Outcomes that arrive before their note: ingest reports every half second, and refine is often faster. */
const endsMax = 20_000

function settle(note: RequestNote, end: RecordEnd): void {
  const taken = note.items.filter((item) => item.outcome !== 'waiting')
  const ends = end.items.map(({ type, bytes, outcome, reason }) => ({ type, bytes, outcome, reason }))
  note.items = [...taken, ...ends]
  note.more = end.more
  note.eventId ||= end.items.find((item) => item.eventId !== '')?.eventId ?? ''
}

/** Creates an empty log of 1,000 keys with 100 requests each. The least recently active key is dropped first. */
export function createRequestLog(): RequestLog {
  const waiting = new Map<number, RequestNote>()
  const early = new LRUCache<number, RecordEnd>({ max: endsMax })
  const keys = new LRUCache<number, RequestNote[]>({
    max: keysMax,
    dispose: (notes, _key, reason) => {
      if (reason === 'evict') for (const note of notes) waiting.delete(note.jpos)
    },
  })
  return {
    take: (notes) => {
      for (const note of notes) {
        const known = keys.get(note.keyId) ?? []
        known.push(note)
        if (known.length > notesPerKey) waiting.delete(known.shift()?.jpos ?? -1)
        keys.set(note.keyId, known)
        if (note.jpos < 0) continue
        const end = early.get(note.jpos)
        if (!end) waiting.set(note.jpos, note)
        else {
          early.delete(note.jpos)
          settle(note, end)
        }
      }
    },
    end: (ends) => {
      for (const end of ends) {
        const note = waiting.get(end.jpos)
        if (!note) early.set(end.jpos, end)
        else {
          waiting.delete(end.jpos)
          settle(note, end)
        }
      }
    },
    of: (keyIds) => keyIds.flatMap((id) => keys.peek(id) ?? []).sort((a, b) => b.atMs - a.atMs),
  }
}
