import type { Clock } from '../base/clock.ts'
import type { Artifacts } from '../operations/artifacts.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type UploadSweepDeps = {
  meta: MetaWith<'artifacts.dropChunks' | 'artifacts.bundleKeys' | 'artifacts.chunkKeys'>
  blobs: Pick<BlobStore, 'delete' | 'list'>
  clock: Pick<Clock, 'now'>
  artifacts: Pick<Artifacts, 'isWriting' | 'dropFailures'>
}

/** Drops expired chunks, and blobs of uploads that a crash left without a row. Returns the numbers of both. */
export async function sweepUploads({
  meta,
  blobs,
  clock,
  artifacts,
}: UploadSweepDeps): Promise<{ chunks: number; orphans: number }> {
  const over = await meta.artifacts.dropChunks(clock.now())
  for (const key of over) if (!artifacts.isWriting(key)) await blobs.delete(key)
  const lists = await Promise.all([blobs.list('artifacts'), blobs.list('chunks')])
  // A blob that is being written has no row yet. Ask before the rows are read: it can get its row meanwhile.
  const written = lists.flat().filter((key) => !artifacts.isWriting(key))
  const named = new Set([...(await meta.artifacts.bundleKeys()), ...(await meta.artifacts.chunkKeys())])
  const orphans = written.filter((key) => !named.has(key) && !artifacts.isWriting(key))
  for (const key of orphans) await blobs.delete(key)
  artifacts.dropFailures()
  return { chunks: over.length, orphans: orphans.length }
}
