import type { CommitList, RefList } from '../../contract/commits.ts'
import type { NewCommit, Ref } from '../../store/meta/releases/commits.ts'

/** Maximum stored files per commit and per call. Further ones are only counted. */
const commitFilesMax = 1_000
const callFilesMax = 20_000
const messageCharactersMax = 8_192
const pathCharactersMax = 1_024
const authorCharactersMax = 254
/** Maximum body with commits. */
export const commitBodyBytesMax = 8 * 1024 * 1024

/** Repository name of commits if the client names none. */
const unnamedRepository = 'unknown'

const truncate = (text: string | null | undefined, max: number) => (text ?? '').trim().slice(0, max)

/**
 * Returns commits in stored form, newest first. Commits without a time count as now. Stores the first 1,000 files of a
 * commit and 20,000 of a call, with paths up to 1,024 characters. Others are counted as omitted.
 */
export function commitsOf(list: CommitList, nowMs: number): NewCommit[] {
  let filesLeft = callFilesMax
  return list
    .map((commit) => ({ ...commit, atMs: commit.timestamp ?? nowMs }))
    .sort((a, b) => b.atMs - a.atMs)
    .map((commit) => {
      const patchSet = commit.patch_set ?? undefined
      const files = patchSet
        ?.filter(({ path }) => path !== '' && path.length <= pathCharactersMax)
        .slice(0, Math.min(filesLeft, commitFilesMax))
      filesLeft -= files?.length ?? 0
      return {
        repository: commit.repository ?? unnamedRepository,
        sha: commit.id,
        message: truncate(commit.message, messageCharactersMax),
        authorName: truncate(commit.author_name, authorCharactersMax),
        authorEmail: truncate(commit.author_email, authorCharactersMax),
        atMs: commit.atMs,
        files,
        filesOmitted: (patchSet?.length ?? 0) - (files?.length ?? 0),
      }
    })
}

/** Returns refs in stored form. */
export const refsOf = (list: RefList): Ref[] =>
  list.map(({ repository, commit: head, previousCommit }) => ({
    repository,
    commit: head,
    previous: previousCommit ?? '',
  }))
