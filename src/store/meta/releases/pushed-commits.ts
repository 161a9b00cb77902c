import { sql } from 'kysely'
import type { Store } from '../database/store.ts'
import { dropOrphanCommits, putCommit, writerOf } from './commit-changes.ts'
import { type CommitStore, commitColumns, toCommit } from './commits.ts'

/** Maximum values per statement. */
const chunk = 500

/** Implements commits that webhooks report, and the list of the newest ones. */
export function pushedCommitPart(store: Store): Pick<CommitStore, 'addPushed' | 'prunePushed' | 'recentCommitsOf'> {
  const { write, read } = store
  const { builder } = store.dialect
  const writer = writerOf(store)
  const all = () =>
    builder
      .selectFrom('code_commit')
      .innerJoin('repository', 'repository.id', 'code_commit.repository_id')
      .select(commitColumns)
  return {
    addPushed: ({ organizationId, integrationId, repository, url }, commits, nowMs) =>
      write.transaction(async () => {
        const id = await writer.repositoryId(organizationId, repository, nowMs)
        const mine = builder.updateTable('repository').where('id', '=', id)
        await write.run(mine.set({ integration_id: integrationId }))
        if (url !== '') await write.run(mine.set({ url }).where('url', '=', ''))
        for (const commit of commits) {
          const commitId = await putCommit(writer.statements, id, commit)
          await write.run(builder.updateTable('code_commit').set({ pushed_ms: nowMs }).where('id', '=', commitId))
        }
      }),
    prunePushed: (beforeMs) =>
      write.transaction(async () => {
        const old = await write.all(
          builder
            .selectFrom('code_commit')
            .innerJoin('repository', 'repository.id', 'repository_id')
            .select(['code_commit.id', 'organization_id'])
            .where('pushed_ms', '<', beforeMs)
            .limit(1_000),
        )
        for (const [organizationId, rows] of Map.groupBy(old, (row) => row.organization_id)) {
          const ids = rows.map((row) => row.id)
          for (let start = 0; start < ids.length; start += chunk)
            await write.run(
              builder
                .updateTable('code_commit')
                .set({ pushed_ms: null })
                .where('id', 'in', ids.slice(start, start + chunk)),
            )
          await dropOrphanCommits(store, organizationId, ids)
        }
        return old.length
      }),
    recentCommitsOf: async ({ organizationId, text, max }) => {
      const mine = all().where('repository.organization_id', '=', organizationId)
      // `%` and `_` of the text are characters, not patterns.
      const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
      const matching = mine.where((build) =>
        build.or([
          build('sha', 'like', pattern.slice(1)),
          sql<boolean>`lower(coalesce(message, '')) like ${pattern} escape '\\'`,
        ]),
      )
      const newest = (text === '' ? mine : matching).orderBy('at_ms', 'desc').orderBy('code_commit.id', 'desc')
      return (await read.all(newest.limit(max))).map(toCommit)
    },
  }
}
