import { z } from 'zod'

const time = z.iso.datetime()

const text = z.string().nullable()
const author = z.strictObject({ name: z.string(), email: z.string() }).meta({ id: 'CommitAuthor' })

export const repository = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    url: text,
    provider: z.strictObject({ id: z.string(), name: z.string() }),
    status: z.literal('active'),
    dateCreated: time,
    integrationId: z.null(),
    externalSlug: z.null(),
  })
  .meta({ id: 'Repository' })

const commitShape = {
  id: z.string(),
  message: text.describe('Null: a ref named it, and nothing more is known.'),
  dateCreated: time,
  author: author.nullable(),
  repository: z.strictObject({ id: z.string(), name: z.string(), url: text }),
  fileCount: z.int(),
  filesOmitted: z.int(),
}
export const commit = z.strictObject(commitShape).meta({ id: 'Commit' })

export const commitFile = z
  .strictObject({
    id: z.string(),
    orgId: z.int(),
    author: author.nullable(),
    commitMessage: text,
    commitId: z.string(),
    filename: z.string(),
    type: z.enum(['A', 'M', 'D']),
  })
  .meta({ id: 'CommitFile' })

export const deploy = z
  .strictObject({
    id: z.string(),
    environment: z.string(),
    name: text,
    url: text,
    dateStarted: time.nullable(),
    dateFinished: time,
    projects: z.array(z.string()),
  })
  .meta({ id: 'Deploy' })

const versionInfo = z.strictObject({
  package: text,
  version: z.strictObject({
    raw: z.string(),
    major: z.string().optional(),
    minor: z.string().optional(),
    patch: z.string().optional(),
    pre: text.optional(),
    buildCode: text.optional(),
  }),
  description: z.string(),
  buildHash: text,
})

export const release = z
  .strictObject({
    id: z.int(),
    version: z.string(),
    shortVersion: z.string(),
    versionInfo,
    status: z.enum(['open', 'archived']),
    ref: text,
    url: text,
    owner: z.null(),
    data: z.strictObject({}),
    dateCreated: time,
    dateReleased: time.nullable(),
    firstEvent: time.nullable(),
    lastEvent: time.nullable(),
    newGroups: z.int().describe('Issues that were first seen in it.'),
    commitCount: z.int(),
    lastCommit: commit.nullable(),
    deployCount: z.int(),
    lastDeploy: deploy.nullable(),
    authors: z.array(author),
    projects: z.array(
      z.strictObject({
        id: z.int(),
        slug: z.string(),
        name: z.string(),
        platform: text,
        platforms: z.array(z.string()),
        newGroups: z.int(),
      }),
    ),
    lastDeploys: z.array(deploy).describe('The last one to each environment.'),
    environments: z.array(z.string()),
    refs: z.array(z.strictObject({ repository: z.string(), commit: z.string(), previousCommit: text })),
    bundleCount: z.int(),
  })
  .meta({ id: 'Release' })

export const marks = z
  .strictObject({
    marks: z.array(
      z.strictObject({
        kind: z.enum(['release', 'deploy']),
        version: z.string(),
        shortVersion: z.string(),
        at: time,
        environment: text,
        projects: z.array(z.string()),
      }),
    ),
    omitted: z.int().describe('Older marks of the range that are left out.'),
  })
  .meta({ id: 'ReleaseMarks' })

export const committers = z
  .strictObject({
    committers: z.array(
      z.strictObject({
        author: author.nullable(),
        commits: z.array(
          z.strictObject({
            ...commitShape,
            release: z.string(),
            suspicion: z.strictObject({
              frame: z.int().describe('0: the top in-app frame.'),
              function: text,
              filename: z.string(),
              lineNo: z.int().nullable(),
              path: z.string(),
              change: z.enum(['A', 'M']),
              parts: z.int(),
              confidence: z.enum(['high', 'medium', 'low']),
              alike: z.int(),
              beforeMs: z.int(),
              sentence: z.string(),
            }),
          }),
        ),
      }),
    ),
    state: z.enum(['found', 'no_release', 'no_commits', 'no_files', 'no_frames', 'no_match']),
    releases: z.array(z.string()),
  })
  .meta({ id: 'Committers' })

export const debugFileAssembly = z.record(
  z.string(),
  z.strictObject({ state: z.literal('error'), missingChunks: z.array(z.string()), detail: z.string() }),
)

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
