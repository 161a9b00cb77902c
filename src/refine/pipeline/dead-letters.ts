import { type DeadLetterCount, packDeadLetter } from '../../journal/dead-letter.ts'
import { openJournalReader } from '../../journal/files.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { Batch } from '../../store/meta/meta.ts'
import type { GroupDetails } from '../kinds/kind.ts'
import type { WorkerSetup } from './worker.ts'

/** The blob key of a dead letter. An event: its row's position. Spans: the record's position and the item's index. */
export const deadLetterKey = (jpos: number, index?: number): string =>
  index === undefined ? `dead/${jpos}` : `dead/${jpos}-${index}`

/** The blob key of the dead letter for rows that the store refuses. */
export const deadLetterKeyOf = ({ jpos, index, part }: Pick<GroupDetails, 'jpos' | 'index' | 'part'>): string =>
  deadLetterKey(jpos, part === 'only' ? undefined : index)

/** The source of a refused row: the position of its record, and which event (`only`) or item (`onlyItem`) of it. */
type DeadLetterSource = { jpos: number; index: number; part: 'only' | 'onlyItem' }

/** Packs the record of refused rows for a dead letter. The journal keeps the record until the commit. */
export async function recordOf(
  { worker, blobs }: { worker: Pick<WorkerSetup, 'journalFolder'>; blobs: Pick<BlobStore, 'get'> },
  batch: Batch,
  { jpos, index, part }: DeadLetterSource,
  count: DeadLetterCount,
): Promise<Buffer | undefined> {
  const reader = openJournalReader(worker.journalFolder)
  try {
    const record = reader.read(jpos, batch.to, 1, 65_536).records.find((entry) => entry.jpos === jpos)
    if (!record) return undefined
    const { head } = record
    const body = head.spool ? await blobs.get(head.spool.key) : record.body
    return body && packDeadLetter({ ...head, [part]: head[part] ?? index }, body, count)
  } finally {
    reader.close()
  }
}
