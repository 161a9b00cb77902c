import { type Selectable, sql } from 'kysely'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** A deployment of a release to an environment. */
export type Deploy = {
  id: number
  version: string
  environment: string
  name: string
  url: string
  startedMs: number | null
  finishedMs: number
  /** Its projects, among those of the request. */
  projectIds: number[]
}

/** A moment in the charts: a release appeared, or a deploy finished. */
export type Moment = {
  kind: 'release' | 'deploy'
  version: string
  atMs: number
  environment: string
  projectIds: number[]
}

/** The newest moments of a range, oldest first, and their total number. */
type Moments = { moments: Moment[]; all: number }

type Range = { projectIds: readonly number[]; fromMs: number; toMs: number; max: number }

export type DeployStore = {
  addDeploy(value: Omit<Deploy, 'id'> & { organizationId: number }): Promise<Deploy>
  /** Deploys of a release to any of these projects, newest first. */
  deploysOf(request: {
    organizationId: number
    version: string
    projectIds: readonly number[]
    offset: number
    max: number
  }): Promise<Deploy[]>
  /**
   * Number of deploys per release, and the last deploy to each environment, newest first. Versions without deploys are
   * absent.
   */
  deploySums(
    organizationId: number,
    versions: readonly string[],
    projectIds: readonly number[],
  ): Promise<Map<string, { count: number; last: Deploy[] }>>
  /** New releases in a range (`toMs` excluded): the newest `max`. */
  releaseMoments(range: Range): Promise<Moments>
  /** Deploys that finished in a range: the newest `max`. `environments`: empty for all. */
  deployMoments(range: Range & { environments: readonly string[] }): Promise<Moments>
}

const toDeploy = (row: Selectable<Tables['deploy']>, projectIds: number[]): Deploy => ({
  id: row.id,
  version: row.version,
  environment: row.environment,
  name: row.name,
  url: row.url,
  startedMs: row.started_ms,
  finishedMs: row.finished_ms,
  projectIds,
})

/** Deletes deploys without projects. The caller opens the transaction. */
export async function dropOrphanDeploys({ write, dialect: { builder } }: Store, organizationId: number): Promise<void> {
  await write.run(
    builder
      .deleteFrom('deploy')
      .where('organization_id', '=', organizationId)
      .where('id', 'not in', builder.selectFrom('deploy_project').select('deploy_id')),
  )
}

/** Selects deploys of any of these projects. */
const seenOf =
  ({ dialect: { builder } }: Store) =>
  (organizationId: number, versions: readonly string[], projectIds: readonly number[]) =>
    builder
      .selectFrom('deploy')
      .where('organization_id', '=', organizationId)
      .where('version', 'in', versions)
      .where('id', 'in', builder.selectFrom('deploy_project').select('deploy_id').where('project_id', 'in', projectIds))

/** Adds to deploys their projects among `projectIds`. */
async function withProjects(
  { read, dialect: { builder } }: Store,
  rows: readonly Selectable<Tables['deploy']>[],
  projectIds: readonly number[],
): Promise<Deploy[]> {
  if (rows.length === 0) return []
  const links = builder
    .selectFrom('deploy_project')
    .select(['deploy_id', 'project_id'])
    .where(
      'deploy_id',
      'in',
      rows.map((row) => row.id),
    )
    .where('project_id', 'in', projectIds)
    .orderBy('project_id')
  const projects = Map.groupBy(await read.all(links), (row) => row.deploy_id)
  return rows.map((row) =>
    toDeploy(
      row,
      (projects.get(row.id) ?? []).map((item) => item.project_id),
    ),
  )
}

/** Implements single deploys. */
export function deployPart(store: Store): Pick<DeployStore, 'addDeploy' | 'deploysOf'> {
  const { write, read } = store
  const { builder } = store.dialect
  const seen = seenOf(store)
  return {
    addDeploy: ({ organizationId, projectIds, ...deploy }) =>
      write.transaction(async () => {
        const row = {
          organization_id: organizationId,
          version: deploy.version,
          environment: deploy.environment,
          name: deploy.name,
          url: deploy.url,
          started_ms: deploy.startedMs,
          finished_ms: deploy.finishedMs,
        }
        const lastId = await insertedId(write, builder.insertInto('deploy').values(row))
        for (const projectId of projectIds)
          await write.run(
            builder
              .insertInto('deploy_project')
              .values({ deploy_id: lastId, project_id: projectId, finished_ms: deploy.finishedMs }),
          )
        return { id: lastId, projectIds, ...deploy }
      }),
    deploysOf: async ({ organizationId, version, projectIds, offset, max }) =>
      projectIds.length === 0
        ? []
        : await withProjects(
            store,
            await read.all(
              seen(organizationId, [version], projectIds)
                .selectAll()
                .orderBy('finished_ms', 'desc')
                .orderBy('id', 'desc')
                .limit(max)
                .offset(offset),
            ),
            projectIds,
          ),
  }
}

