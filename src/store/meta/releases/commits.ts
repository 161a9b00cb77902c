import type { Selectable } from 'kysely'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

export type Repository = {
  id: number
  name: string
  url: string
  listed: boolean
  createdMs: number
  /** The connection whose webhooks store its commits. */
  integrationId: number | null
}

export type Commit = {
  id: number
  repositoryId: number
  repository: string
  /** '' for none. */
  repositoryUrl: string
  /** Its hash, or the client's name for it. */
  sha: string
  /** Null: known only from a ref. */
  message: string | null
  authorName: string
  authorEmail: string
  atMs: number
  /** Number of stored files, and of changed files that are not stored. */
  files: number
  filesOmitted: number
}

/** Time of a commit, and its number of stored files. */
export type CommitTime = Pick<Commit, 'id' | 'atMs' | 'files'>

export type CommitFile = { commitId: number; path: string; type: 'A' | 'M' | 'D' }

/** A commit from a build. */
export type NewCommit = {
  repository: string
  sha: string
  message: string
  authorName: string
  authorEmail: string
  atMs: number
  /** Undefined: the build sent no files, so stored ones stay. */
  files: { path: string; type: CommitFile['type'] }[] | undefined
  filesOmitted: number
}

/** The commit that a release was built from in a repository. `previous`: '' when not given. */
export type Ref = { repository: string; commit: string; previous: string }

/** A release of an organization. */
export type Place = { organizationId: number; version: string }

export type CommitStore = {
  /** Creates a listed repository, or changes the one with this name. */
  putRepository(value: { organizationId: number; name: string; url: string }, nowMs: number): Promise<Repository>
  /** Repositories by name. `listed`: only those that people created. */
  repositoriesOf(request: {
    organizationId: number
    listed: boolean
    offset: number
    max: number
  }): Promise<Repository[]>
  /** Removes a repository from the list; commits stay while a release has them. Returns false if it was not listed. */
  unlistRepository(organizationId: number, id: number): Promise<boolean>
  repositoryById(organizationId: number, id: number): Promise<Repository | undefined>
  /**
   * Stores commits that a webhook reported, and that the connection knows the repository. They stay for some time without
   * a release.
   */
  addPushed(
    place: { organizationId: number; integrationId: number; repository: string; url: string },
    commits: readonly NewCommit[],
    nowMs: number,
  ): Promise<void>
  /** Deletes up to 1,000 commits that webhooks stored before this time and that no release has. Returns their number. */
  prunePushed(beforeMs: number): Promise<number>
  /** The newest commits of all repositories of an organization. `text`: part of a hash or message. */
  recentCommitsOf(request: { organizationId: number; text: string; max: number }): Promise<Commit[]>
  /** Replaces the commits of a release, newest first. Deletes repositories and commits that are no longer used. */
  setCommits(place: Place, commits: readonly NewCommit[], nowMs: number): Promise<void>
  /**
   * Stores which commit of each repository a release was built from. If the release lacks this commit of a repository,
   * the commit becomes the repository's only commit. An empty list deletes refs and commits.
   */
  setRefs(place: Place, refs: readonly Ref[], nowMs: number): Promise<void>
  refsOf(place: Place): Promise<Ref[]>
  /** Commits of a release, newest first. */
  commitsOf(request: Place & { offset: number; max: number }): Promise<Commit[]>
  /** All commits of a release without texts: a release can have 5,000, each with 8 KB of message. */
  commitTimesOf(place: Place): Promise<CommitTime[]>
  commitsById(ids: readonly number[]): Promise<Commit[]>
  /** Versions of an organization with a commit, by the name of its repository and its full hash. */
  versionsWithCommit(organizationId: number, repository: string, sha: string): Promise<string[]>
  /** Commits of a repository, newest first. */
  repositoryCommits(request: { repositoryId: number; offset: number; max: number }): Promise<Commit[]>
  /** Changed files of a release by commit and path; with `sha`, of one commit only. */
  commitFilesOf(request: Place & { sha?: string | undefined; offset: number; max: number }): Promise<CommitFile[]>
  /** Files of a release's commits whose last path part is one of `names`, without deleted files. */
  commitFilesNamed(place: Place, names: readonly string[]): Promise<CommitFile[]>
  /**
   * Number of commits per release, its newest commit, and the distinct authors of the newest 300 commits. Versions
   * without commits are absent.
   */
  commitSums(
    organizationId: number,
    versions: readonly string[],
    authorsMax: number,
  ): Promise<Map<string, { count: number; last: Commit; authors: { name: string; email: string }[] }>>
  /** Rows of releases that do not exist: versions with commits, refs or deploys; `looked`: rows checked. */
  orphanReleases(): Promise<{ looked: number; orphans: string[] }>
}

/** Maximum values per statement. */
const chunk = 500

type CommitRow = Omit<Selectable<Tables['code_commit']>, 'pushed_ms'> & { repository: string; repository_url: string }

/** Converts a row to a commit. */
export const toCommit = (row: CommitRow): Commit => ({
  id: row.id,
  repositoryId: row.repository_id,
  repository: row.repository,
  repositoryUrl: row.repository_url,
  sha: row.sha,
  message: row.message,
  authorName: row.author_name,
  authorEmail: row.author_email,
  atMs: row.at_ms,
  files: row.files,
  filesOmitted: row.files_omitted,
})
/** Converts a row to a repository. */
export const toRepository = (row: Selectable<Tables['repository']>): Repository => ({
  id: row.id,
  name: row.name,
  url: row.url,
  listed: row.listed === 1,
  createdMs: row.created_ms,
  integrationId: row.integration_id,
})
const toFile = (row: Selectable<Tables['commit_file']>): CommitFile => ({
  commitId: row.commit_id,
  path: row.path,
  type: row.type as CommitFile['type'],
})

