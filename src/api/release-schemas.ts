import { z } from 'zod'

const time = z.iso.datetime()

export const release = z
  .strictObject({
    id: z.int(),
    version: z.string(),
    shortVersion: z.string(),
    status: z.literal('open'),
    ref: z.string().nullable(),
    url: z.string().nullable(),
    dateCreated: time,
    dateReleased: time.nullable(),
    firstEvent: time.nullable(),
    lastEvent: time.nullable(),
    newGroups: z.int(),
    commitCount: z.int(),
    lastCommit: z.null(),
    deployCount: z.int(),
    lastDeploy: z.null(),
    authors: z.array(z.never()),
    projects: z.array(
      z.strictObject({ id: z.int(), slug: z.string(), name: z.string(), platform: z.string().nullable() }),
    ),
  })
  .meta({ id: 'Release' })

export const releaseFile = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    dist: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    size: z.int(),
    sha1: z.string(),
    dateCreated: time,
  })
  .meta({ id: 'ReleaseFile' })

export const chunkOptions = z
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

export const assembly = z
  .strictObject({
    state: z.enum(['not_found', 'created', 'assembling', 'ok', 'error']),
    missingChunks: z.array(z.string()).describe('SHA-1 of what is to be sent.'),
    detail: z.string().nullable().describe('Why it failed.'),
  })
  .meta({ id: 'Assembly' })

export const artifactBundle = z
  .strictObject({
    bundleId: z.string(),
    associations: z.array(z.strictObject({ release: z.string().nullable(), dist: z.string().nullable() })),
    date: time,
    dateModified: time,
    lastUsed: time.describe('When an event used it last, or it came.'),
    fileCount: z.int(),
    size: z.int().describe('Bytes on disk.'),
    sha1: z.string(),
  })
  .meta({ id: 'ArtifactBundle' })

export const artifactFile = z
  .strictObject({
    id: z.string(),
    filePath: z.string(),
    fileType: z.enum(['source', 'minified_source', 'source_map', 'indexed_ram_bundle']),
    fileSize: z.int(),
    debugId: z.string().nullable(),
    sourcemap: z.string().nullable(),
  })
  .meta({ id: 'ArtifactFile' })
