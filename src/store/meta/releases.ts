import { MishapError } from '../../errors.ts'
import { containing } from './filter.ts'
import type { Store } from './store.ts'

/** A release of some projects: made by an upload or a person, or named by events. */
export type Release = {
  version: string
  projectIds: number[]
  createdMs: number
  /** Null: not finalized. */
  releasedMs: number | null
  url: string
  ref: string
  firstEventMs: number | null
  lastEventMs: number | null
}

/** What can be said of a release. */
export type ReleaseChange = { releasedMs?: number | null; url?: string; ref?: string }

export type ReleaseStore = {
  /** Makes a release in projects; where it is there already it only changes. `isNew`: none of them had it. */
  makeRelease(
    value: { organizationId: number; projectIds: readonly number[]; version: string; change: ReleaseChange },
    nowMs: number,
  ): { release: Release; isNew: boolean }
  /** Changes a release in each of these projects that has it. Throws NOT_FOUND. */
  changeRelease(
    value: { organizationId: number; projectIds: readonly number[]; version: string; change: ReleaseChange },
    nowMs: number,
  ): Release
  releaseOf(projectIds: readonly number[], version: string): Release | undefined
  /** Releases of projects, the newest first, whose version contains `text`. */
  listReleases(request: { projectIds: readonly number[]; text: string; offset: number; max: number }): Release[]
  /** Takes out what people said of a release; its events keep naming it. Returns false when there was nothing. */
  removeRelease(projectIds: readonly number[], version: string): boolean
}

type Row = {
  project_id: number
  version: string
  created_ms: number
  released_ms: number | null
  url: string
  ref: string
  first_event_ms: number | null
  last_event_ms: number | null
}

const least = (values: (number | null)[]) =>
  values.reduce<number | null>((best, one) => (one === null || (best !== null && best <= one) ? best : one), null)
const most = (values: (number | null)[]) =>
  values.reduce<number | null>((best, one) => (one === null || (best !== null && best >= one) ? best : one), null)

function toRelease(version: string, rows: readonly Row[]): Release {
  const said = (key: 'url' | 'ref') => rows.find((row) => row[key] !== '')?.[key] ?? ''
  return {
    version,
    projectIds: [...new Set(rows.map((row) => row.project_id))].sort((a, b) => a - b),
    createdMs: least(rows.map((row) => row.created_ms)) ?? 0,
    releasedMs: least(rows.map((row) => row.released_ms)),
    url: said('url'),
    ref: said('ref'),
    firstEventMs: least(rows.map((row) => row.first_event_ms)),
    lastEventMs: most(rows.map((row) => row.last_event_ms)),
  }
}

/** Rows of both kinds: what was made, and what events named. */
function releaseRows({ read, dialect: { builder } }: Store, projectIds: readonly number[], versions: string[]): Row[] {
  const made = builder
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
    ...read.all(made).map((row) => ({ ...row, first_event_ms: null, last_event_ms: null })),
    ...read.all(named).map((row) => ({ ...row, created_ms: row.first_event_ms, released_ms: null, url: '', ref: '' })),
  ]
}

/** Versions of projects whose text contains `text`, newest first. */
function versionsOf(
  { read, dialect: { builder } }: Store,
  { projectIds, text, offset, max }: Parameters<ReleaseStore['listReleases']>[0],
): string[] {
  const made = builder
    .selectFrom('made_release')
    .select(['version', 'created_ms as at_ms'])
    .where('project_id', 'in', projectIds)
    .where((build) => containing(build.ref('version'), text))
  const named = builder
    .selectFrom('release')
    .select(['version', 'first_event_ms as at_ms'])
    .where('project_id', 'in', projectIds)
    .where((build) => containing(build.ref('version'), text))
  return read
    .all(
      builder
        .selectFrom(made.unionAll(named).as('both'))
        .select(['version', (build) => build.fn.min('at_ms').as('at_ms')])
        .groupBy('version')
        .orderBy('at_ms', 'desc')
        .orderBy('version')
        .limit(max)
        .offset(offset),
    )
    .map((row) => row.version)
}

/** Releases as builds and people make them, together with those that events named. */
export function releasePart(store: Store): ReleaseStore {
  const { write } = store
  const { builder } = store.dialect
  const releaseOf = (projectIds: readonly number[], version: string): Release | undefined => {
    const rows = projectIds.length === 0 ? [] : releaseRows(store, projectIds, [version])
    return rows.length === 0 ? undefined : toRelease(version, rows)
  }
  const put: ReleaseStore['makeRelease'] = ({ organizationId, projectIds, version, change }, nowMs) => {
    const isNew = releaseOf(projectIds, version) === undefined
    const { releasedMs, url, ref } = change
    const row = {
      ...(releasedMs === undefined ? {} : { released_ms: releasedMs }),
      ...(url === undefined ? {} : { url }),
      ...(ref === undefined ? {} : { ref }),
    }
    write.transaction(() => {
      for (const projectId of projectIds)
        write.run(
          builder
            .insertInto('made_release')
            .values({
              ...{ organization_id: organizationId, project_id: projectId, version, created_ms: nowMs },
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
    const release = releaseOf(projectIds, version)
    if (!release) throw new MishapError('NOT_FOUND')
    return { release, isNew }
  }
  return {
    makeRelease: put,
    changeRelease: (value, nowMs) => {
      const there = releaseOf(value.projectIds, value.version)
      if (!there) throw new MishapError('NOT_FOUND')
      put({ ...value, projectIds: there.projectIds }, nowMs)
      return releaseOf(value.projectIds, value.version) ?? there
    },
    releaseOf,
    listReleases: ({ projectIds, text, offset, max }) => {
      if (projectIds.length === 0) return []
      const versions = versionsOf(store, { projectIds, text, offset, max })
      if (versions.length === 0) return []
      const rows = Map.groupBy(releaseRows(store, projectIds, versions), (row) => row.version)
      return versions.map((version) => toRelease(version, rows.get(version) ?? []))
    },
    removeRelease: (projectIds, version) =>
      projectIds.length > 0 &&
      write.run(builder.deleteFrom('made_release').where('project_id', 'in', projectIds).where('version', '=', version))
        .changes > 0,
  }
}
