import { type DeadCount, packDead } from '../../journal/dead-letter.ts'
import { openJournalReader } from '../../journal/files.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { Batch } from '../../store/meta/meta.ts'
import type { GroupFacts } from '../kinds/kind.ts'
import type { WorkerSetup } from './worker.ts'

/** Where a dead item is kept: of an event by its row's position, of spans by their record's and the item that brought them. */
export const deadKey = (jpos: number, index?: number): string =>
  index === undefined ? `dead/${jpos}` : `dead/${jpos}-${index}`

/** Where rows that the store refuses are kept as a dead letter. */
export const deadKeyOf = ({ jpos, index, part }: Pick<GroupFacts, 'jpos' | 'index' | 'part'>): string =>
  deadKey(jpos, part === 'only' ? undefined : index)

/** What a refused row was made from: a record's position, and which event (`only`) or which item (`onlyItem`) of it. */
export type DeadFrom = { jpos: number; index: number; part: 'only' | 'onlyItem' }

/** The record that refused rows were made from, as a dead item keeps it: the journal has it until the commit. */
export async function recordOf(
  { worker, blobs }: { worker: Pick<WorkerSetup, 'journalFolder'>; blobs: Pick<BlobStore, 'get'> },
  batch: Batch,
  { jpos, index, part }: DeadFrom,
  count: DeadCount,
): Promise<Buffer | undefined> {
  const reader = openJournalReader(worker.journalFolder)
  try {
    const record = reader.read(jpos, batch.to, 1, 65_536).records.find((entry) => entry.jpos === jpos)
    if (!record) return undefined
    const { head } = record
    const body = head.spool ? await blobs.get(head.spool.key) : record.body
    return body && packDead({ ...head, [part]: head[part] ?? index }, body, count)
  } finally {
    reader.close()
  }
}
