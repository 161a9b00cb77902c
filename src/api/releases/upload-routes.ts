import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  type AssembleBody,
  assembleBody,
  type RestChunkOptions,
  restAssembly,
  restChunkOptions,
} from '../../contract/uploads.ts'
import {
  bundleBytesMax,
  chunkBytesMax,
  chunkConcurrency,
  chunkRequestBytesMax,
  chunksPerRequestMax,
} from '../../wire/upload.ts'
import { formParts } from '../form-parts.ts'
import type { Call, Route } from '../route.ts'
import { organizationOf, route } from '../route.ts'
import { namedProjects } from './release-projects.ts'

/** Headers and boundaries of parts add to the size that the client counts. */
const framingBytes = 1024 * 1024

/** Inflates a gzip stream. Throws ACCEPT_ENCODING_BROKEN. */
async function* gunzipped(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflate = createGunzip()
  const failure: { error?: unknown } = {}
  async function* source() {
    try {
      yield* stream
    } catch (error) {
      failure.error = error
      throw error
    }
  }
  // Read one piece ahead, not 16: of eight parallel requests, waiting pieces live so long that they are collected late.
  pipeline(Readable.from(source(), { highWaterMark: 1 }), inflate).catch(() => undefined)
  try {
    for await (const chunk of inflate) yield chunk as Buffer
  } catch {
    throw (
      failure.error ??
      new MishapError('ACCEPT_ENCODING_BROKEN', { detail: 'A chunk is not valid gzip, or it ends early.' })
    )
  }
}

async function receiveChunks(call: Call<unknown, undefined>): Promise<Response> {
  const { app, request, found } = call
  const { id } = organizationOf(found)
  let chunks = 0
  for await (const part of formParts(request, chunkRequestBytesMax + framingBytes, chunksPerRequestMax)) {
    if (part.name !== 'file' && part.name !== 'file_gzip') continue
    const content = part.name === 'file' ? part.content : gunzipped(part.content)
    await app.artifacts.saveChunk(id, (part.filename ?? '').toLowerCase(), content)
    chunks++
  }
  if (chunks === 0)
    throw new MishapError('VALIDATION', {
      detail: 'Send chunks as parts named file or file_gzip. The file name of each is its SHA-1.',
    })
  return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } })
}

async function assemble(call: Call<unknown, AssembleBody>, release: string) {
  const { app, found, body } = call
  const projects = await namedProjects(call, 'release:write', body.projects)
  const state = await app.artifacts.assemble({
    organizationId: organizationOf(found).id,
    checksum: body.checksum,
    chunks: body.chunks,
    release,
    dist: body.dist ?? '',
    projectIds: projects.map((project) => project.id),
  })
  return { body: { ...state, detail: state.detail ?? null } }
}

const optionsOf = (origin: string, slug: string): RestChunkOptions => ({
  // Absolute: sentry-cli would accept a path, but version 11 of the bundler plugins would not.
  url: `${origin}/api/0/organizations/${slug}/chunk-upload/`,
  chunkSize: chunkBytesMax,
  chunksPerRequest: chunksPerRequestMax,
  maxRequestSize: chunkRequestBytesMax,
  maxFileSize: bundleBytesMax,
  concurrency: chunkConcurrency,
  hashAlgorithm: 'sha1',
  compression: ['gzip'],
  accept: ['release_files', 'artifact_bundles', 'artifact_bundles_v2'],
})

const O = '/organizations/:org'

/** Uploads by sentry-cli and the bundler plugins: chunks, and bundles assembled from them. */
export const uploadRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${O}/chunk-upload`,
    operationId: 'chunkUploadOptions',
    summary: 'Options for the upload of chunks.',
    action: 'release:read',
    response: restChunkOptions,
    handle: ({ app, found }) => ({ body: optionsOf(app.config.url, organizationOf(found).slug) }),
  }),
  route({
    method: 'POST',
    path: `${O}/chunk-upload`,
    operationId: 'uploadChunks',
    summary:
      'Uploads chunks as multipart/form-data: parts named file or file_gzip, each with the SHA-1 of its inflated bytes as its file name.',
    action: 'release:write',
    produces: 'text/plain',
    response: z.undefined(),
    handle: receiveChunks,
  }),
  route({
    method: 'POST',
    path: `${O}/artifactbundle/assemble`,
    operationId: 'assembleArtifactBundle',
    summary: 'Assembles a bundle from chunks, or names the missing chunks. Repeat until the state is ok or error.',
    action: 'release:write',
    body: assembleBody,
    response: restAssembly,
    handle: (call) => assemble(call, call.body.version ?? ''),
  }),
  ...(['/organizations/:org', '/projects/:org/:project'] as const).map((scope, i) =>
    route({
      method: 'POST',
      path: `${scope}/releases/:version/assemble`,
      operationId: i === 0 ? 'assembleReleaseBundle' : 'assembleProjectReleaseBundle',
      summary: 'The same for a bundle of a release, for older clients.',
      action: 'release:write',
      body: assembleBody,
      response: restAssembly,
      handle: (call) => assemble(call, call.params.version ?? ''),
    }),
  ),
]
