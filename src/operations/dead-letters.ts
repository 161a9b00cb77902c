import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { DeadItem, MetaStore } from '../store/meta/meta.ts'

type Parts = {
  meta: Pick<MetaStore, 'deleteDeadItem'>
  blobs: Pick<BlobStore, 'delete'>
  clock: Pick<Clock, 'now'>
  /** What the ledger counted it as: 1, with the spans that came in it. */
  deadCount(item: DeadItem): Promise<number>
}

/** Deletes a dead letter and what is kept of it; the ledger counts it as deleted. Throws NOT_FOUND. */
export async function deleteDeadLetter(
  { meta, blobs, clock, deadCount }: Parts,
  item: DeadItem & { id: number },
): Promise<void> {
  const blobKey = meta.deleteDeadItem(item.id, await deadCount(item), clock.now())
  if (blobKey === undefined) throw new MishapError('NOT_FOUND')
  await blobs.delete(blobKey)
}
