const MiB = 1024 ** 2

/** Of one chunk; told to clients. */
export const chunkBytesMax = 8 * MiB
/** Chunks in one request, and its bytes; told to clients. */
export const chunksPerRequestMax = 64
export const chunkRequestBytesMax = 32 * MiB
/** Requests that a client sends at once; told to clients. */
export const chunkConcurrency = 8
/** Of one assembled bundle; told to clients. */
export const bundleBytesMax = 2048 * MiB
/** Chunks of one organization that wait for the rest of their uploads: four of the largest bundles. */
export const waitingBytesMax = 8192 * MiB
/** Files in one bundle; each is a row. */
export const bundleEntriesMax = 50_000
/** Of all files of a bundle together, inflated. */
export const bundleInflatedBytesMax = 4096 * MiB
/** Of one file, inflated. */
export const bundleFileBytesMax = 512 * MiB

/** Where an upload stands, as clients know it; `not_found`: chunks are missing, or nothing is known of it. */
export type AssembleState = {
  state: 'not_found' | 'created' | 'assembling' | 'ok' | 'error'
  missingChunks: string[]
  detail?: string
}
