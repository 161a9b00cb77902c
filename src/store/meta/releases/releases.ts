import { MishapError } from '../../../base/errors.ts'
import type { Store } from '../database/store.ts'
import { dropOrphanCommits } from './commit-changes.ts'
import { dropOrphanDeploys } from './deploys.ts'
import { releaseFilterPart } from './release-lists.ts'

/** A release of some projects: created by an upload or a person, or named by events. */
export type Release = {
  version: string
  projectIds: number[]
  createdMs: number
  /** Null: not finalized. */
  releasedMs: number | null
  url: string
  ref: string
  /** Archived in each project that created it. */
  archived: boolean
  firstEventMs: number | null
  lastEventMs: number | null
}

/** Changes to a release. */
export type ReleaseChange = { releasedMs?: number | null; url?: string; ref?: string; archived?: boolean }

export type ReleaseStore = {
  /** Creates a release in projects, or changes an existing release. `isNew`: none of the projects had it. */
  makeRelease(
    value: { organizationId: number; projectIds: readonly number[]; version: string; change: ReleaseChange },
    nowMs: number,
  ): Promise<{ release: Release; isNew: boolean }>
  /** Changes a release in each of these projects that have it. Throws NOT_FOUND. */
  changeRelease(
    value: { organizationId: number; projectIds: readonly number[]; version: string; change: ReleaseChange },
    nowMs: number,
  ): Promise<Release>
  releaseOf(projectIds: readonly number[], version: string): Promise<Release | undefined>
  countReleases(request: ReleaseFilter): Promise<number>
  /** Versions that match the filter and their creation times, newest first, for sorting. */
  releaseTimes(
    request: ReleaseFilter & { offset: number; max: number },
  ): Promise<{ version: string; createdMs: number }[]>
  /** These releases in this order, without unknown ones. */
  releasesNamed(projectIds: readonly number[], versions: readonly string[]): Promise<Release[]>
  /**
   * Deletes the created release in these projects with its deploys. Deletes its commits, too, once no project has the
   * created release any more. Events can still name the version. Returns false when nothing was deleted.
   */
  removeRelease(organizationId: number, projectIds: readonly number[], version: string): Promise<boolean>
  /** Number of issues first seen in each of these versions, by project. */
  newIssues(
    projectIds: readonly number[],
    versions: readonly string[],
  ): Promise<{ projectId: number; version: string; issues: number }[]>
  /** Environments in the events of these versions, in alphabetical order, at most `max` per version. */
  releaseEnvironments(
    projectIds: readonly number[],
    versions: readonly string[],
    max: number,
  ): Promise<Map<string, string[]>>
  /** Number of uploaded bundles for each of these versions. */
  releaseBundles(projectIds: readonly number[], versions: readonly string[]): Promise<Map<string, number>>
}

/** A filter for releases: of these projects, with this text in the version. Optional fields narrow it down. */
export type ReleaseFilter = {
  projectIds: readonly number[]
  text: string
  /** With events in one of these environments, or a deploy to such an environment. */
  environments?: readonly string[]
  /** Created, finalized, deployed, or with events in this range. */
  range?: { fromMs: number; toMs: number } | undefined
  /** With commits. */
  withCommits?: boolean
  /** Archived or not. */
  archived?: boolean | undefined
  /** Created at this time or earlier. */
  untilMs?: number
}

type Row = {
  project_id: number
  version: string
  created_ms: number
  released_ms: number | null
  url: string
  ref: string
  /** Null in a row from events. */
  archived: number | null
  first_event_ms: number | null
  last_event_ms: number | null
}

const least = (values: (number | null)[]) =>
  values.reduce<number | null>((best, item) => (item === null || (best !== null && best <= item) ? best : item), null)
const most = (values: (number | null)[]) =>
  values.reduce<number | null>((best, item) => (item === null || (best !== null && best >= item) ? best : item), null)

function toRelease(version: string, rows: readonly Row[]): Release {
  const firstSet = (key: 'url' | 'ref') => rows.find((row) => row[key] !== '')?.[key] ?? ''
  return {
    version,
    projectIds: [...new Set(rows.map((row) => row.project_id))].sort((a, b) => a - b),
    createdMs: least(rows.map((row) => row.created_ms)) ?? 0,
    releasedMs: least(rows.map((row) => row.released_ms)),
    url: firstSet('url'),
    ref: firstSet('ref'),
    archived: least(rows.map((row) => row.archived)) === 1,
    firstEventMs: least(rows.map((row) => row.first_event_ms)),
    lastEventMs: most(rows.map((row) => row.last_event_ms)),
  }
}

/** Returns the rows of created releases and of releases named by events. */
async function releaseRows(
  { read, dialect: { builder } }: Store,
  projectIds: readonly number[],
  versions: readonly string[],
): Promise<Row[]> {
  const createdReleases = builder
    .selectFrom('made_release')
    .selectAll()
    .where('project_id', 'in', projectIds)
    .where('version', 'in', versions)
  const named = builder
    .selectFrom('release')
    .selectAll()
    .where('project_id', 'in', projectIds)
    .where('version', 'in', versions)
  return [
    ...(await read.all(createdReleases)).map((row) => ({ ...row, first_event_ms: null, last_event_ms: null })),
    ...(await read.all(named)).map((row) => ({
      ...row,
      created_ms: row.first_event_ms,
      released_ms: null,
      url: '',
      ref: '',
      archived: null,
    })),
  ]
}

