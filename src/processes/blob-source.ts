import { blobCredentials } from '../base/blobs-config.ts'
import { type Config, environment } from '../base/config.ts'
import type { Folders } from '../serve/messages.ts'
import type { BlobSource } from '../store/blobs/open.ts'

/** Returns where the blobs of a data folder are, with the keys of an environment: by default that of this process. */
export function blobSourceOf(
  { blobs: config }: Pick<Config, 'blobs'>,
  folders: Pick<Folders, 'blobs'>,
  env = environment(),
): BlobSource {
  const credentials = config && blobCredentials(env)
  return { folder: folders.blobs, s3: config && credentials ? { config, credentials } : undefined }
}
