import { z } from 'zod'
import { address, line, moment, textOrNull, time } from './scalars.ts'

export const restAuthor = z.strictObject({ name: z.string(), email: z.string() }).meta({ id: 'CommitAuthor' })
export type RestAuthor = z.infer<typeof restAuthor>

/** organizations/{org}/repos/ */
export const restRepository = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    /** http(s), or null. */
    url: textOrNull,
    provider: z.strictObject({ id: z.string(), name: z.string() }),
    status: z.literal('active'),
    dateCreated: time,
    integrationId: z.string().nullable().describe('The connection whose webhooks store its commits.'),
    externalSlug: textOrNull,
  })
  .meta({ id: 'Repository' })
export type RestRepository = z.infer<typeof restRepository>

const anyCommit = z.strictObject({
  /** Its hash, or another name that the client gave it. */
  id: z.string(),
  message: textOrNull.describe('Null: a ref named it, and nothing more is known.'),
  dateCreated: time,
  author: restAuthor.nullable(),
  repository: z.strictObject({ id: z.string(), name: z.string(), url: textOrNull }),
  /** Ours: stored changed files, and the number beyond the limit. */
  fileCount: z.int(),
  filesOmitted: z.int(),
})
export const restCommit = anyCommit.meta({ id: 'Commit' })
export type RestCommit = z.infer<typeof restCommit>

export const restCommitFile = z
  .strictObject({
    id: z.string(),
    orgId: z.int(),
    author: restAuthor.nullable(),
    commitMessage: textOrNull,
    /** Ours: the commit's id. */
    commitId: z.string(),
    filename: z.string(),
    type: z.enum(['A', 'M', 'D']),
  })
  .meta({ id: 'CommitFile' })
export type RestCommitFile = z.infer<typeof restCommitFile>

/** Evidence against a commit: it changed the file of a frame. */
const suspicion = z.strictObject({
  /** 1 is the caller of frame 0, and so on. */
  frame: z.int().describe('0: the top in-app frame.'),
  function: textOrNull,
  /** File and line of the frame in the event. */
  filename: z.string(),
  lineNo: z.int().nullable(),
  /** The changed file as named by the commit. */
  path: z.string(),
  change: z.enum(['A', 'M']),
  /** Equal parts of both paths, counted from the end. */
  parts: z.int(),
  /**
   * `high`: the longer path ends with the whole shorter path. `medium`: two equal parts or more. `low`: only the file
   * name is equal, or several files fit.
   */
  confidence: z.enum(['high', 'medium', 'low']),
  /** Other changed files that fit the frame just as well. */
  alike: z.int(),
  /** Milliseconds from the commit to the first event of the issue. */
  beforeMs: z.int(),
  /** The evidence as an English sentence. */
  sentence: z.string(),
})
export type RestSuspicion = z.infer<typeof suspicion>

const suspectCommit = anyCommit.extend({
  /** The version that has this commit. */
  release: z.string(),
  suspicion,
})
export type RestSuspectCommit = z.infer<typeof suspectCommit>

/** GET projects/{org}/{project}/events/{id}/committers/ */
export const restCommitters = z
  .strictObject({
    /** By author, the most suspect first. Empty unless `state` is `found`. */
    committers: z.array(z.strictObject({ author: restAuthor.nullable(), commits: z.array(suspectCommit) })),
    /** Ours: `found`, or the first thing that is missing. */
    state: z.enum(['found', 'no_release', 'no_commits', 'no_files', 'no_frames', 'no_match']),
    /** Ours: versions whose commits were checked: the one of the issue, then earlier ones without events. */
    releases: z.array(z.string()),
  })
  .meta({ id: 'Committers' })
export type RestCommitters = z.infer<typeof restCommitters>

// ---- bodies

/** Maximum commits per call. All of them belong to its release. */
const commitsMax = 5_000
const refsMax = 50

const repositoryName = line(200, 'A name.')
const sha = line(64, 'The id of a commit.').regex(/^\S*$/, 'The id of a commit has no white space.')
const fileChange = z.object({ path: z.string(), type: z.enum(['A', 'M', 'D'], 'A, M or D.') })

const commitBody = z.object({
  id: sha,
  repository: repositoryName.nullish(),
  message: z.string().nullish(),
  author_name: z.string().nullish(),
  author_email: z.string().nullish(),
  timestamp: moment.nullish(),
  patch_set: z.array(fileChange).nullish(),
})

/** All commits of a release. */
export const commitList = z.array(commitBody).max(commitsMax, `At most ${commitsMax} commits.`).nullish()
export type CommitList = NonNullable<z.output<typeof commitList>>

/** The commit of each repository that a release was built from. */
export const refList = z
  .array(z.object({ repository: repositoryName, commit: sha, previousCommit: sha.nullish() }))
  .max(refsMax, `At most ${refsMax} refs.`)
  .nullish()
export type RefList = NonNullable<z.output<typeof refList>>

/** Body of a repository. */
export const repositoryBody = z.object({ name: repositoryName, url: address })
