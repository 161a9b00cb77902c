import type { Store } from '../database/store.ts'
import { type CommitStore, commitColumns, toCommit } from './commits.ts'

/** Newest commits per release that authors are read from. A list has 100 releases, each with up to 5,000 commits. */
const authorCommitsMax = 300

/** Implements sums over the commits of releases. */
export function commitSumPart({ read, dialect: { builder } }: Store): Pick<CommitStore, 'commitSums'> {
  const matching = (organizationId: number, versions: readonly string[]) =>
    builder
      .selectFrom('release_commit')
      .innerJoin('code_commit', 'code_commit.id', 'release_commit.commit_id')
      .where('release_commit.organization_id', '=', organizationId)
      .where('version', 'in', versions)
  return {
    commitSums: async (organizationId, versions, authorsMax) => {
      const sums: Awaited<ReturnType<CommitStore['commitSums']>> = new Map()
      if (versions.length === 0) return sums
      const counts = await read.all(
        builder
          .selectFrom('release_commit')
          .select(['version', (build) => build.fn.countAll<number>().as('n')])
          .where('organization_id', '=', organizationId)
          .where('version', 'in', versions)
          .groupBy('version'),
      )
      const newest = await read.all(
        matching(organizationId, versions)
          .innerJoin('repository', 'repository.id', 'code_commit.repository_id')
          .select(['version', ...commitColumns])
          .where('place', '=', 0),
      )
      const authors = (version: string) =>
        read.all(
          matching(organizationId, [version])
            .select(['author_name', 'author_email'])
            .where('place', '<', authorCommitsMax)
            .where((build) => build.or([build('author_name', '!=', ''), build('author_email', '!=', '')]))
            .groupBy(['author_name', 'author_email'])
            .orderBy((build) => build.fn.min('place'))
            .limit(authorsMax),
        )
      for (const row of newest)
        sums.set(row.version, {
          count: counts.find((count) => count.version === row.version)?.n ?? 0,
          last: toCommit(row),
          authors: (await authors(row.version)).map((author) => ({
            name: author.author_name,
            email: author.author_email,
          })),
        })
      return sums
    },
  }
}

/** Implements the search for rows without a release. */
export function orphanPart({ read, dialect: { builder } }: Store): Pick<CommitStore, 'orphanReleases'> {
  return {
    orphanReleases: async () => {
      const tables = ['release_commit', 'release_ref', 'deploy'] as const
      const looked = await Array.fromAsync(
        tables,
        async (table) =>
          (await read.get(builder.selectFrom(table).select((build) => build.fn.countAll<number>().as('n'))))?.n ?? 0,
      )
      const orphans = (
        await Array.fromAsync(tables, async (table) =>
          (
            await read.all(
              builder
                .selectFrom(table)
                .select(['organization_id', 'version'])
                .distinct()
                .where((build) =>
                  build.not(
                    build.or(
                      (['made_release', 'release'] as const).map((sourceTable) =>
                        build.exists(
                          build
                            .selectFrom(sourceTable)
                            .select(`${sourceTable}.version`)
                            .whereRef(`${sourceTable}.organization_id`, '=', `${table}.organization_id`)
                            .whereRef(`${sourceTable}.version`, '=', `${table}.version`),
                        ),
                      ),
                    ),
                  ),
                ),
            )
          ).map((row) => `${table} of ${row.version} in organization ${row.organization_id}`),
        )
      ).flat()
      return { looked: looked.reduce((sum, item) => sum + item, 0), orphans }
    },
  }
}
