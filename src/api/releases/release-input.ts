import type { CommitList, RefList } from '../../contract/commits.ts'
import type { NewCommit, Ref } from '../../store/meta/releases/commits.ts'

/** Files that are kept of a commit, and of all commits of a call; what is beyond is counted. */
const commitFilesMax = 1_000
const callFilesMax = 20_000
const messageCharactersMax = 8_192
const pathCharactersMax = 1_024
const authorCharactersMax = 254
/** Longest body that carries commits. */
export const commitBodyBytesMax = 8 * 1024 * 1024

/** What a list of commits is called where a client names no repository. */
const unnamedRepository = 'unknown'

const cut = (text: string | null | undefined, max: number) => (text ?? '').trim().slice(0, max)

/**
 * Commits as they are stored, the newest first; those without a time count as now. Of files the first 1,000 of a commit and
 * 20,000 of a call are kept, and no path over 1,024 characters; the others are counted as omitted.
 */
export function commitsOf(list: CommitList, nowMs: number): NewCommit[] {
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
export const refsOf = (list: RefList): Ref[] =>
  list.map(({ repository, commit: head, previousCommit }) => ({
    repository,
    commit: head,
    previous: previousCommit ?? '',
  }))