/** Columns of a commit with its repository, for toCommit. */
export const commitColumns = [
  'code_commit.id',
  'repository_id',
  'sha',
  'message',
  'author_name',
  'author_email',
  'at_ms',
  'files',
  'files_omitted',
  'repository.name as repository',
  'repository.url as repository_url',
] as const

type RepositoryPart = Pick<CommitStore, 'repositoriesOf' | 'repositoryById' | 'refsOf'>

/** Implements reads of repositories and refs. */
export function repositoryPart({ read, dialect: { builder } }: Store): RepositoryPart {
  const repositories = (organizationId: number) =>
    builder.selectFrom('repository').selectAll().where('organization_id', '=', organizationId)
  return {
    repositoriesOf: async ({ organizationId, listed, offset, max }) => {
      const all = repositories(organizationId).orderBy('name').limit(max).offset(offset)
      return (await read.all(listed ? all.where('listed', '=', 1) : all)).map(toRepository)
    },
    repositoryById: async (organizationId, id) => {
      const row = await read.get(repositories(organizationId).where('id', '=', id))
      return row && toRepository(row)
    },
    refsOf: async ({ organizationId, version }) =>
      (
        await read.all(
          builder
            .selectFrom('release_ref')
            .innerJoin('repository', 'repository.id', 'release_ref.repository_id')
            .select(['repository.name', 'sha', 'previous_sha'])
            .where('release_ref.organization_id', '=', organizationId)
            .where('version', '=', version)
            .orderBy('repository.name'),
        )
      ).map((row) => ({ repository: row.name, commit: row.sha, previous: row.previous_sha })),
  }
}

type ListPart = Pick<
  CommitStore,
  'commitsOf' | 'commitTimesOf' | 'commitsById' | 'versionsWithCommit' | 'repositoryCommits'
>

/** Implements reads of commits. */
export function commitListPart({ read, dialect: { builder } }: Store): ListPart {
  const all = () =>
    builder
      .selectFrom('code_commit')
      .innerJoin('repository', 'repository.id', 'code_commit.repository_id')
      .select(commitColumns)
  return {
    commitsOf: async ({ organizationId, version, offset, max }) =>
      (
        await read.all(
          all()
            .innerJoin('release_commit', 'release_commit.commit_id', 'code_commit.id')
            .where('release_commit.organization_id', '=', organizationId)
            .where('version', '=', version)
            .orderBy('place')
            .limit(max)
            .offset(offset),
        )
      ).map(toCommit),
    commitTimesOf: async ({ organizationId, version }) =>
      (
        await read.all(
          builder
            .selectFrom('release_commit')
            .innerJoin('code_commit', 'code_commit.id', 'release_commit.commit_id')
            .select(['code_commit.id', 'at_ms', 'files'])
            .where('organization_id', '=', organizationId)
            .where('version', '=', version)
            .orderBy('place'),
        )
      ).map((row) => ({ id: row.id, atMs: row.at_ms, files: row.files })),
    commitsById: async (ids) =>
      ids.length === 0 ? [] : (await read.all(all().where('code_commit.id', 'in', ids))).map(toCommit),
    versionsWithCommit: async (organizationId, repository, sha) =>
      (
        await read.all(
          builder
            .selectFrom('repository')
            .innerJoin('code_commit', 'code_commit.repository_id', 'repository.id')
            .innerJoin('release_commit', 'release_commit.commit_id', 'code_commit.id')
            .select('version')
            .where('repository.organization_id', '=', organizationId)
            .where('repository.name', '=', repository)
            .where('sha', '=', sha)
            .orderBy('version'),
        )
      ).map((row) => row.version),
    repositoryCommits: async ({ repositoryId, offset, max }) =>
      (
        await read.all(
          all()
            .where('repository_id', '=', repositoryId)
            .orderBy('at_ms', 'desc')
            .orderBy('code_commit.id')
            .limit(max)
            .offset(offset),
        )
      ).map(toCommit),
  }
}

type FilePart = Pick<CommitStore, 'commitFilesOf' | 'commitFilesNamed'>

/** Implements reads of the files that commits changed. */
export function commitFilePart({ read, dialect: { builder } }: Store): FilePart {
  const files = ({ organizationId, version }: Place) =>
    builder
      .selectFrom('release_commit')
      .innerJoin('commit_file', 'commit_file.commit_id', 'release_commit.commit_id')
      .select(['commit_file.commit_id', 'path', 'name', 'type'])
      .where('organization_id', '=', organizationId)
      .where('version', '=', version)
      .orderBy('place')
      .orderBy('path')
  return {
    commitFilesOf: async ({ sha, offset, max, ...place }) => {
      const all = files(place).limit(max).offset(offset)
      const matching = builder
        .selectFrom('code_commit')
        .select('id')
        .where('sha', '=', sha ?? '')
      return (await read.all(sha === undefined ? all : all.where('release_commit.commit_id', 'in', matching))).map(
        toFile,
      )
    },
    commitFilesNamed: async (place, names) => {
      const found: CommitFile[] = []
      for (let start = 0; start < names.length; start += chunk)
        found.push(
          ...(
            await read.all(
              files(place)
                .where('name', 'in', names.slice(start, start + chunk))
                .where('type', '!=', 'D'),
            )
          ).map(toFile),
        )
      return found
    },
  }
}
