import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { containing } from '../issues/issue-filter.ts'

/** Type of a file from the bundle's manifest. */
export type ArtifactType = 'source' | 'minified_source' | 'source_map' | 'indexed_ram_bundle'

/** A file of a bundle. `readArtifact` (store/blobs/artifact.ts) reads its bytes. */
export type ArtifactFile = {
  id: number
  bundleId: number
  /** Its full name in the archive. */
  entry: string
  type: ArtifactType
  /** Lower-case hex with dashes; '' for none. */
  debugId: string
  /** `~/app.js`, or a URL with scheme and host. */
  url: string
  /** Header names are in lower case. */
  headers: Record<string, string>
  /** Decompressed size in bytes. */
  bytes: number
  /** The bundle's blob, and the packed bytes in it: offset, length, and method (0 stored, 8 deflate). */
  blobKey: string
  at: number
  packed: number
  method: number
}

/** `crc`: CRC-32 of its decompressed bytes. */
export type NewArtifactFile = Omit<ArtifactFile, 'id' | 'bundleId' | 'blobKey'> & { crc: number }

/** Entry name of a fetched file, which is in no archive. */
export const scrapedEntry = ' scraped'

/**
 * `bundle`: an archive of a build. `file`: a single uploaded file of a release. `scraped`: a fetched file. In
 * alphabetical order, the preferred kind comes first.
 */
type BundleKind = 'bundle' | 'file' | 'scraped'

export type Bundle = {
  id: number
  organizationId: number
  /** Its id from the client. */
  uuid: string
  /** SHA-1 of its bytes. */
  checksum: string
  kind: BundleKind
  blobKey: string
  bytes: number
  files: number
  createdMs: number
  /** When it was added or an event last used it. */
  usedMs: number
}

/** A project, release ('' for none) and dist ('' for none) that a bundle belongs to. */
export type BundleLink = { projectId: number; release: string; dist: string }

export type ArtifactStore = {
  /** Writes a bundle with its files and links in one transaction. */
  addBundle(
    bundle: Omit<Bundle, 'id' | 'files' | 'usedMs'>,
    files: readonly NewArtifactFile[],
    links: readonly BundleLink[],
  ): Promise<Bundle>
  /** Adds places to a bundle and keeps its existing ones. Returns the number of new places. */
  linkBundle(id: number, links: readonly BundleLink[], nowMs: number): Promise<number>
  /**
   * Returns the bundle with this client id if it has exactly these files: clients derive the id from the content. The
   * bundle can then be found by this checksum, too.
   */
  sameBundle(
    organizationId: number,
    uuid: string,
    checksum: string,
    files: readonly NewArtifactFile[],
  ): Promise<Bundle | undefined>
  /** The bundle that was uploaded with this checksum. */
  bundleByChecksum(organizationId: number, checksum: string): Promise<Bundle | undefined>
  bundleById(id: number): Promise<Bundle | undefined>
  /** The newest bundle of a project with this client id. */
  bundleOf(projectId: number, uuid: string): Promise<Bundle | undefined>
  /** Bundles by their ids, newest first. */
  bundlesById(ids: readonly number[]): Promise<Bundle[]>
  /** Bundles of a project, newest first, after `beforeId`. `text`: part of release, dist or a URL, or a full id. */
  listBundles(request: {
    projectId: number
    text: string
    beforeId: number | undefined
    max: number
  }): Promise<Bundle[]>
  linksOf(bundleIds: readonly number[]): Promise<(BundleLink & { bundleId: number })[]>
  /**
   * Places that bundles and single files were added to after a position and up to a time, in the order of times and
   * bundles. Fetched files are left out. At most about `max`: all places of the last bundle come at once.
   */
  linksAfter(
    range: { ms: number; bundleId: number; untilMs: number },
    max: number,
  ): Promise<(BundleLink & { bundleId: number; createdMs: number })[]>
  /** Files of a bundle in archive order, after `afterId`. `text`: part of the URL, or a debug id. */
  filesOf(request: { bundleId: number; text: string; afterId: number; max: number }): Promise<ArtifactFile[]>
  /** Files that were uploaded singly to a release, newest first. */
  releaseFiles(request: {
    projectIds: readonly number[]
    release: string
    beforeId: number | undefined
    max: number
  }): Promise<
    {
      file: ArtifactFile
      bundle: Bundle
      dist: string
    }[]
  >
  /** Ids of single files with this URL and dist in a release of one of these projects. */
  artifactsOfRelease(
    projectIds: readonly number[],
    release: string,
    dist: string,
    url: string,
    kind?: 'file' | 'scraped',
  ): Promise<number[]>
  /**
   * Removes a bundle from a project or from one of its releases. Deletes its rows when no place is left, and then
   * returns the key of the blob to delete.
   */
  removeBundle(id: number, projectId: number, release?: string): Promise<string | undefined>
  /** Files of a project with a debug id, newest bundle first. */
  artifactsByDebugId(projectId: number, debugId: string): Promise<ArtifactFile[]>
  /** Files of a release and exactly this dist by URL, newest first, files of bundles before single ones. */
  artifactsByUrl(projectId: number, release: string, dist: string, urls: readonly string[]): Promise<ArtifactFile[]>
  /** Debug ids and URLs of a project's files, once per release; undefined for more than `max`. */
  artifactNames(
    projectId: number,
    max: number,
  ): Promise<{ debugId: string; release: string; dist: string; url: string }[] | undefined>
  /** A text that changes whenever the files of a project change; '' when it has none. */
  artifactState(projectId: number): Promise<string>
  /** Stores that events used these bundles. Writes at most once a day, so it can be called often. */
  touchBundles(ids: readonly number[], nowMs: number): Promise<void>
  /** Deletes bundles that were added and last used before this time. Returns the keys of the blobs to delete. */
  dropBundles(beforeMs: number): Promise<string[]>
  /** Keys of the blobs of all bundles. */
  bundleKeys(): Promise<string[]>
}

