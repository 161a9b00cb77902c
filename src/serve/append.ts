import { randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { RecordHead } from '../journal/journal.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { FromApp, ToApp } from './messages.ts'

/** Larger bodies go to the blobs, as in ingest. */
const spoolBytesMin = 1024 * 1024
const answerMs = 30_000

type AppendDeps = { clock: Clock; blobs: BlobStore; send(message: FromApp): void }

/** Appends records of process app to the journal, which only process main writes. */
export type Append = {
  /**
   * Resolves with the position of the record on disk. Throws ACCEPT_OVERLOADED, also if main does not answer, or
   * ACCEPT_DISK_FULL.
   */
  append(head: RecordHead, body: Buffer): Promise<number>
  /** Handles the answer of the main process. */
  appended(message: ToApp & { kind: 'appended' }): void
}

/** Returns the body of a record. A large body goes to a blob that `head` then names, and the record gets none. */
async function spooled({ clock, blobs }: AppendDeps, head: RecordHead, body: Buffer): Promise<Buffer> {
  if (body.length <= spoolBytesMin) return body
  const day = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '')
  const key = `spool/${day}/${randomBytes(16).toString('hex')}`
  await blobs.put(key, body)
  head.spool = { key, bytes: body.length }
  return Buffer.alloc(0)
}

/** Creates the way of records from process app into the journal. */
export function createAppend(deps: AppendDeps): Append {
  const waiting = new Map<number, (message: ToApp & { kind: 'appended' }) => void>()
  let last = 0

  function send(head: RecordHead, body: Buffer): Promise<number> {
    const id = ++last
    return new Promise((resolve, reject) => {
      const settle = () => {
        waiting.delete(id)
        cancel()
      }
      const cancel = deps.clock.after(answerMs, () => {
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

  return {
    append: async (head, body) => {
      const own = { ...head }
      return await send(own, await spooled(deps, own, body))
    },
    appended: (message) => waiting.get(message.id)?.(message),
  }
}
