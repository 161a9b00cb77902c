import type { BlobCredentials, BlobsConfig } from '../../base/blobs-config.ts'
import { systemClock } from '../../base/clock.ts'
import type { BlobStore } from './blobs.ts'
import { openFileBlobs } from './files.ts'
import { openS3Blobs } from './s3/store.ts'

/** Where the blobs of a data folder are. Worker threads get it to open the same store. */
export type BlobSource = {
  /** The folder of the blobs in the data folder. */
  folder: string
  /** A bucket for all blobs but the spool; undefined: everything is in files. */
  s3?: { config: BlobsConfig; credentials: BlobCredentials } | undefined
}

/** Keys of bodies that ingest accepted and refine has not read. They belong to the journal, so they stay beside it. */
const spoolPrefix = 'spool/'
/** Returns whether a key is in the spool. */
export const isSpool = (key: string) => key.startsWith(spoolPrefix) || `${key}/` === spoolPrefix

/**
 * Opens the blobs of a data folder: files, or a bucket for all keys outside of `spool/`. The spool is acknowledged data
 * that has no copy yet, so it must not wait for a network. `passed`: gets the size of each piece that is written.
 */
export function openBlobs({ folder, s3 }: BlobSource, passed?: (bytes: number) => void): BlobStore {
  const files = openFileBlobs(folder, passed)
  if (!s3) return files
  const remote = openS3Blobs({ ...s3, clock: systemClock }, passed)
  const of = (key: string) => (isSpool(key) ? files : remote)
  return {
    isRemote: true,
    put: (key, bytes) => of(key).put(key, bytes),
    putStream: (key, stream, bytesMax) => of(key).putStream(key, stream, bytesMax),
    get: (key) => of(key).get(key),
    getStream: (key) => of(key).getStream(key),
    reader: (key) => of(key).reader(key),
    delete: (key) => of(key).delete(key),
    list: async (prefix) => {
      if (prefix.replaceAll('/', '') !== '') return of(prefix).list(prefix)
      const [spooled, stored] = await Promise.all([files.list(spoolPrefix), remote.list('')])
      return [...stored, ...spooled].sort()
    },
    size: async () => (await files.size()) + (await remote.size()),
    ping: () => remote.ping(),
    sweep: async (beforeMs) => (await files.sweep(beforeMs)) + (await remote.sweep(beforeMs)),
  }
}