/** Maximum rows per statement. */
const chunk = 500

export const toBundle = (row: Selectable<Tables['artifact_bundle']>): Bundle => ({
  id: row.id,
  organizationId: row.organization_id,
  uuid: row.uuid,
  checksum: row.checksum,
  kind: row.kind as BundleKind,
  blobKey: row.blob_key,
  bytes: row.bytes,
  files: row.files,
  createdMs: row.created_ms,
  usedMs: row.used_ms,
})

/** A row of a file with the blob key of its bundle. */
export type FileRow = Selectable<Tables['artifact_file']> & { blob_key: string }

export const toFile = (row: FileRow): ArtifactFile => ({
  id: row.id,
  bundleId: row.bundle_id,
  entry: row.entry,
  type: row.type as ArtifactType,
  debugId: row.debug_id,
  url: row.url,
  headers: JSON.parse(row.headers) as Record<string, string>,
  bytes: row.bytes,
  blobKey: row.blob_key,
  at: row.at,
  packed: row.packed,
  method: row.method,
})

type ReadPart = Pick<
  ArtifactStore,
  | 'bundleByChecksum'
  | 'bundleById'
  | 'bundleOf'
  | 'bundlesById'
  | 'listBundles'
  | 'linksOf'
  | 'linksAfter'
  | 'filesOf'
  | 'bundleKeys'
>

const filesIn = (builder: Store['dialect']['builder']) =>
  builder
    .selectFrom('artifact_file')
    .innerJoin('artifact_bundle', 'artifact_bundle.id', 'artifact_file.bundle_id')
    .selectAll('artifact_file')
    .select('artifact_bundle.blob_key')

/** Condition that an id of a bundle is `text`, or that its releases, dists or URLs contain it. */
function namedSo(
  builder: Store['dialect']['builder'],
  build: ExpressionBuilder<Tables, 'artifact_bundle'>,
  projectId: number,
  text: string,
) {
  const id = text.toLowerCase()
  return build.or([
    build('uuid', '=', id),
    build('checksum', '=', id),
    build(
      'id',
      'in',
      builder
        .selectFrom('artifact_link')
        .select('bundle_id')
        .where('project_id', '=', projectId)
        .where((expressionBuilder) =>
          expressionBuilder.or([
            containing(expressionBuilder.ref('release'), text),
            containing(expressionBuilder.ref('dist'), text),
          ]),
        ),
    ),
    build(
      'id',
      'in',
      builder
        .selectFrom('artifact_file')
        .select('bundle_id')
        .where((expressionBuilder) =>
          expressionBuilder.or([
            expressionBuilder('debug_id', '=', id),
            containing(expressionBuilder.ref('url'), text),
          ]),
        ),
    ),
  ])
}

