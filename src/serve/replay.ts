import { randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { unpackDeadLetter } from '../journal/dead-letter.ts'
import type { RecordHead } from '../journal/journal.ts'
import type { RequestLogEntry } from '../journal/request-log.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { DeadLetter } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { FromApp, ToApp } from './messages.ts'

/** Larger bodies go to the blobs, as in ingest. */
const spoolBytesMin = 1024 * 1024
const answerMs = 30_000

type ReplayDeps = {
  clock: Clock
  meta: MetaWith<'ledger.deadLetterById'>
  blobs: BlobStore
  send(message: FromApp): void
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
  /** Handles the answer of the main process. */
  appended(message: ToApp & { kind: 'appended' }): void
}

/** Returns the body of a record. A large body goes to a blob that `head` then names, and the record gets none. */
async function spooled(
  { clock, blobs }: Pick<ReplayDeps, 'clock' | 'blobs'>,
  head: RecordHead,
  body: Buffer,
): Promise<Buffer> {
  if (body.length <= spoolBytesMin) return body
  const day = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '')
  const key = `spool/${day}/${randomBytes(16).toString('hex')}`
  await blobs.put(key, body)
  head.spool = { key, bytes: body.length }
  return Buffer.alloc(0)
}

/** Creates the replay of dead letters into the journal, which only the main process writes. */
export function createReplay(deps: ReplayDeps): Replay {
  const { clock, meta, blobs } = deps
  const waiting = new Map<number, (message: ToApp & { kind: 'appended' }) => void>()
  const inFlight = new Set<number>()
  let last = 0

  function append(head: RecordHead, body: Buffer): Promise<number> {
    const id = ++last
    return new Promise((resolve, reject) => {
      const settle = () => {
        waiting.delete(id)
        cancel()
      }
      const cancel = clock.after(answerMs, () => {
        settle()
        reject(new MishapError('ACCEPT_OVERLOADED', { detail: 'The journal did not answer.', retryAfterS: 5 }))
      })
      waiting.set(id, ({ jpos, code }) => {
        settle()
        if (code) reject(new MishapError(code))
        else resolve(jpos)
      })
      deps.send({ kind: 'append', id, head, body })
    })
  }

  async function sendRecord(letter: DeadLetter & { id: number }): Promise<void> {
    const packed = await blobs.get(letter.blobKey)
    const letterRecord = packed && unpackDeadLetter(packed)
    if (!letterRecord)
      throw new MishapError('VALIDATION', { detail: 'The stored record of this dead letter is incomplete.' })
    const { id, blobKey, projectId, keyId, bytes } = letter
    const head: RecordHead = {
      ...letterRecord.head,
      again: { id, blobKey, projectId, keyId, bytes, ...letterRecord.count },
    }
    const jpos = await append(head, await spooled(deps, head, Buffer.from(letterRecord.body)))
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
    appended: (message) => waiting.get(message.id)?.(message),
  }
}
