import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { containing } from '../issues/issue-filter.ts'
import type { ReleaseFilter, ReleaseStore } from './releases.ts'

/** One row per project in which a version was created or named by events. */
type Both = Tables & { both: { version: string; organization_id: number; at_ms: number; archived: number | null } }
type Rows = SelectQueryBuilder<Both, 'both', object>
type Build = ExpressionBuilder<Both, 'both'>

/** Selects where and when versions were created or named. */
function bothOf({ dialect: { builder } }: Store, { projectIds, text }: ReleaseFilter): Rows {
  const createdReleases = builder
    .selectFrom('made_release')
    .select([
      'version',
      'organization_id',
      'created_ms as at_ms',
      (build) => build.ref('archived').$castTo<number | null>().as('archived'),
    ])
    .where('project_id', 'in', projectIds)
  const named = builder
    .selectFrom('release')
    .select([
      'version',
      'organization_id',
      'first_event_ms as at_ms',
      (build) => build.lit(null).$castTo<number | null>().as('archived'),
    ])
    .where('project_id', 'in', projectIds)
  const rows = builder.selectFrom(createdReleases.unionAll(named).as('both')) as unknown as Rows
  return text === '' ? rows : rows.where((build) => containing(build.ref('both.version'), text))
}

const deployed = (build: Build, projectIds: readonly number[]) =>
  build
    .selectFrom('deploy')
    .innerJoin('deploy_project', 'deploy_project.deploy_id', 'deploy.id')
    .select('deploy.version')
    .where('deploy_project.project_id', 'in', projectIds)

const inEnvironments = (build: Build, { projectIds }: ReleaseFilter, environments: readonly string[]) =>
  build.or([
    build(
      'both.version',
      'in',
      build
        .selectFrom('release_environment')
        .select('release_environment.version')
        .where('release_environment.project_id', 'in', projectIds)
        .where('release_environment.environment', 'in', environments),
    ),
    build('both.version', 'in', deployed(build, projectIds).where('deploy.environment', 'in', environments)),
  ])

const inRange = (build: Build, { projectIds }: ReleaseFilter, { fromMs, toMs }: { fromMs: number; toMs: number }) =>
  build.or([
    build(
      'both.version',
      'in',
      build
        .selectFrom('made_release')
        .select('made_release.version')
        .where('made_release.project_id', 'in', projectIds)
        .where((own) =>
          own.or([
            own.and([own('created_ms', '>=', fromMs), own('created_ms', '<', toMs)]),
            own.and([own('released_ms', '>=', fromMs), own('released_ms', '<', toMs)]),
          ]),
        ),
    ),
    build(
      'both.version',
      'in',
      build
        .selectFrom('release')
        .select('release.version')
        .where('release.project_id', 'in', projectIds)
        .where('last_event_ms', '>=', fromMs)
        .where('first_event_ms', '<', toMs),
    ),
    build(
      'both.version',
      'in',
      deployed(build, projectIds)
        .where('deploy_project.finished_ms', '>=', fromMs)
        .where('deploy_project.finished_ms', '<', toMs),
    ),
  ])

function filtered(store: Store, filter: ReleaseFilter) {
  let rows = bothOf(store, filter)
  const { environments = [], range, withCommits, untilMs, archived } = filter
  if (environments.length > 0) rows = rows.where((build) => inEnvironments(build, filter, environments))
  if (range) rows = rows.where((build) => inRange(build, filter, range))
  if (withCommits)
    rows = rows.where((build) =>
      build.exists(
        build
          .selectFrom('release_commit')
          .select('release_commit.place')
          .whereRef('release_commit.organization_id', '=', 'both.organization_id')
          .whereRef('release_commit.version', '=', 'both.version'),
      ),
    )
  const all = rows
    .select(['both.version', (build) => build.fn.min<number>('both.at_ms').as('at_ms')])
    .groupBy('both.version')
  // Rows from events have null here, which min ignores.
  const isArchived = (build: Build) => build.fn.coalesce(build.fn.min('both.archived'), build.lit(0))
  const grouped = archived === undefined ? all : all.having(isArchived, '=', Number(archived))
  return untilMs === undefined ? grouped : grouped.having((build) => build.fn.min('both.at_ms'), '<=', untilMs)
}

type FilterPart = Pick<
  ReleaseStore,
  'releaseTimes' | 'countReleases' | 'newIssues' | 'releaseEnvironments' | 'releaseBundles'
>

/** Returns at most `max` environments of each version, by name. */
async function releaseEnvironments(
  { read, dialect: { builder } }: Store,
  projectIds: readonly number[],
  versions: readonly string[],
  max: number,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  if (projectIds.length === 0) return found
  // Query each version separately, because anybody with a key can send thousands of environments for each.
  for (const version of versions) {
    const rows = await read.all(
      builder
        .selectFrom('release_environment')
        .select('environment')
        .distinct()
        .where('project_id', 'in', projectIds)
        .where('version', '=', version)
        .orderBy('environment')
        .limit(max),
    )
    if (rows.length > 0)
      found.set(
        version,
        rows.map((row) => row.environment),
      )
  }
  return found
}

/** Implements the list of releases and their counts. */
export function releaseFilterPart(store: Store): FilterPart {
  const { read } = store
  const { builder } = store.dialect
  return {
    releaseTimes: async ({ offset, max, ...filter }) =>
      filter.projectIds.length === 0
        ? []
        : (
            await read.all(
              filtered(store, filter).orderBy('at_ms', 'desc').orderBy('both.version').limit(max).offset(offset),
            )
          ).map((row) => ({ version: row.version, createdMs: row.at_ms })),
    countReleases: async (filter) =>
      filter.projectIds.length === 0
        ? 0
        : ((
            await read.get(
              builder.selectFrom(filtered(store, filter).as('found')).select(({ fn }) => fn.countAll<number>().as('n')),
            )
          )?.n ?? 0),
    newIssues: async (projectIds, versions) =>
      projectIds.length === 0 || versions.length === 0
        ? []
        : (
            await read.all(
              builder
                .selectFrom('issue')
                .select(['project_id', 'first_release', (build) => build.fn.countAll<number>().as('n')])
                .where('project_id', 'in', projectIds)
                .where('first_release', 'in', versions)
                .groupBy(['project_id', 'first_release']),
            )
          ).map((row) => ({ projectId: row.project_id, version: row.first_release, issues: row.n })),
    releaseEnvironments: (projectIds, versions, max) => releaseEnvironments(store, projectIds, versions, max),
    releaseBundles: async (projectIds, versions) =>
      projectIds.length === 0 || versions.length === 0
        ? new Map()
        : new Map(
            (
              await read.all(
                builder
                  .selectFrom('artifact_link')
                  .select(['release', (build) => build.fn.count<number>('bundle_id').distinct().as('n')])
                  .where('project_id', 'in', projectIds)
                  .where('release', 'in', versions)
                  .groupBy('release'),
              )
            ).map((row) => [row.release, row.n]),
          ),
  }
}
