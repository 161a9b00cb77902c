import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { unpackDeadLetter } from '../journal/dead-letter.ts'
import type { RecordHead } from '../journal/journal.ts'
import type { RequestLogEntry } from '../journal/request-log.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { DeadLetter } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { Append } from './append.ts'

type ReplayDeps = {
  clock: Clock
  meta: MetaWith<'ledger.deadLetterById'>
  blobs: BlobStore
  append: Append['append']
  /** Adds an entry to the request log. */
  logged(entry: RequestLogEntry): void
}

/** Replays dead letters. */
type Replay = {
  /**
   * Appends the record of the item to the journal again, with the id of the dead letter. The commit of that record
   * deletes the dead letter. Throws CONFLICT if its replay is in progress, NOT_FOUND if it was committed meanwhile,
   * VALIDATION if it contains no record.
   */
  send(letter: DeadLetter & { id: number }): Promise<void>
  /** Returns the ledger count of a dead letter: 1, plus the spans that it contains. */
  quantityOf(letter: Pick<DeadLetter, 'blobKey'>): Promise<number>
}

/** Creates the replay of dead letters into the journal, which only the main process writes. */
export function createReplay(deps: ReplayDeps): Replay {
  const { clock, meta, blobs } = deps
  const inFlight = new Set<number>()

  async function sendRecord(letter: DeadLetter & { id: number }): Promise<void> {
    const packed = await blobs.get(letter.blobKey)
    const letterRecord = packed && unpackDeadLetter(packed)
    if (!letterRecord)
      throw new MishapError('VALIDATION', { detail: 'The stored record of this dead letter is incomplete.' })
    const { id, blobKey, projectId, keyId, bytes } = letter
    const head: RecordHead = {
      ...letterRecord.head,
      // Totals are counted in the order of this lane.
      ...(letterRecord.head.kind === 'otlp_metrics' ? { lane: 'bulk' } : {}),
      again: { id, blobKey, projectId, keyId, bytes, ...letterRecord.count },
    }
    const jpos = await deps.append(head, Buffer.from(letterRecord.body))
    const { eventId = '' } = head
    const entry = { atMs: clock.now(), keyId, projectId, route: 'again', sdk: '', bytes, eventId, jpos }
    deps.logged({ ...entry, status: 202, code: 'OK', reason: '', items: [], more: 0 })
  }

  return {
    send: async (letter) => {
      for (const id of inFlight) if (!(await meta.ledger.deadLetterById(id))) inFlight.delete(id)
      if (inFlight.has(letter.id)) throw new MishapError('CONFLICT', { detail: 'It was already sent again.' })
      inFlight.add(letter.id)
      try {
        // Its replay can have been committed since the caller read it.
        if (!(await meta.ledger.deadLetterById(letter.id))) throw new MishapError('NOT_FOUND')
        await sendRecord(letter)
      } catch (error) {
        inFlight.delete(letter.id)
        throw error
      }
    },
    quantityOf: async ({ blobKey }) => {
      const packed = await blobs.get(blobKey)
      return 1 + ((packed && unpackDeadLetter(packed)?.count.spans) ?? 0)
    },
  }
}