/** See `ArtifactStore.linksAfter`. */
async function linksAfter(
  { read, dialect: { builder } }: Store,
  { ms, bundleId, untilMs }: { ms: number; bundleId: number; untilMs: number },
  max: number,
) {
  const links = builder
    .selectFrom('artifact_link')
    .innerJoin('artifact_bundle', 'artifact_bundle.id', 'artifact_link.bundle_id')
    .selectAll('artifact_link')
    .where('artifact_bundle.kind', '!=', 'scraped')
    .orderBy('artifact_link.created_ms')
    .orderBy('artifact_link.bundle_id')
  const some = await read.all(
    links
      .where('artifact_link.created_ms', '<=', untilMs)
      .where((build) =>
        build.or([
          build('artifact_link.created_ms', '>', ms),
          build.and([build('artifact_link.created_ms', '=', ms), build('artifact_link.bundle_id', '>', bundleId)]),
        ]),
      )
      .limit(max),
  )
  const last = some.length === max ? some.at(-1) : undefined
  const isLast = (row: { bundle_id: number; created_ms: number }) =>
    row.bundle_id === last?.bundle_id && row.created_ms === last.created_ms
  const rest = last
    ? await read.all(
        links
          .where('artifact_link.created_ms', '=', last.created_ms)
          .where('artifact_link.bundle_id', '=', last.bundle_id),
      )
    : []
  const rows = [...some.filter((row) => !isLast(row)), ...rest]
  return rows.map((row) => ({
    bundleId: row.bundle_id,
    projectId: row.project_id,
    release: row.release,
    dist: row.dist,
    createdMs: row.created_ms,
  }))
}

/** Implements lists of uploads. */
export function bundleListPart(store: Store): ReadPart {
  const { read, dialect } = store
  const { builder } = dialect
  const bundles = () => builder.selectFrom('artifact_bundle').selectAll()
  const files = () => filesIn(builder)
  const linked = (projectId: number) =>
    builder.selectFrom('artifact_link').select('bundle_id').where('project_id', '=', projectId)
  return {
    bundleByChecksum: async (organizationId, checksum) => {
      const names = builder
        .selectFrom('artifact_checksum')
        .select('bundle_id')
        .where('organization_id', '=', organizationId)
        .where('checksum', '=', checksum)
      const row = await read.get(bundles().where('id', 'in', names))
      return row && toBundle(row)
    },
    bundleById: async (id) => {
      const row = await read.get(bundles().where('id', '=', id))
      return row && toBundle(row)
    },
    bundleOf: async (projectId, uuid) => {
      const row = await read.get(
        bundles().where('uuid', '=', uuid).where('id', 'in', linked(projectId)).orderBy('id', 'desc').limit(1),
      )
      return row && toBundle(row)
    },
    bundlesById: async (ids) =>
      ids.length === 0 ? [] : (await read.all(bundles().where('id', 'in', ids).orderBy('id', 'desc'))).map(toBundle),
    listBundles: async ({ projectId, text, beforeId, max }) => {
      let query = bundles().where('kind', '=', 'bundle').where('id', 'in', linked(projectId))
      if (beforeId !== undefined) query = query.where('id', '<', beforeId)
      if (text !== '') query = query.where((build) => namedSo(builder, build, projectId, text))
      return (await read.all(query.orderBy('id', 'desc').limit(max))).map(toBundle)
    },
    linksOf: async (bundleIds) =>
      bundleIds.length === 0
        ? []
        : (
            await read.all(
              builder.selectFrom('artifact_link').selectAll().where('bundle_id', 'in', bundleIds).orderBy('created_ms'),
            )
          ).map((row) => ({
            bundleId: row.bundle_id,
            projectId: row.project_id,
            release: row.release,
            dist: row.dist,
          })),
    linksAfter: (range, max) => linksAfter(store, range, max),
    filesOf: async ({ bundleId, text, afterId, max }) => {
      let query = files().where('bundle_id', '=', bundleId).where('artifact_file.id', '>', afterId)
      if (text !== '')
        query = query.where((build) =>
          build.or([build('debug_id', '=', text.toLowerCase()), containing(build.ref('url'), text)]),
        )
      return (await read.all(query.orderBy('artifact_file.id').limit(max))).map(toFile)
    },
    bundleKeys: async () =>
      (await read.all(builder.selectFrom('artifact_bundle').select('blob_key').orderBy('id'))).map(
        (row) => row.blob_key,
      ),
  }
}

