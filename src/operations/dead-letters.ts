import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { DeadLetter } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type Deps = {
  meta: MetaWith<'ledger.deleteDeadLetter'>
  blobs: Pick<BlobStore, 'delete'>
  clock: Pick<Clock, 'now'>
  /** The number of outcomes that the ledger counted for it: 1, plus its spans. */
  deadLetterCount(item: DeadLetter): Promise<number>
}

/** Deletes a dead letter and its blob. The ledger counts it as deleted. Throws NOT_FOUND. */
export async function deleteDeadLetter(
  { meta, blobs, clock, deadLetterCount }: Deps,
  item: DeadLetter & { id: number },
): Promise<void> {
  const blobKey = await meta.ledger.deleteDeadLetter(item.id, await deadLetterCount(item), clock.now())
  if (blobKey === undefined) throw new MishapError('NOT_FOUND')
  await blobs.delete(blobKey)
}
