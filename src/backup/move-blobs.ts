import { MishapError } from '../base/errors.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { forAll, remoteKeys } from './remote-blobs.ts'

type From = Pick<BlobStore, 'list' | 'getStream'>
type To = Pick<BlobStore, 'list' | 'putStream' | 'delete'>

/**
 * Copies the blobs that `to` lacks; the spool stays in the data folder. The bytes under a key never change. Returns the
 * number of copied blobs. Skips blobs that are deleted meanwhile. Throws BLOBS_UNAVAILABLE, BLOB_DAMAGED.
 */
export async function copyNewBlobs(from: From, to: To): Promise<number> {
  const there = new Set(await remoteKeys(to))
  const missing = (await remoteKeys(from)).filter((key) => !there.has(key))
  let copied = 0
  await forAll(missing, async (key) => {
    const found = await from.getStream(key)
    if (!found) return
    await to.putStream(key, found.stream, found.bytes)
    copied++
  })
  return copied
}

/**
 * Copies the last blobs and deletes those that the source has deleted meanwhile. Nothing may change meanwhile. Returns
 * the number of blobs. Throws VALIDATION if the stores differ afterwards.
 */
export async function finishBlobs(from: From, to: To): Promise<number> {
  await copyNewBlobs(from, to)
  const keys = new Set(await remoteKeys(from))
  const extra = (await remoteKeys(to)).filter((key) => !keys.has(key))
  await forAll(extra, (key) => to.delete(key))
  const found = await remoteKeys(to)
  if (found.length !== keys.size || found.some((key) => !keys.has(key)))
    throw new MishapError('VALIDATION', {
      detail: `The blob stores differ: ${keys.size} and ${found.length} blobs. The old stores are still in use.`,
    })
  return keys.size
}
