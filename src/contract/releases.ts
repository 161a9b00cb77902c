import { z } from 'zod'
import { versionCharactersMax, versionFault } from '../domain/release-order.ts'
import { commitList, refList, restAuthor, restCommit } from './commits.ts'
import { address, moment, projectNames, textOrNull, time } from './scalars.ts'

/** The parts of a version text. `major` and later fields exist only for `name@x.y.z`. */
const versionInfo = z.strictObject({
  package: textOrNull,
  version: z.strictObject({
    raw: z.string(),
    major: z.string().exactOptional(),
    minor: z.string().exactOptional(),
    patch: z.string().exactOptional(),
    pre: textOrNull.exactOptional(),
    buildCode: textOrNull.exactOptional(),
  }),
  /** For display: the version without its package, with a commit hash shortened to 12 characters. */
  description: z.string(),
  /** The commit's hash, if the version is a commit hash. */
  buildHash: textOrNull,
})
export type RestVersionInfo = z.infer<typeof versionInfo>

export const restDeploy = z
  .strictObject({
    id: z.string(),
    environment: z.string(),
    name: textOrNull,
    /** http(s), or null. */
    url: textOrNull,
    dateStarted: time.nullable(),
    dateFinished: time,
    /** Ours: slugs of its projects. */
    projects: z.array(z.string()),
  })
  .meta({ id: 'Deploy' })
export type RestDeploy = z.infer<typeof restDeploy>

export const restRelease = z
  .strictObject({
    id: z.int(),
    version: z.string(),
    shortVersion: z.string(),
    versionInfo,
    status: z.enum(['open', 'archived']),
    ref: textOrNull,
    url: textOrNull,
    owner: z.null(),
    data: z.strictObject({}),
    dateCreated: time,
    /** Null until it is finalized. */
    dateReleased: time.nullable(),
    firstEvent: time.nullable(),
    lastEvent: time.nullable(),
    newGroups: z.int().describe('Issues that were first seen in it.'),
    commitCount: z.int(),
    lastCommit: restCommit.nullable(),
    deployCount: z.int(),
    lastDeploy: restDeploy.nullable(),
    /** Authors of its commits without duplicates, at most 20. */
    authors: z.array(restAuthor),
    projects: z.array(
      z.strictObject({
        id: z.int(),
        slug: z.string(),
        name: z.string(),
        platform: textOrNull,
        platforms: z.array(z.string()),
        /** Issues of the project that were first seen in the release. */
        newGroups: z.int(),
      }),
    ),
    /** Ours: newest first, at most 20. */
    lastDeploys: z.array(restDeploy).describe('The last deploy to each environment.'),
    /** Ours: environments of its events, in alphabetical order. */
    environments: z.array(z.string()),
    /** Ours: the commit of each repository that the release was built from. */
    refs: z.array(z.strictObject({ repository: z.string(), commit: z.string(), previousCommit: textOrNull })),
    /** Ours: uploaded bundles that name the release. */
    bundleCount: z.int(),
  })
  .meta({ id: 'Release' })
export type RestRelease = z.infer<typeof restRelease>

/** A chart annotation. */
const annotation = z.strictObject({
  kind: z.enum(['release', 'deploy']),
  version: z.string(),
  shortVersion: z.string(),
  /** End of a deploy. For a release, its creation or first event, whichever is earlier. */
  at: time,
  /** Null for a release. */
  environment: textOrNull,
  /** Slugs. */
  projects: z.array(z.string()),
})
export type RestAnnotation = z.infer<typeof annotation>

/** GET organizations/{org}/release-marks/: the newest annotations of the range, in order of time. */
export const restAnnotations = z
  .strictObject({
    marks: z.array(annotation),
    omitted: z.int().describe('Number of older marks of the range that are not listed.'),
  })
  .meta({ id: 'ReleaseMarks' })
export type RestAnnotations = z.infer<typeof restAnnotations>

// ---- bodies

/** A release version. domain/release-order.ts has its rules. */
export const versionText = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const message = versionFault(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  .meta({ minLength: 1, maxLength: versionCharactersMax })

/** Body to change a release. */
export const releaseChangeBody = z.object({
  ref: z.string().max(250, 'At most 250 characters.').nullish(),
  url: address,
  dateReleased: moment.nullish(),
  commits: commitList,
  refs: refList,
  status: z.enum(['open', 'archived'], 'open or archived.').nullish(),
})
export type ReleaseChangeBody = z.output<typeof releaseChangeBody>

/** Body of a new release. */
export const newReleaseBody = z.object({
  version: versionText,
  projects: projectNames.default([]),
  ...releaseChangeBody.shape,
})
export type NewReleaseBody = z.output<typeof newReleaseBody>

const environment = z
  .string()
  .trim()
  .min(1, 'An environment.')
  .max(64, 'At most 64 characters.')
  .regex(/^[^\n\r/\p{Cc}]+$/u, 'No slashes, no line ends.')
  .refine((text) => !/^(?:\.|\.\.|none)$/i.test(text), 'This is not a valid environment name.')

/** Body of a deploy. */
export const deployBody = z.object({
  environment,
  name: z.string().trim().max(200, 'At most 200 characters.').nullish(),
  url: address,
  dateStarted: moment.nullish(),
  dateFinished: moment.nullish(),
  projects: projectNames.nullish().describe('The deployed projects of the release. Empty: all.'),
})
export type DeployBody = z.output<typeof deployBody>
