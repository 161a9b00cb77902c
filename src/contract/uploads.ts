import { z } from 'zod'
import { bundleBytesMax } from '../wire/upload.ts'
import { versionText } from './releases.ts'
import { projectNames, textOrNull, time } from './scalars.ts'

/** Shapes of build uploads: chunks, bundles and their files. */

/** Mishap refuses all debug files with a sentence. */
export const restDebugFileAssembly = z.record(
  z.string(),
  z.strictObject({ state: z.literal('error'), missingChunks: z.array(z.string()), detail: z.string() }),
)

/** A file of the legacy upload of release files. */
export const restReleaseFile = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    dist: textOrNull,
    headers: z.record(z.string(), z.string()),
    /** Bytes. */
    size: z.int(),
    sha1: z.string(),
    dateCreated: time,
  })
  .meta({ id: 'ReleaseFile' })
export type RestReleaseFile = z.infer<typeof restReleaseFile>

/** GET organizations/{org}/chunk-upload/: limits for clients, sizes in bytes. */
export const restChunkOptions = z
  .strictObject({
    url: z.string(),
    chunkSize: z.int(),
    chunksPerRequest: z.int(),
    maxRequestSize: z.int(),
    maxFileSize: z.int(),
    concurrency: z.int(),
    hashAlgorithm: z.literal('sha1'),
    compression: z.array(z.literal('gzip')),
    accept: z.array(z.string()),
  })
  .meta({ id: 'ChunkUploadOptions' })
export type RestChunkOptions = z.infer<typeof restChunkOptions>

export const restAssembly = z
  .strictObject({
    state: z.enum(['not_found', 'created', 'assembling', 'ok', 'error']),
    missingChunks: z.array(z.string()).describe('SHA-1 hashes of the chunks to send.'),
    detail: textOrNull.describe('Why it failed.'),
  })
  .meta({ id: 'Assembly' })

export const restArtifactBundle = z
  .strictObject({
    bundleId: z.string(),
    associations: z.array(z.strictObject({ release: textOrNull, dist: textOrNull })),
    date: time,
    dateModified: time,
    lastUsed: time.describe('Time of the last use by an event, or of the upload.'),
    fileCount: z.int(),
    size: z.int().describe('Bytes on disk.'),
    sha1: z.string(),
  })
  .meta({ id: 'ArtifactBundle' })
export type RestArtifactBundle = z.infer<typeof restArtifactBundle>

export const restArtifactFile = z
  .strictObject({
    id: z.string(),
    filePath: z.string(),
    fileType: z.enum(['source', 'minified_source', 'source_map', 'indexed_ram_bundle']),
    /** Bytes. */
    fileSize: z.int(),
    debugId: textOrNull,
    sourcemap: textOrNull,
  })
  .meta({ id: 'ArtifactFile' })
export type RestArtifactFile = z.infer<typeof restArtifactFile>

// ---- bodies

/** Maximum chunks of a bundle, for chunks of 32 KiB, the smallest size that any client has used. */
const chunksMax = bundleBytesMax / (32 * 1024)
/** Maximum debug files per call. */
const debugFilesMax = 10_000

const sha1 = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.string().regex(/^[0-9a-f]{40}$/, 'A SHA-1 in 40 hex digits.'))

/** Body to assemble chunks into a bundle. */
export const assembleBody = z.object({
  checksum: sha1,
  chunks: z.array(sha1).max(chunksMax),
  projects: projectNames.default([]),
  // '' means none: clients without a release send '' or null.
  version: z.union([z.literal(''), versionText]).nullish(),
  dist: z.string().max(250, 'At most 250 characters.').nullish(),
})
export type AssembleBody = z.output<typeof assembleBody>

/** Body to assemble chunks into debug files, by their SHA-1. */
export const debugFilesBody = z
  .record(z.string().regex(/^[0-9a-f]{40}$/i, 'A SHA-1 in 40 hex digits.'), z.looseObject({}))
  .refine((files) => Object.keys(files).length <= debugFilesMax, `At most ${debugFilesMax} files.`)
