import { MishapError } from '../base/errors.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { Export, ExportStore } from '../store/meta/explore/exports.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** What writes exports in the background. */
type RunsExports = { exports: { run(): Promise<unknown>; abort(id: number): void } }

/** Requests an export and starts it. Throws CONFLICT if the person has too many that have not ended. */
export async function requestExport(
  { meta, exports }: { meta: MetaWith<'explore.requestExport'> } & RunsExports,
  value: Parameters<ExportStore['requestExport']>[0],
): Promise<Export> {
  const created = await meta.explore.requestExport(value)
  // A failure is logged by the job of the same name, which tries again.
  exports.run().catch(() => undefined)
  return created
}

/** Cancels an export that has not ended, or deletes an ended one with its file. */
export async function removeExport(
  {
    meta,
    blobs,
    exports,
  }: {
    meta: MetaWith<'explore.endExport' | 'explore.deleteExport'>
    blobs: Pick<BlobStore, 'delete'>
  } & RunsExports,
  value: Export,
): Promise<void> {
  if (value.endedMs === null) {
    const { rowsDone } = value
    await meta.explore.endExport(value.id, { state: 'canceled', rowsDone, bytes: 0, blobKey: '', error: '' })
    exports.abort(value.id)
    return
  }
  if (value.blobKey !== '') await blobs.delete(value.blobKey)
  await meta.explore.deleteExport(value.id)
}

/** Returns the file of an export. Throws NOT_FOUND if there is no file. */
export async function exportFile(
  { blobs }: { blobs: Pick<BlobStore, 'getStream'> },
  { blobKey }: Pick<Export, 'blobKey'>,
): Promise<{ bytes: number; stream: AsyncIterable<Uint8Array> }> {
  const found = blobKey === '' ? undefined : await blobs.getStream(blobKey)
  if (!found) throw new MishapError('NOT_FOUND')
  return found
}
