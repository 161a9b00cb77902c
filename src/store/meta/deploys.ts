import type { Selectable } from 'kysely'
import type { Store } from './store.ts'
import type { Tables } from './tables.ts'

/** A release that went to an environment. */
export type Deploy = {
  id: number
  version: string
  environment: string
  name: string
  url: string
  startedMs: number | null
  finishedMs: number
  /** Of those that were asked for, the projects that it is about. */
  projectIds: number[]
}

/** A moment of the charts: a release came up, or a deploy ended. */
export type Moment = {
  kind: 'release' | 'deploy'
  version: string
  atMs: number
  environment: string
  projectIds: number[]
}

type Range = { projectIds: readonly number[]; fromMs: number; toMs: number }

export type DeployStore = {
  addDeploy(value: Omit<Deploy, 'id'> & { organizationId: number }): Deploy
  /** Deploys of a release to any of these projects, the newest first. */
  deploysOf(request: {
    organizationId: number
    version: string
    projectIds: readonly number[]
    offset: number
    max: number
  }): Deploy[]
  /** How many deploys each release has, and the last one to each environment, newest first. Versions without any are absent. */
  deploySums(
    organizationId: number,
    versions: readonly string[],
    projectIds: readonly number[],
  ): Map<string, { count: number; last: Deploy[] }>
  /** Creations of releases in a range (`toMs` is not in it), oldest first. */
  releaseMoments(range: Range): Moment[]
  /** Deploys that ended in a range, oldest first; `environments` empty: to all. */
  deployMoments(range: Range & { environments: readonly string[] }): Moment[]
}

/** Moments of one kind that a range is asked for; more are thinned by whoever draws them. */
const momentsMax = 20_000

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

/** Takes out deploys that are about no project any more; the caller holds the transaction. */
export function dropLooseDeploys({ write, dialect: { builder } }: Store, organizationId: number): void {
  write.run(
    builder
      .deleteFrom('deploy')
      .where('organization_id', '=', organizationId)
      .where('id', 'not in', builder.selectFrom('deploy_project').select('deploy_id')),
  )
}

/** Rows of a version and project, one after the other, as moments with their projects. */
function gather(
  kind: Moment['kind'],
  rows: readonly { key: string | number; version: string; environment: string; at_ms: number; project_id: number }[],
): Moment[] {
  const found = new Map<string | number, Moment>()
  for (const row of rows) {
    const known = found.get(row.key)
    if (!known)
      found.set(row.key, {
        ...{ kind, version: row.version, environment: row.environment, atMs: row.at_ms },
        projectIds: [row.project_id],
      })
    else {
      known.atMs = Math.min(known.atMs, row.at_ms)
      if (!known.projectIds.includes(row.project_id)) known.projectIds.push(row.project_id)
    }
  }
  for (const one of found.values()) one.projectIds.sort((a, b) => a - b)
  return [...found.values()].sort((a, b) => a.atMs - b.atMs)
}

/** Deploys that are about one of these projects. */
const seenOf =
  ({ dialect: { builder } }: Store) =>
  (organizationId: number, versions: readonly string[], projectIds: readonly number[]) =>
    builder
      .selectFrom('deploy')
      .where('organization_id', '=', organizationId)
      .where('version', 'in', versions)
      .where('id', 'in', builder.selectFrom('deploy_project').select('deploy_id').where('project_id', 'in', projectIds))

/** Deploys with those of their projects that are among `projectIds`. */
function withProjects(
  { read, dialect: { builder } }: Store,
  rows: readonly Selectable<Tables['deploy']>[],
  projectIds: readonly number[],
): Deploy[] {
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
  const projects = Map.groupBy(read.all(links), (row) => row.deploy_id)
  return rows.map((row) =>
    toDeploy(
      row,
      (projects.get(row.id) ?? []).map((one) => one.project_id),
    ),
  )
}