/** Implements the number of deploys of releases, and the last ones. */
export function deploySumPart(store: Store): Pick<DeployStore, 'deploySums'> {
  const { read } = store
  const seen = seenOf(store)
  return {
    deploySums: async (organizationId, versions, projectIds) => {
      const sums: Awaited<ReturnType<DeployStore['deploySums']>> = new Map()
      if (versions.length === 0 || projectIds.length === 0) return sums
      const grouped = await read.all(
        seen(organizationId, versions, projectIds)
          .select(['version', 'environment', (build) => build.fn.countAll<number>().as('n')])
          .select((build) => build.fn.max('finished_ms').as('last_ms'))
          .groupBy(['version', 'environment']),
      )
      const ends = [...new Set(grouped.map((row) => row.last_ms))]
      const rows = ends.length
        ? await read.all(
            seen(organizationId, versions, projectIds).selectAll().where('finished_ms', 'in', ends).orderBy('id'),
          )
        : []
      const last = (
        await withProjects(
          store,
          grouped.flatMap(
            (group) =>
              rows.findLast(
                (row) =>
                  row.version === group.version &&
                  row.environment === group.environment &&
                  row.finished_ms === group.last_ms,
              ) ?? [],
          ),
          projectIds,
        )
      ).sort((a, b) => b.finishedMs - a.finishedMs || b.id - a.id)
      for (const { version, n } of grouped) {
        const existing = sums.get(version)
        if (existing) existing.count += n
        else sums.set(version, { count: n, last: last.filter((item) => item.version === version) })
      }
      return sums
    },
  }
}

/** Returns the projects of each key, in order. */
function projectsBy(rows: readonly { key: string | number; project_id: number }[]): Map<string | number, number[]> {
  const sorted = [...rows].sort((a, b) => a.project_id - b.project_id)
  const found = new Map<string | number, number[]>()
  for (const { key, project_id: id } of sorted) {
    const existing = found.get(key)
    if (!existing) found.set(key, [id])
    else if (existing.at(-1) !== id) existing.push(id)
  }
  return found
}

const none: Moments = { moments: [], all: 0 }

/** Implements new releases in a range. A release is new when somebody created it or an event first named it. */
export function releaseMomentPart({ read, dialect: { builder } }: Store): Pick<DeployStore, 'releaseMoments'> {
  return {
    releaseMoments: async ({ projectIds, fromMs, toMs, max }) => {
      if (projectIds.length === 0) return none
      const createdReleases = builder
        .selectFrom('made_release')
        .select(['version', 'created_ms as at_ms', 'project_id'])
        .where('project_id', 'in', projectIds)
      const named = builder
        .selectFrom('release')
        .select(['version', 'first_event_ms as at_ms', 'project_id'])
        .where('project_id', 'in', projectIds)
      const inRange = builder
        .selectFrom(
          createdReleases
            .where('created_ms', '>=', fromMs)
            .where('created_ms', '<', toMs)
            .unionAll(named.where('first_event_ms', '>=', fromMs).where('first_event_ms', '<', toMs))
            .as('found'),
        )
        .select('version')
      const both = () => builder.selectFrom(createdReleases.unionAll(named).as('both'))
      // A release from before the range has another, earlier row.
      const created = both()
        .select(['version', (build) => build.fn.min<number>('at_ms').as('at_ms')])
        .where('version', 'in', inRange)
        .groupBy('version')
        .having((build) => build.fn.min('at_ms'), '>=', fromMs)
      // Count and limit in one pass.
      const rows = await read.all(
        builder
          .selectFrom(created.as('came'))
          .select(['version', 'at_ms', sql<number>`count(*) over ()`.as('n')])
          .orderBy('at_ms', 'desc')
          .orderBy('version')
          .limit(max),
      )
      if (rows.length === 0) return none
      const versions = rows.map((row) => row.version)
      const projects = projectsBy(
        await read.all(both().select(['version as key', 'project_id']).where('version', 'in', versions)),
      )
      return {
        moments: rows.reverse().map(({ version, at_ms: atMs }) => ({
          kind: 'release' as const,
          version,
          environment: '',
          atMs,
          projectIds: projects.get(version) ?? [],
        })),
        all: rows[0]?.n ?? 0,
      }
    },
  }
}

/** Implements deploys that finished in a range. */
export function deployMomentPart({ read, dialect: { builder } }: Store): Pick<DeployStore, 'deployMoments'> {
  return {
    deployMoments: async ({ projectIds, fromMs, toMs, environments, max }) => {
      if (projectIds.length === 0) return none
      const links = builder
        .selectFrom('deploy_project')
        .innerJoin('deploy', 'deploy.id', 'deploy_project.deploy_id')
        .where('project_id', 'in', projectIds)
        .where('deploy_project.finished_ms', '>=', fromMs)
        .where('deploy_project.finished_ms', '<', toMs)
      const matching = environments.length ? links.where('environment', 'in', environments) : links
      const rows = await read.all(
        matching
          .select(['deploy.id as key', 'version', 'environment', 'deploy.finished_ms as at_ms'])
          .select(sql<number>`count(*) over ()`.as('n'))
          .groupBy(['deploy.id', 'version', 'environment', 'deploy.finished_ms'])
          .orderBy('deploy.finished_ms', 'desc')
          .orderBy('deploy.id', 'desc')
          .limit(max),
      )
      if (rows.length === 0) return none
      const ids = rows.map((row) => row.key)
      const projects = projectsBy(
        await read.all(
          builder
            .selectFrom('deploy_project')
            .select(['deploy_id as key', 'project_id'])
            .where('deploy_id', 'in', ids)
            .where('project_id', 'in', projectIds),
        ),
      )
      return {
        moments: rows.reverse().map(({ key, version, environment, at_ms: atMs }) => ({
          kind: 'deploy' as const,
          version,
          environment,
          atMs,
          projectIds: projects.get(key) ?? [],
        })),
        all: rows[0]?.n ?? 0,
      }
    },
  }
}
