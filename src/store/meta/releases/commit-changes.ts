import type { Selectable } from 'kysely'
import { idOfRow, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { type CommitStore, type NewCommit, type Place, type Ref, toRepository } from './commits.ts'

/** Maximum values per statement. */
const chunk = 500

/**
 * Deletes commits that no release has, all of an organization or only `ids`, and unlisted repositories without commits
 * or refs. The caller opens the transaction.
 */
export async function dropOrphanCommits(
  { write, dialect: { builder } }: Store,
  organizationId: number,
  ids?: readonly number[],
): Promise<void> {
  const matching = builder.selectFrom('repository').select('id').where('organization_id', '=', organizationId)
  const orphans = builder
    .deleteFrom('code_commit')
    // A webhook stored it. `prunePushed` deletes it later.
    .where('pushed_ms', 'is', null)
    .where((build) =>
      build.not(
        build.exists(
          build
            .selectFrom('release_commit')
            .select('release_commit.place')
            .whereRef('release_commit.commit_id', '=', 'code_commit.id'),
        ),
      ),
    )
  if (!ids) await write.run(orphans.where('repository_id', 'in', matching))
  for (let start = 0; start < (ids?.length ?? 0); start += chunk)
    await write.run(orphans.where('id', 'in', ids?.slice(start, start + chunk) ?? []))
  await write.run(
    builder
      .deleteFrom('repository')
      .where('organization_id', '=', organizationId)
      .where('listed', '=', 0)
      .where((build) =>
        build.not(
          build.or(
            (['code_commit', 'release_ref'] as const).map((table) =>
              build.exists(
                build.selectFrom(table).select(`${table}.sha`).whereRef(`${table}.repository_id`, '=', 'repository.id'),
              ),
            ),
          ),
        ),
      ),
  )
}

/** Statements for a list of commits, compiled once: it can have 5,000 commits and 50,000 files. */
function statementsOf({ write, dialect: { builder } }: Store) {
  type Row = Omit<Selectable<Tables['code_commit']>, 'id' | 'pushed_ms'>
  return {
    repository: write.prepared<{ organizationId: number; name: string; nowMs: number }, { id: number }>((slot) =>
      builder
        .insertInto('repository')
        .values({ organization_id: slot('organizationId'), name: slot('name'), created_ms: slot('nowMs') })
        .onConflict((conflict) =>
          conflict.columns(['organization_id', 'name']).doUpdateSet({ name: (build) => build.ref('repository.name') }),
        )
        .returning('id'),
    ),
    known: write.prepared<{ repositoryId: number; sha: string }, Selectable<Tables['code_commit']>>((slot) =>
      builder
        .selectFrom('code_commit')
        .selectAll()
        .where('repository_id', '=', slot('repositoryId'))
        .where('sha', '=', slot('sha')),
    ),
    add: write.prepared<Row, { id: number }>((slot) =>
      builder
        .insertInto('code_commit')
        .returning('id')
        .values({
          repository_id: slot('repository_id'),
          sha: slot('sha'),
          message: slot('message'),
          author_name: slot('author_name'),
          author_email: slot('author_email'),
          at_ms: slot('at_ms'),
          files: slot('files'),
          files_omitted: slot('files_omitted'),
        }),
    ),
    change: write.prepared<Row & { id: number }, unknown>((slot) =>
      builder
        .updateTable('code_commit')
        .set({
          message: slot('message'),
          author_name: slot('author_name'),
          author_email: slot('author_email'),
          at_ms: slot('at_ms'),
          files: slot('files'),
          files_omitted: slot('files_omitted'),
        })
        .where('id', '=', slot('id')),
    ),
    dropFiles: write.prepared<{ id: number }, unknown>((slot) =>
      builder.deleteFrom('commit_file').where('commit_id', '=', slot('id')),
    ),
    file: write.prepared<{ commitId: number; path: string; name: string; type: string }, unknown>((slot) =>
      builder
        .insertInto('commit_file')
        .values({ commit_id: slot('commitId'), path: slot('path'), name: slot('name'), type: slot('type') })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    place: write.prepared<Place & { place: number; commitId: number }, unknown>((slot) =>
      builder.insertInto('release_commit').values({
        organization_id: slot('organizationId'),
        version: slot('version'),
        place: slot('place'),
        commit_id: slot('commitId'),
      }),
    ),
  }
}
type Statements = ReturnType<typeof statementsOf>

/** Writes a commit and its files. Returns its id. */
export async function putCommit(statements: Statements, repositoryId: number, newCommit: NewCommit): Promise<number> {
  const existing = await statements.known.get({ repositoryId, sha: newCommit.sha })
  const row = {
    repository_id: repositoryId,
    sha: newCommit.sha,
    message: newCommit.message,
    at_ms: newCommit.atMs,
    author_name: newCommit.authorName,
    author_email: newCommit.authorEmail,
    files: newCommit.files?.length ?? existing?.files ?? 0,
    files_omitted: newCommit.files ? newCommit.filesOmitted : (existing?.files_omitted ?? 0),
  }
  const id = existing?.id ?? idOfRow(await statements.add.get(row))
  if (existing) await statements.change.run({ id, ...row })
  if (!newCommit.files) return id
  if (existing) await statements.dropFiles.run({ id })
  for (const { path, type } of newCommit.files)
    await statements.file.run({ commitId: id, path, name: path.slice(path.lastIndexOf('/') + 1), type })
  return id
}

/** Helpers for writes, with their statements. */
type Writer = {
  store: Store
  statements: Statements
  repositoryId(organizationId: number, name: string, nowMs: number): Promise<number>
  /** Commits of a release, in their order. */
  placed(place: Place): Promise<{ commit_id: number; repository_id: number; sha: string }[]>
  /** Replaces the commits of the release with these, in this order. */
  arrange(place: Place, ids: readonly number[]): Promise<void>
}

/** The helpers for writes of commits. */
export function writerOf(store: Store): Writer {
  const { write } = store
  const { builder } = store.dialect
  const statements = statementsOf(store)
  return {
    store,
    statements,
    repositoryId: async (organizationId, name, nowMs) =>
      (await statements.repository.get({ organizationId, name, nowMs }))?.id ?? 0,
    placed: ({ organizationId, version }) =>
      write.all(
        builder
          .selectFrom('release_commit')
          .innerJoin('code_commit', 'code_commit.id', 'release_commit.commit_id')
          .select(['commit_id', 'repository_id', 'sha'])
          .where('organization_id', '=', organizationId)
          .where('version', '=', version)
          .orderBy('place'),
      ),
    arrange: async ({ organizationId, version }, ids) => {
      const all = builder.deleteFrom('release_commit').where('organization_id', '=', organizationId)
      await write.run(all.where('version', '=', version))
      for (const [place, commitId] of [...new Set(ids)].entries())
        await statements.place.run({ organizationId, version, place, commitId })
    },
  }
}

/** Returns the id of the commit with this hash. Creates an unknown one without a message. */
const commitIdOf = async ({ known: find, add }: Statements, repositoryId: number, sha: string, atMs: number) =>
  (await find.get({ repositoryId, sha }))?.id ??
  idOfRow(
    await add.get({
      repository_id: repositoryId,
      sha,
      message: null,
      author_name: '',
      author_email: '',
      at_ms: atMs,
      files: 0,
      files_omitted: 0,
    }),
  )

async function setRef(
  writer: Writer,
  place: Place,
  { repository, commit, previous }: Ref,
  nowMs: number,
): Promise<void> {
  const { write, dialect } = writer.store
  const { organizationId, version } = place
  const repositoryId = await writer.repositoryId(organizationId, repository, nowMs)
  const row = { sha: commit, previous_sha: previous }
  await write.run(
    dialect.builder
      .insertInto('release_ref')
      .values({ organization_id: organizationId, version, repository_id: repositoryId, ...row })
      .onConflict((conflict) => conflict.columns(['organization_id', 'version', 'repository_id']).doUpdateSet(row)),
  )
  const existing = await writer.placed(place)
  if (existing.some((item) => item.repository_id === repositoryId && item.sha === commit)) return
  const others = existing.filter((item) => item.repository_id !== repositoryId).map((item) => item.commit_id)
  await writer.arrange(place, [await commitIdOf(writer.statements, repositoryId, commit, nowMs), ...others])
}

/** Implements changes of commits by builds. */
export function commitChangePart(
  store: Store,
): Pick<CommitStore, 'setCommits' | 'setRefs' | 'putRepository' | 'unlistRepository'> {
  const { write } = store
  const { builder } = store.dialect
  const writer = writerOf(store)
  const placedIds = async (place: Place) => (await writer.placed(place)).map((item) => item.commit_id)
  return {
    putRepository: async ({ organizationId, name, url }, nowMs) => {
      const id = await write.transaction(async () => {
        const found = await writer.repositoryId(organizationId, name, nowMs)
        await write.run(builder.updateTable('repository').set({ url, listed: 1 }).where('id', '=', found))
        return found
      })
      const row = await write.get(builder.selectFrom('repository').selectAll().where('id', '=', id))
      if (!row) throw new Error('a repository that was just written is there')
      return toRepository(row)
    },
    unlistRepository: (organizationId, id) =>
      write.transaction(async () => {
        const matching = builder.updateTable('repository').set({ listed: 0, url: '' }).where('id', '=', id)
        const { changes } = await write.run(
          matching.where('organization_id', '=', organizationId).where('listed', '=', 1),
        )
        await dropOrphanCommits(store, organizationId, [])
        return changes > 0
      }),
    setCommits: (place, commits, nowMs) =>
      write.transaction(async () => {
        const { organizationId } = place
        const repositories = new Map<string, number>()
        for (const { repository } of commits)
          if (!repositories.has(repository))
            repositories.set(repository, await writer.repositoryId(organizationId, repository, nowMs))
        const before = await placedIds(place)
        const ids = await Array.fromAsync(commits, async (commit) =>
          putCommit(writer.statements, repositories.get(commit.repository) ?? 0, commit),
        )
        await writer.arrange(place, ids)
        await dropOrphanCommits(store, organizationId, before)
      }),
    setRefs: (place, refs, nowMs) =>
      write.transaction(async () => {
        const { organizationId, version } = place
        const before = await placedIds(place)
        if (refs.length === 0) {
          const all = builder.deleteFrom('release_ref').where('organization_id', '=', organizationId)
          await write.run(all.where('version', '=', version))
          await writer.arrange(place, [])
        }
        for (const ref of refs) await setRef(writer, place, ref, nowMs)
        await dropOrphanCommits(store, organizationId, before)
      }),
  }
}