/** Deploys, one by one. */
export function deployPart(store: Store): Pick<DeployStore, 'addDeploy' | 'deploysOf'> {
  const { write, read } = store
  const { builder } = store.dialect
  const seen = seenOf(store)
  return {
    addDeploy: ({ organizationId, projectIds, ...one }) =>
      write.transaction(() => {
        const row = {
          ...{ organization_id: organizationId, version: one.version, environment: one.environment },
          ...{ name: one.name, url: one.url, started_ms: one.startedMs, finished_ms: one.finishedMs },
        }
        const { lastId } = write.run(builder.insertInto('deploy').values(row))
        for (const projectId of projectIds)
          write.run(
            builder
              .insertInto('deploy_project')
              .values({ deploy_id: lastId, project_id: projectId, finished_ms: one.finishedMs }),
          )
        return { id: lastId, projectIds, ...one }
      }),
    deploysOf: ({ organizationId, version, projectIds, offset, max }) =>
      projectIds.length === 0
        ? []
        : withProjects(
            store,
            read.all(
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

/** How many deploys releases have, and which were the last. */
export function deploySumPart(store: Store): Pick<DeployStore, 'deploySums'> {
  const { read } = store
  const seen = seenOf(store)
  return {
    deploySums: (organizationId, versions, projectIds) => {
      const sums: ReturnType<DeployStore['deploySums']> = new Map()
      if (versions.length === 0 || projectIds.length === 0) return sums
      const grouped = read.all(
        seen(organizationId, versions, projectIds)
          .select(['version', 'environment', (build) => build.fn.countAll<number>().as('n')])
          .select((build) => build.fn.max('finished_ms').as('last_ms'))
          .groupBy(['version', 'environment']),
      )
      const ends = [...new Set(grouped.map((row) => row.last_ms))]
      const rows = ends.length
        ? read.all(
            seen(organizationId, versions, projectIds).selectAll().where('finished_ms', 'in', ends).orderBy('id'),
          )
        : []
      const last = withProjects(
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
      ).sort((a, b) => b.finishedMs - a.finishedMs || b.id - a.id)
      for (const { version, n } of grouped) {
        const known = sums.get(version)
        if (known) known.count += n
        else sums.set(version, { count: n, last: last.filter((one) => one.version === version) })
      }
      return sums
    },
  }
}

/** What charts mark. A release came up when somebody made it or an event named it, whichever was first. */
export function momentPart({
  read,
  dialect: { builder },
}: Store): Pick<DeployStore, 'releaseMoments' | 'deployMoments'> {
  return {
    deployMoments: ({ projectIds, fromMs, toMs, environments }) => {
      if (projectIds.length === 0) return []
      const all = builder
        .selectFrom('deploy_project')
        .innerJoin('deploy', 'deploy.id', 'deploy_project.deploy_id')
        .select(['deploy.id as key', 'version', 'environment', 'deploy_project.finished_ms as at_ms', 'project_id'])
        .where('project_id', 'in', projectIds)
        .where('deploy_project.finished_ms', '>=', fromMs)
        .where('deploy_project.finished_ms', '<', toMs)
        .orderBy('deploy_project.finished_ms', 'desc')
        .limit(momentsMax)
      return gather('deploy', read.all(environments.length ? all.where('environment', 'in', environments) : all))
    },
    releaseMoments: ({ projectIds, fromMs, toMs }) => {
      if (projectIds.length === 0) return []
      const made = builder
        .selectFrom('made_release')
        .select(['version', 'created_ms as at_ms', 'project_id'])
        .where('project_id', 'in', projectIds)
      const named = builder
        .selectFrom('release')
        .select(['version', 'first_event_ms as at_ms', 'project_id'])
        .where('project_id', 'in', projectIds)
      const inRange = builder
        .selectFrom(
          made
            .where('created_ms', '>=', fromMs)
            .where('created_ms', '<', toMs)
            .unionAll(named.where('first_event_ms', '>=', fromMs).where('first_event_ms', '<', toMs))
            .as('found'),
        )
        .select('version')
      // A release that was there before the range has another row that says so.
      const rows = read.all(
        builder
          .selectFrom(made.unionAll(named).as('both'))
          .select(['version', 'at_ms', 'project_id'])
          .where('version', 'in', inRange)
          .orderBy('at_ms', 'desc')
          .limit(momentsMax),
      )
      const moments = gather(
        'release',
        rows.map((row) => ({ ...row, key: row.version, environment: '' })),
      )
      return moments.filter((one) => one.atMs >= fromMs)
    },
  }
}
