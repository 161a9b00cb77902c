import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import { newExportBody, restExport } from '../../contract/explore/exports.ts'
import { exportFile, removeExport, requestExport } from '../../operations/exports.ts'
import type { App } from '../../processes/parts.ts'
import { checkExport } from '../../query/explore/export-ask.ts'
import { toRestExport } from '../../query/explore/exports.ts'
import type { Export } from '../../store/meta/explore/exports.ts'
import { type Call, type Found, organizationOf, type Route, readableIdsOf, route, viewOf, viewQuery } from '../route.ts'

const path = '/organizations/:org/exports'
const ordinaryPeriod = '14d'

const types = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
} as const

/** Returns the caller's own export of the path, if they may still read all of its projects. Throws NOT_FOUND. */
async function exportOf(app: App, actor: Actor, found: Found, id: string | undefined): Promise<Export> {
  const value = /^\d{1,15}$/.test(id ?? '') ? await app.meta.explore.exportById(Number(id)) : undefined
  if (!value || value.organizationId !== organizationOf(found).id || value.userId !== actor.person.id)
    throw new MishapError('NOT_FOUND')
  const readable = await readableIdsOf({ app, actor, found })
  if (!value.request.projectIds.every((projectId) => readable.includes(projectId))) throw new MishapError('NOT_FOUND')
  return value
}

async function download({ app, actor, found, params }: Call<unknown, unknown>): Promise<Response> {
  const value = await exportOf(app, actor, found, params.export)
  const { bytes, stream } = await exportFile(app, value)
  const { fileName } = toRestExport(value, organizationOf(found).slug)
  return new Response(Readable.toWeb(Readable.from(stream)) as ReadableStream<Uint8Array>, {
    headers: {
      'content-type': types[value.format],
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="${fileName}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
    },
  })
}

/** Exports: answers of Explore as files, without a limit of rows. */
export const exportRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listExports',
    summary: 'The caller’s exports, newest first.',
    action: 'event:read',
    response: z.array(restExport),
    handle: async ({ app, actor, found }) => {
      const { id, slug } = organizationOf(found)
      const values = await app.meta.explore.exportsOf(id, actor.person.id)
      return { body: values.map((value) => toRestExport(value, slug)) }
    },
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createExport',
    summary:
      'Writes every row of a plan, or the groups of an answer, to a file. The answer has the state; ask again until it is done.',
    action: 'search:own',
    query: z.object(viewQuery),
    body: newExportBody,
    status: 201,
    response: restExport,
    handle: async (call) => {
      const { app, actor, found, body } = call
      const view = await viewOf(call, ordinaryPeriod)
      await checkExport(app, view, body.plan)
      const created = await requestExport(app, {
        organizationId: organizationOf(found).id,
        userId: actor.person.id,
        format: body.format,
        request: {
          plan: body.plan,
          projectIds: view.projects.map(({ id }) => id),
          environments: view.environments,
          fromMs: view.range.fromMs,
          toMs: view.range.toMs,
        },
      })
      return { body: toRestExport(created, organizationOf(found).slug) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:export`,
    operationId: 'export',
    summary: 'One export of the caller with its progress.',
    action: 'event:read',
    response: restExport,
    handle: async ({ app, actor, found, params }) => ({
      body: toRestExport(await exportOf(app, actor, found, params.export), organizationOf(found).slug),
    }),
  }),
  route({
    method: 'DELETE',
    path: `${path}/:export`,
    operationId: 'deleteExport',
    summary: 'Cancels an export that has not ended, or deletes an ended one with its file.',
    action: 'search:own',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, actor, found, params }) => {
      await removeExport(app, await exportOf(app, actor, found, params.export))
      return { status: 204, body: undefined }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:export/download`,
    operationId: 'downloadExport',
    summary: 'The file of an export: CSV, JSON lines or Parquet.',
    action: 'event:read',
    produces: 'application/octet-stream',
    response: z.string(),
    handle: download,
  }),
]
