const MiB = 1024 ** 2

/** Limit of one chunk. Sent to clients. */
export const chunkBytesMax = 8 * MiB
/** Limits of chunks and of bytes in one request. Sent to clients. */
export const chunksPerRequestMax = 64
export const chunkRequestBytesMax = 32 * MiB
/** Number of parallel requests of a client. Sent to clients. */
export const chunkConcurrency = 8
/** Limit of one assembled bundle. Sent to clients. */
export const bundleBytesMax = 2048 * MiB
/** Limit of an organization's chunks that wait for the rest of their upload: four of the largest bundles. */
export const waitingBytesMax = 8192 * MiB
/** Limit of files in one bundle. Each is a row. */
export const bundleEntriesMax = 50_000
/** Limit of all files of a bundle in total, decompressed. */
export const bundleInflatedBytesMax = 4096 * MiB
/** Limit of one file, decompressed. */
export const bundleFileBytesMax = 512 * MiB

/** State of an upload in the client protocol. `not_found`: chunks are missing, or the upload is unknown. */
export type AssembleState = {
  state: 'not_found' | 'created' | 'assembling' | 'ok' | 'error'
  missingChunks: string[]
  detail?: string
}