/** Deletes a created release in these projects. The caller opens the transaction. */
async function remove(
  store: Store,
  organizationId: number,
  projectIds: readonly number[],
  version: string,
): Promise<boolean> {
  const { write } = store
  const { builder } = store.dialect
  const matching = builder
    .deleteFrom('made_release')
    .where('project_id', 'in', projectIds)
    .where('version', '=', version)
  const { changes } = await write.run(matching)
  const deploys = builder
    .selectFrom('deploy')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('version', '=', version)
  await write.run(
    builder.deleteFrom('deploy_project').where('project_id', 'in', projectIds).where('deploy_id', 'in', deploys),
  )
  await dropOrphanDeploys(store, organizationId)
  const left = builder
    .selectFrom('made_release')
    .select('project_id')
    .where('organization_id', '=', organizationId)
    .where('version', '=', version)
  if (!(await write.get(left))) {
    for (const table of ['release_commit', 'release_ref'] as const)
      await write.run(
        builder.deleteFrom(table).where('organization_id', '=', organizationId).where('version', '=', version),
      )
    await dropOrphanCommits(store, organizationId)
  }
  return changes > 0
}

/** Implements releases from builds, people and events. */
export function releasePart(store: Store): ReleaseStore {
  const { write } = store
  const { builder } = store.dialect
  const filterStore = releaseFilterPart(store)
  const releaseOf = async (projectIds: readonly number[], version: string): Promise<Release | undefined> => {
    const rows = projectIds.length === 0 ? [] : await releaseRows(store, projectIds, [version])
    return rows.length === 0 ? undefined : toRelease(version, rows)
  }
  const put: ReleaseStore['makeRelease'] = async ({ organizationId, projectIds, version, change }, nowMs) => {
    const isNew = (await releaseOf(projectIds, version)) === undefined
    const { releasedMs, url, ref, archived } = change
    const row = {
      ...(releasedMs === undefined ? {} : { released_ms: releasedMs }),
      ...(url === undefined ? {} : { url }),
      ...(ref === undefined ? {} : { ref }),
      ...(archived === undefined ? {} : { archived: Number(archived) }),
    }
    await write.transaction(async () => {
      for (const projectId of projectIds)
        await write.run(
          builder
            .insertInto('made_release')
            .values({
              organization_id: organizationId,
              project_id: projectId,
              version,
              created_ms: nowMs,
              released_ms: null,
              ...row,
            })
            .onConflict((conflict) =>
              Object.keys(row).length === 0
                ? conflict.doNothing()
                : conflict.columns(['organization_id', 'version', 'project_id']).doUpdateSet(row),
            ),
        )
    })
    const release = await releaseOf(projectIds, version)
    if (!release) throw new MishapError('NOT_FOUND')
    return { release, isNew }
  }
  const releasesNamed: ReleaseStore['releasesNamed'] = async (projectIds, versions) => {
    if (projectIds.length === 0 || versions.length === 0) return []
    const rows = Map.groupBy(await releaseRows(store, projectIds, versions), (row) => row.version)
    return versions.flatMap((version) => {
      const namedRows = rows.get(version)
      return namedRows ? [toRelease(version, namedRows)] : []
    })
  }
  return {
    ...filterStore,
    makeRelease: put,
    changeRelease: async (value, nowMs) => {
      const existing = await releaseOf(value.projectIds, value.version)
      if (!existing) throw new MishapError('NOT_FOUND')
      await put({ ...value, projectIds: existing.projectIds }, nowMs)
      return (await releaseOf(value.projectIds, value.version)) ?? existing
    },
    releaseOf,
    releasesNamed,
    removeRelease: async (organizationId, projectIds, version) =>
      projectIds.length > 0 && (await write.transaction(() => remove(store, organizationId, projectIds, version))),
  }
}

/**
 * Deletes commits, refs and deploys of releases that no longer exist, for example after a project was deleted. The
 * caller opens the transaction.
 */
export async function dropOrphanReleases(store: Store, organizationId: number): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  for (const table of ['release_commit', 'release_ref', 'deploy'] as const)
    await write.run(
      builder
        .deleteFrom(table)
        .where('organization_id', '=', organizationId)
        .where('version', 'not in', versionsIn(store, 'made_release', organizationId))
        .where('version', 'not in', versionsIn(store, 'release', organizationId)),
    )
  await dropOrphanDeploys(store, organizationId)
  await dropOrphanCommits(store, organizationId)
}

const versionsIn = ({ dialect: { builder } }: Store, table: 'made_release' | 'release', organizationId: number) =>
  builder.selectFrom(table).select(`${table}.version`).where(`${table}.organization_id`, '=', organizationId)
