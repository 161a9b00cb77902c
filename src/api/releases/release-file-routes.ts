import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { type RestReleaseFile, restReleaseFile } from '../../contract/uploads.ts'
import type { ArtifactFile, Bundle } from '../../store/meta/artifacts/artifacts.ts'
import { readHeaders } from '../../wire/bundle.ts'
import { bundleFileBytesMax } from '../../wire/upload.ts'
import { type FormPart, formParts, textOfPart } from '../form-parts.ts'
import { pageHeaders } from '../page.ts'
import type { Call, Route } from '../route.ts'
import { limitOf, organizationOf, pageQuery, projectOf, route } from '../route.ts'
import { releaseProjects } from './release-projects.ts'

const partsMax = 100
const framingBytes = 1024 * 1024
const urlCharactersMax = 4096

type Row = { file: ArtifactFile; bundle: Bundle; dist: string }

const toRest = ({ file, bundle, dist }: Row): RestReleaseFile => ({
  id: String(bundle.id),
  name: file.url,
  dist: dist || null,
  headers: file.headers,
  size: file.bytes,
  sha1: bundle.checksum,
  dateCreated: new Date(bundle.createdMs).toISOString(),
})

const listQuery = z.object(pageQuery)

async function list(call: Call<z.output<typeof listQuery>, undefined>) {
  const { app, query, request, params } = call
  const limit = limitOf(query, 100)
  const before = /^\d{1,15}$/.test(query.cursor ?? '') ? Number(query.cursor) : 0
  const rows = await app.meta.artifacts.releaseFiles({
    projectIds: (await releaseProjects(call, 'release:read')).map((releaseProject) => releaseProject.id),
    release: params.version ?? '',
    beforeId: before || undefined,
    max: limit + 1,
  })
  const shown = rows.slice(0, limit)
  const page = {
    rows: shown.map(toRest),
    previous: { cursor: '0', results: before > 0 },
    next: { cursor: String(shown.at(-1)?.bundle.id ?? before), results: rows.length > limit },
    hits: undefined,
    walk: 'stable' as const,
  }
  return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
}

/** Form fields other than the file. */
type Fields = { name: string; dist: string; headers: Record<string, string> }

async function readField(part: FormPart, fields: Fields): Promise<void> {
  const text = await textOfPart(part)
  if (part.name === 'name') fields.name = text.trim()
  else if (part.name === 'dist') fields.dist = text.trim()
  else if (part.name === 'header') {
    const colon = text.indexOf(':')
    if (colon > 0)
      Object.assign(fields.headers, readHeaders({ [text.slice(0, colon).trim()]: text.slice(colon + 1).trim() }))
  }
}

async function upload(call: Call<unknown, undefined>) {
  const { app, request, found, params } = call
  const projects = await releaseProjects(call, 'release:write')
  const release = params.version ?? ''
  const there = await app.meta.releases.releaseOf(
    projects.map((project) => project.id),
    release,
  )
  if (!there) throw new MishapError('NOT_FOUND')
  const fields: Fields = { name: '', dist: '', headers: {} }
  const parts = formParts(request, bundleFileBytesMax + framingBytes, partsMax)
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const part = next.value
    if (part.name !== 'file') {
      await readField(part, fields)
      continue
    }
    const bundle = await app.artifacts.addFile({
      organizationId: organizationOf(found).id,
      projectIds: there.projectIds,
      release,
      stream: part.content,
      about: async () => {
        for await (const laterPart of parts) await readField(laterPart, fields)
        const url = fields.name || (part.filename ?? '')
        if (url === '' || url.length > urlCharactersMax)
          throw new MishapError('VALIDATION', { fields: { name: [`1 to ${urlCharactersMax} characters.`] } })
        return { url, dist: fields.dist, headers: fields.headers }
      },
    })
    const row = await rowOf(call, bundle.id)
    return { body: toRest(row), status: 201 as const }
  }
  throw new MishapError('VALIDATION', { fields: { file: ['Missing file'] } })
}

/** Returns a file of the release of the path. Throws NOT_FOUND. */
async function rowOf(call: Call<unknown, unknown>, id: number): Promise<Row> {
  const { app, params } = call
  const projectIds = (await releaseProjects(call, 'release:read')).map((releaseProject) => releaseProject.id)
  const [row] = await app.meta.artifacts.releaseFiles({
    projectIds,
    release: params.version ?? '',
    beforeId: id + 1,
    max: 1,
  })
  if (row?.bundle.id !== id) throw new MishapError('NOT_FOUND')
  return row
}

const idOf = (text: string | undefined) => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : -1)

/** Files that older clients upload to a release in separate requests. */
export const releaseFileRoutes: readonly Route[] = [
  route({
    method: 'DELETE',
    path: '/projects/:org/:project/files/source-maps',
    operationId: 'deleteReleaseFiles',
    summary: 'Deletes all files that were uploaded one by one to a release.',
    action: 'release:write',
    query: z.object({ name: z.string().min(1).max(250).describe('The version.') }),
    status: 204,
    response: z.undefined(),
    handle: async ({ app, query, found }) => {
      await app.artifacts.removeFiles([projectOf(found).id], query.name)
      return { body: undefined, status: 204 }
    },
  }),
  ...(
    [
      ['/organizations/:org/releases/:version/files', ''],
      ['/projects/:org/:project/releases/:version/files', 'Project'],
    ] as const
  ).flatMap(([path, name]) => [
    route({
      method: 'GET',
      path,
      operationId: `list${name}ReleaseFiles`,
      summary: 'Files that were uploaded to a release one by one, newest first.',
      action: 'release:read',
      query: listQuery,
      response: z.array(restReleaseFile),
      handle: list,
    }),
    route({
      method: 'POST',
      path,
      operationId: `upload${name}ReleaseFile`,
      summary:
        'Uploads a file as multipart/form-data: file, name (its URL), dist, header ("Sourcemap: app.js.map", repeated). It replaces a file with the same name and dist.',
      action: 'release:write',
      status: 201,
      response: restReleaseFile,
      handle: upload,
    }),
    route({
      method: 'GET',
      path: `${path}/:file`,
      operationId: `get${name}ReleaseFile`,
      summary: 'One file of a release.',
      action: 'release:read',
      response: restReleaseFile,
      handle: async (call) => ({ body: toRest(await rowOf(call, idOf(call.params.file))) }),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:file`,
      operationId: `delete${name}ReleaseFile`,
      summary: 'Deletes a file of a release.',
      action: 'release:write',
      status: 204,
      response: z.undefined(),
      handle: async (call) => {
        const { bundle } = await rowOf(call, idOf(call.params.file))
        const projectIds = (await releaseProjects(call, 'release:write')).map(({ id }) => id)
        await call.app.artifacts.removeFile(bundle.id, projectIds, call.params.version ?? '')
        return { body: undefined, status: 204 }
      },
    }),
  ]),
]
