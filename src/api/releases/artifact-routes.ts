import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  type RestArtifactBundle,
  type RestArtifactFile,
  restArtifactBundle,
  restArtifactFile,
} from '../../contract/uploads.ts'
import type { App } from '../../processes/parts.ts'
import type { ArtifactFile, Bundle } from '../../store/meta/artifacts/artifacts.ts'
import { pageHeaders } from '../page.ts'
import type { Call, Route } from '../route.ts'
import { limitOf, pageQuery, projectOf, route } from '../route.ts'

const iso = (ms: number) => new Date(ms).toISOString()

async function toRestBundles(app: App, projectId: number, rows: readonly Bundle[]): Promise<RestArtifactBundle[]> {
  const links = (await app.meta.artifacts.linksOf(rows.map((row) => row.id))).filter(
    (link) => link.projectId === projectId,
  )
  return rows.map((row) => ({
    bundleId: row.uuid,
    associations: links
      .filter((link) => link.bundleId === row.id && (link.release !== '' || link.dist !== ''))
      .map(({ release, dist }) => ({ release: release || null, dist: dist || null })),
    date: iso(row.createdMs),
    dateModified: iso(row.createdMs),
    lastUsed: iso(row.usedMs),
    fileCount: row.files,
    size: row.bytes,
    sha1: row.checksum,
  }))
}

const toRestFile = (file: ArtifactFile): RestArtifactFile => ({
  id: String(file.id),
  filePath: file.url,
  fileType: file.type,
  fileSize: file.bytes,
  debugId: file.debugId || null,
  sourcemap: file.headers.sourcemap ?? file.headers['x-sourcemap'] ?? null,
})

const text = z
  .string()
  .max(1000)
  .optional()
  .describe('Text in a release, a dist or the URL of a file, or a whole bundle id, debug id or SHA-1.')
const listQuery = z.object({ query: text, ...pageQuery })

const cursorOf = (cursor: string | undefined) => (/^\d{1,15}$/.test(cursor ?? '') ? Number(cursor) : 0)

async function list(call: Call<z.output<typeof listQuery>, undefined>) {
  const { app, query, request, found } = call
  const { id: projectId } = projectOf(found)
  const limit = limitOf(query, 25)
  const before = cursorOf(query.cursor)
  const words = { projectId, text: (query.query ?? '').trim(), beforeId: before || undefined }
  const rows = await app.meta.artifacts.listBundles({ ...words, max: limit + 1 })
  const shown = rows.slice(0, limit)
  const page = {
    rows: await toRestBundles(app, projectId, shown),
    previous: { cursor: '0', results: before > 0 },
    next: { cursor: String(shown.at(-1)?.id ?? before), results: rows.length > limit },
    hits: undefined,
    walk: 'stable' as const,
  }
  return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
}

async function files(call: Call<z.output<typeof listQuery>, undefined>) {
  const { app, query, request, found, params } = call
  const bundle = await app.meta.artifacts.bundleOf(projectOf(found).id, params.bundle ?? '')
  if (!bundle) throw new MishapError('NOT_FOUND')
  const limit = limitOf(query, 100)
  const after = cursorOf(query.cursor)
  const words = { bundleId: bundle.id, text: (query.query ?? '').trim(), afterId: after }
  const rows = await app.meta.artifacts.filesOf({ ...words, max: limit + 1 })
  const shown = rows.slice(0, limit)
  const page = {
    rows: shown.map(toRestFile),
    previous: { cursor: '0', results: after > 0 },
    next: { cursor: String(shown.at(-1)?.id ?? after), results: rows.length > limit },
    hits: undefined,
    walk: 'stable' as const,
  }
  return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
}

const path = '/projects/:org/:project/files/artifact-bundles'

/** Bundles of a project: list, search, files of a bundle, delete. */
export const artifactRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listArtifactBundles',
    summary: 'Bundles that builds uploaded for a project, newest first.',
    action: 'release:read',
    query: listQuery,
    response: z.array(restArtifactBundle),
    handle: list,
  }),
  route({
    method: 'GET',
    path: `${path}/:bundle/files`,
    operationId: 'listArtifactBundleFiles',
    summary: 'Files of a bundle in the order of its archive.',
    action: 'release:read',
    query: listQuery,
    response: z.array(restArtifactFile),
    handle: files,
  }),
  route({
    method: 'DELETE',
    path,
    operationId: 'deleteArtifactBundle',
    summary: 'Removes a bundle from a project. Its files are deleted with the last project that has it.',
    action: 'release:write',
    query: z.object({ bundleId: z.string().min(1).max(100) }),
    status: 204,
    response: z.undefined(),
    handle: async ({ app, query, found }) => {
      const { id } = projectOf(found)
      if (!(await app.meta.artifacts.bundleOf(id, query.bundleId))) throw new MishapError('NOT_FOUND')
      await app.artifacts.removeBundle(id, query.bundleId)
      return { body: undefined, status: 204 }
    },
  }),
]
