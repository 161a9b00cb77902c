import { randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { unpackDead } from '../journal/dead-letter.ts'
import type { RecordHead } from '../journal/journal.ts'
import type { RequestNote } from '../journal/request-log.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { DeadLetter } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { FromApp, ToApp } from './messages.ts'

/** Larger bodies go to the blobs, as in ingest. */
const spoolBytesMin = 1024 * 1024
const answerMs = 30_000

type AgainDeps = {
  clock: Clock
  meta: Pick<MetaStore, 'deadItemById'>
  blobs: BlobStore
  send(message: FromApp): void
  /** Adds an entry to the request log. */
  noted(note: RequestNote): void
}

/** Replays dead letters. */
type Again = {
  /**
   * Appends the record of the item to the journal again, with the id of the dead letter. The commit of that record
   * deletes the dead letter. Throws CONFLICT if its replay is in progress, VALIDATION if it contains no record.
   */
  send(item: DeadLetter & { id: number }): Promise<void>
  /** Returns the ledger count of a dead letter: 1, plus the spans that it contains. */
  counted(item: Pick<DeadLetter, 'blobKey'>): Promise<number>
  /** Handles the answer of the main process. */
  appended(message: ToApp & { kind: 'appended' }): void
}

/** Creates the replay of dead letters into the journal, which only the main process writes. */
export function createAgain(deps: AgainDeps): Again {
  const { clock, meta, blobs } = deps
  const waiting = new Map<number, (message: ToApp & { kind: 'appended' }) => void>()
  const underway = new Set<number>()
  let last = 0

  function append(head: RecordHead, body: Buffer): Promise<number> {
    const id = ++last
    return new Promise((resolve, reject) => {
      const end = () => {
        waiting.delete(id)
        cancel()
      }
      const cancel = clock.after(answerMs, () => {
        end()
        reject(new MishapError('ACCEPT_OVERLOADED', { detail: 'The journal did not answer.', retryAfterS: 5 }))
      })
      waiting.set(id, ({ jpos, code }) => {
        end()
        if (code) reject(new MishapError(code))
        else resolve(jpos)
      })
      deps.send({ kind: 'append', id, head, body })
    })
  }

  async function sendRecord(item: DeadLetter & { id: number }): Promise<void> {
    const kept = await blobs.get(item.blobKey)
    const dead = kept && unpackDead(kept)
    if (!dead) throw new MishapError('VALIDATION', { detail: 'The stored record of this dead letter is incomplete.' })
    const { id, blobKey, projectId, keyId, bytes } = item
    const head: RecordHead = { ...dead.head, again: { id, blobKey, projectId, keyId, bytes, ...dead.count } }
    let body = Buffer.from(dead.body)
    if (body.length > spoolBytesMin) {
      const day = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '')
      const key = `spool/${day}/${randomBytes(16).toString('hex')}`
      await blobs.put(key, body)
      head.spool = { key, bytes: body.length }
      body = Buffer.alloc(0)
    }
    const jpos = await append(head, body)
    const { eventId = '' } = head
    const note = { atMs: clock.now(), keyId, projectId, route: 'again', sdk: '', bytes, eventId, jpos }
    deps.noted({ ...note, status: 202, code: 'OK', reason: '', items: [], more: 0 })
  }

  return {
    send: async (item) => {
      for (const id of underway) if (!meta.deadItemById(id)) underway.delete(id)
      if (underway.has(item.id)) throw new MishapError('CONFLICT', { detail: 'It was already sent again.' })
      underway.add(item.id)
      try {
        await sendRecord(item)
      } catch (error) {
        underway.delete(item.id)
        throw error
      }
    },
    counted: async ({ blobKey }) => {
      const kept = await blobs.get(blobKey)
      return 1 + ((kept && unpackDead(kept)?.count.spans) ?? 0)
    },
    appended: (message) => waiting.get(message.id)?.(message),
  }
}
