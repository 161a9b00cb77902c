import { z } from 'zod'
import { versionCharactersMax, versionFault } from '../../domain/release-order.ts'
import type { NewCommit, Ref } from '../../store/meta/releases/commits.ts'

/** Commits of one call, which are all of the release's. */
const commitsMax = 5_000
/** Files that are kept of a commit, and of all commits of a call; what is beyond is counted. */
const commitFilesMax = 1_000
const callFilesMax = 20_000
const refsMax = 50
const messageCharactersMax = 8_192
const pathCharactersMax = 1_024
const authorCharactersMax = 254
/** Longest body that carries commits. */
export const commitBodyBytesMax = 8 * 1024 * 1024

/** What a list of commits is called where a client names no repository. */
const unnamedRepository = 'unknown'

/** A release's version by the rules of release-order.ts. */
export const versionText = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const message = versionFault(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  .meta({ minLength: 1, maxLength: versionCharactersMax })

/** ISO 8601 as milliseconds; a time without an offset is UTC, wherever the server stands. NaN for anything else. */
function isoMs(text: string): number {
  const found = /^\d{4}-\d\d-\d\d(?:[T ](.+))?$/.exec(text)
  if (!found) return Number.NaN
  const time = found[1] ?? ''
  return Date.parse(time === '' || /(?:Z|UTC|[+-]\d\d:?\d\d)$/i.test(time) ? text : `${text}Z`)
}

/** A time, ISO 8601, as milliseconds. */
export const moment = z
  .string()
  .max(64)
  .refine((text) => !Number.isNaN(isoMs(text)), 'A time, ISO 8601.')
  .transform(isoMs)

/** An address that may become a link: http or https. '' and null: none. */
export const address = z
  .string()
  .trim()
  .max(2000, 'At most 2,000 characters.')
  .refine((text) => text === '' || isWeb(text), 'An address with http or https.')
  .nullish()

function isWeb(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

const line = (max: number, name: string) =>
  z
    .string()
    .trim()
    .min(1, name)
    .max(max, `At most ${max} characters.`)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'No control characters.')

export const repositoryName = line(200, 'A name.')
const sha = line(64, 'The id of a commit.').regex(/^\S*$/, 'The id of a commit has no white space.')

const commit = z.object({
  id: sha,
  repository: repositoryName.nullish(),
  message: z.string().nullish(),
  author_name: z.string().nullish(),
  author_email: z.string().nullish(),
  timestamp: moment.nullish(),
  patch_set: z.array(z.object({ path: z.string(), type: z.enum(['A', 'M', 'D'], 'A, M or D.') })).nullish(),
})

/** Every commit of a release. */
export const commitList = z.array(commit).max(commitsMax, `At most ${commitsMax} commits.`).nullish()

/** The commit of each repository that a release was built from. */
export const refList = z
  .array(z.object({ repository: repositoryName, commit: sha, previousCommit: sha.nullish() }))
  .max(refsMax, `At most ${refsMax} refs.`)
  .nullish()

const cut = (text: string | null | undefined, max: number) => (text ?? '').trim().slice(0, max)

/**
 * Commits as they are stored, the newest first; those without a time count as now. Of files the first 1,000 of a commit and
 * 20,000 of a call are kept, and no path over 1,024 characters; the others are counted as omitted.
 */
export function commitsOf(list: NonNullable<z.output<typeof commitList>>, nowMs: number): NewCommit[] {
  let left = callFilesMax
  return list
    .map((item) => ({ ...item, atMs: item.timestamp ?? nowMs }))
    .sort((a, b) => b.atMs - a.atMs)
    .map((item) => {
      const given = item.patch_set ?? undefined
      const files = given
        ?.filter(({ path }) => path !== '' && path.length <= pathCharactersMax)
        .slice(0, Math.min(left, commitFilesMax))
      left -= files?.length ?? 0
      return {
        repository: item.repository ?? unnamedRepository,
        sha: item.id,
        message: cut(item.message, messageCharactersMax),
        authorName: cut(item.author_name, authorCharactersMax),
        authorEmail: cut(item.author_email, authorCharactersMax),
        atMs: item.atMs,
        files,
        filesOmitted: (given?.length ?? 0) - (files?.length ?? 0),
      }
    })
}

/** Refs as they are stored. */
export const refsOf = (list: NonNullable<z.output<typeof refList>>): Ref[] =>
  list.map(({ repository, commit: head, previousCommit }) => ({
    repository,
    commit: head,
    previous: previousCommit ?? '',
  }))
