import type { Store } from '../database/store.ts'
import { escaped, isLike } from '../issues/issue-filter.ts'
import { type ArtifactFile, type FileRow, toFile } from './artifacts.ts'

/** A file with its bundle and one of the bundle's places. */
export type PlacedFile = {
  file: ArtifactFile
  /** The bundle's id from the client. */
  uuid: string
  projectId: number
  release: string
  dist: string
  /** When the bundle was added to this place. */
  sinceMs: number
}

/** Number of bundles and single files, and the arrival of the newest. */
export type Uploads = { bundles: number; newestMs: number }

/** Searches for files that an event may have meant when its requested files do not exist. */
export type ArtifactSearchStore = {
  uploadsOf(projectId: number, place?: { release: string; dist: string }): Promise<Uploads>
  /** Places of files with this debug id in these projects, newest first. */
  placesOfDebugId(projectIds: readonly number[], debugId: string, max: number): Promise<PlacedFile[]>
  /** Places of a bundle in a project, and when it was added to each. */
  placesOfBundle(bundleId: number, projectId: number): Promise<{ release: string; dist: string; sinceMs: number }[]>
  /**
   * Files, except source maps, whose URL ends with one of these names (`*`: any characters), in one or all releases of
   * these projects, newest first. Reads the files of the newest bundles, 100,000 at most. So use it for questions of
   * people, not for each incoming event.
   */
  filesNamed(
    projectIds: readonly number[],
    names: readonly string[],
    max: number,
    release?: string,
  ): Promise<PlacedFile[]>
  /** Ids of the bundles and single files of a release, newest first. `dist` undefined: all dists. */
  bundlesOfRelease(projectId: number, release: string, dist: string | undefined, max: number): Promise<number[]>
}

type Row = FileRow & { uuid: string; project_id: number; release: string; dist: string; since_ms: number }

const toPlaced = (row: Row): PlacedFile => ({
  file: toFile(row),
  uuid: row.uuid,
  projectId: row.project_id,
  release: row.release,
  dist: row.dist,
  sinceMs: row.since_ms,
})

type NamePart = Pick<ArtifactSearchStore, 'placesOfDebugId' | 'filesNamed'>

/** Maximum names compared in one search: 100,000 take some 40 ms, which block other requests. */
const comparedMax = 100_000
const bundlesMax = 500

/** Implements searches by debug id or name across projects. */
export function fileSearchPart({ read, dialect: { builder } }: Store): NamePart {
  /** Ids of the projects' newest bundles, up to the limit of files. */
  const newest = async (projectIds: readonly number[], release: string | undefined): Promise<number[]> => {
    let linked = builder.selectFrom('artifact_link').select('bundle_id').where('project_id', 'in', projectIds)
    if (release !== undefined) linked = linked.where('release', '=', release)
    const bundles = builder.selectFrom('artifact_bundle').select(['id', 'files']).where('id', 'in', linked)
    const ids: number[] = []
    let left = comparedMax
    for (const { id, files } of await read.all(bundles.orderBy('id', 'desc').limit(bundlesMax))) {
      if (left <= 0) break
      left -= files
      ids.push(id)
    }
    return ids
  }
  const placed = (projectIds: readonly number[], max: number) =>
    builder
      .selectFrom('artifact_file')
      .innerJoin('artifact_bundle', 'artifact_bundle.id', 'artifact_file.bundle_id')
      .innerJoin('artifact_link', 'artifact_link.bundle_id', 'artifact_file.bundle_id')
      .selectAll('artifact_file')
      .select(['artifact_bundle.blob_key', 'artifact_bundle.uuid', 'project_id', 'release', 'dist'])
      .select('artifact_link.created_ms as since_ms')
      .where('project_id', 'in', projectIds)
      .orderBy('artifact_file.bundle_id', 'desc')
      .orderBy('artifact_file.id')
      .limit(max)
  return {
    placesOfDebugId: async (projectIds, debugId, max) =>
      debugId === '' || projectIds.length === 0
        ? []
        : (
            await read.all(
              placed(projectIds, max)
                .where('debug_id', '=', debugId)
                // Repeated for the partial index, which has only files with a debug id.
                .where('debug_id', '!=', ''),
            )
          ).map(toPlaced),
    filesNamed: async (projectIds, names, max, release) =>
      names.length === 0 || projectIds.length === 0
        ? []
        : (
            await read.all(
              placed(projectIds, max)
                .where('artifact_file.bundle_id', 'in', await newest(projectIds, release))
                .$if(release !== undefined, (query) => query.where('release', '=', release ?? ''))
                .where('artifact_file.type', '!=', 'source_map')
                .where((expressionBuilder) =>
                  expressionBuilder.or(
                    names.map((name) =>
                      isLike(expressionBuilder.ref('artifact_file.url'), `%/${name.split('*').map(escaped).join('%')}`),
                    ),
                  ),
                ),
            )
          ).map(toPlaced),
  }
}

/** Implements lookups of the places of bundles. */
export function fileLocationPart({ read, dialect: { builder } }: Store): Omit<ArtifactSearchStore, keyof NamePart> {
  return {
    uploadsOf: async (projectId, place) => {
      let query = builder
        .selectFrom('artifact_link')
        .select(({ fn }) => [fn.count<number>('bundle_id').distinct().as('bundles'), fn.max('created_ms').as('newest')])
        .where('project_id', '=', projectId)
      if (place) query = query.where('release', '=', place.release).where('dist', '=', place.dist)
      const row = await read.get(query)
      return { bundles: row?.bundles ?? 0, newestMs: row?.newest ?? 0 }
    },
    placesOfBundle: async (bundleId, projectId) =>
      (
        await read.all(
          builder
            .selectFrom('artifact_link')
            .select(['release', 'dist', 'created_ms'])
            .where('bundle_id', '=', bundleId)
            .where('project_id', '=', projectId),
        )
      ).map(({ release, dist, created_ms: sinceMs }) => ({ release, dist, sinceMs })),
    bundlesOfRelease: async (projectId, release, dist, max) => {
      let query = builder
        .selectFrom('artifact_link')
        .select('bundle_id')
        .distinct()
        .where('project_id', '=', projectId)
        .where('release', '=', release)
      if (dist !== undefined) query = query.where('dist', '=', dist)
      return (await read.all(query.orderBy('bundle_id', 'desc').limit(max))).map((row) => row.bundle_id)
    },
  }
}