/** Implements files that were uploaded without a bundle. */
export function releaseFilePart({
  read,
  dialect: { builder },
}: Store): Pick<ArtifactStore, 'releaseFiles' | 'artifactsOfRelease'> {
  const bundles = () => builder.selectFrom('artifact_bundle').selectAll()
  return {
    releaseFiles: async ({ projectIds, release, beforeId, max }) => {
      if (projectIds.length === 0) return []
      const links = builder
        .selectFrom('artifact_link')
        .select(['bundle_id', (build) => build.fn.min('dist').as('dist')])
        .where('project_id', 'in', projectIds)
        .where('release', '=', release)
        .groupBy('bundle_id')
      let query = bundles().where('kind', '=', 'file')
      if (beforeId !== undefined) query = query.where('id', '<', beforeId)
      const found = await read.all(
        query
          .innerJoin(links.as('link'), 'link.bundle_id', 'artifact_bundle.id')
          .select('link.dist')
          .orderBy('id', 'desc')
          .limit(max),
      )
      return (
        await Array.fromAsync(found, async (row) => {
          const file = await read.get(filesIn(builder).where('bundle_id', '=', row.id))
          return file ? [{ file: toFile(file), bundle: toBundle(row), dist: row.dist }] : []
        })
      ).flat()
    },
    artifactsOfRelease: async (projectIds, release, dist, url, kind = 'file') => {
      if (projectIds.length === 0) return []
      const links = builder
        .selectFrom('artifact_link')
        .select('bundle_id')
        .where('project_id', 'in', projectIds)
        .where('release', '=', release)
        .where('dist', '=', dist)
      const matching = bundles().where('kind', '=', kind).where('id', 'in', links)
      return (
        await read.all(
          matching.where('id', 'in', builder.selectFrom('artifact_file').select('bundle_id').where('url', '=', url)),
        )
      ).map((row) => row.id)
    },
  }
}

/** Implements the two ways to find the file of a frame: by debug id and by URL. */
export function frameFilePart({
  read,
  dialect: { builder },
}: Store): Pick<ArtifactStore, 'artifactsByDebugId' | 'artifactsByUrl' | 'artifactState' | 'artifactNames'> {
  const files = () => filesIn(builder)
  const links = (projectId: number) =>
    builder.selectFrom('artifact_link').select('bundle_id').where('project_id', '=', projectId)
  return {
    artifactsByDebugId: async (projectId, debugId) =>
      debugId === ''
        ? []
        : (
            await read.all(
              files()
                .where('debug_id', '=', debugId)
                // Repeated for the partial index, which has only files with a debug id.
                .where('debug_id', '!=', '')
                .where('bundle_id', 'in', links(projectId))
                .orderBy('bundle_id', 'desc')
                .orderBy('artifact_file.id'),
            )
          ).map(toFile),
    artifactNames: async (projectId, max) => {
      const rows = await read.all(
        builder
          .selectFrom('artifact_link')
          .innerJoin('artifact_file', 'artifact_file.bundle_id', 'artifact_link.bundle_id')
          .select(['artifact_file.debug_id', 'artifact_file.url', 'artifact_link.release', 'artifact_link.dist'])
          .where('artifact_link.project_id', '=', projectId)
          .limit(max + 1),
      )
      if (rows.length > max) return undefined
      return rows.map(({ debug_id: debugId, release, dist, url }) => ({ debugId, release, dist, url }))
    },
    artifactState: async (projectId) => {
      const found = await read.get(
        builder
          .selectFrom('artifact_link')
          .select(({ fn }) => [fn.countAll<number>().as('links'), fn.max('bundle_id').as('newest')])
          .select(({ fn }) => fn.max('created_ms').as('latest_ms'))
          .where('project_id', '=', projectId),
      )
      return found?.links ? `${found.links}-${found.newest}-${found.latest_ms}` : ''
    },
    artifactsByUrl: async (projectId, release, dist, urls) =>
      urls.length === 0
        ? []
        : (
            await read.all(
              files()
                .where('bundle_id', 'in', links(projectId).where('release', '=', release).where('dist', '=', dist))
                .where('url', 'in', urls.slice(0, chunk))
                .orderBy('artifact_bundle.kind')
                .orderBy('bundle_id', 'desc')
                .orderBy('artifact_file.id'),
            )
          ).map(toFile),
  }
}
