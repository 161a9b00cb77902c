import { Readable } from 'node:stream'
import { z } from 'zod'
import { readableIds, readableProjects } from '../../auth/allowed-projects.ts'
import { MishapError } from '../../base/errors.ts'
import { restAttachment, restEvent, restFoundEvent, restProjectEvent } from '../../contract/events.ts'
import { restDigest } from '../../contract/issues.ts'
import { pastedDigest } from '../../domain/pasted-digest.ts'
import { imageBytesMax, imageHeadBytes, rasterImageOf } from '../../domain/raster-image.ts'
import type { App } from '../../processes/parts.ts'
import {
  eventById,
  eventIdOf,
  eventRowOf,
  eventsById,
  eventsOfDigest,
  issueEvent,
  positionEvent,
} from '../../query/events.ts'
import { normalOf, receivedJson, storedJson, toRestAttachment } from '../../query/issues/event.ts'
import { eventCsv } from '../../query/issues/event-csv.ts'
import { listEvents, listProjectEvents } from '../../query/issues/event-list.ts'
import { issueStatsOf, toRestIssues } from '../../query/issues/issue.ts'
import { toMarkdown } from '../../query/issues/markdown.ts'
import { linesOfEvent } from '../../query/logs/moment.ts'
import type { AttachmentRow } from '../../store/meta/meta.ts'
import { pageHeaders } from '../page.ts'
import type { Call, Route } from '../route.ts'
import {
  issueOf,
  limitOf,
  organizationOf,
  pageQuery,
  projectOf,
  rangeQuery,
  readableIdsOf,
  route,
  scopeOf,
  viewOf,
  viewQuery,
} from '../route.ts'

const ordinaryPeriod = '3650d'
const searchText = z.string().max(5000).optional().describe('Search text over the events.')
const file = z.string().describe('A file.')
const chosen = z.object({ environment: viewQuery.environment })

const csvQuery = z.object({
  ...rangeQuery,
  environment: viewQuery.environment,
  query: searchText,
  column: z
    .array(z.string().max(200))
    .max(60)
    .describe('A tag as a column, repeated; none: all tags of the newest events.'),
})

/** Returns the scope of one event: the whole issue unless an environment is given. */
const eventScope = async (call: {
  app: Call<unknown, undefined>['app']
  actor: Call<unknown, undefined>['actor']
  found: Call<unknown, undefined>['found']
  query: { environment?: string[] }
}) => (call.query.environment?.length ? scopeOf(await viewOf(call, ordinaryPeriod)) : undefined)

function download(body: BodyInit, type: string, name: string, isAttachment: boolean): Response {
  // Attachments are served as plain bytes, so that their scripts never run here.
  const safe = name.replace(/[^\w.\- ]+/g, '_').slice(0, 150) || 'file'
  const disposition = `${isAttachment ? 'attachment' : 'inline'}; filename="${safe}"; filename*=UTF-8''${encodeURIComponent(name.slice(0, 255)).replace(/['()*]/g, (match) => `%${match.charCodeAt(0).toString(16)}`)}`
  return new Response(body, {
    headers: {
      'content-type': type,
      'content-disposition': disposition,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
    },
  })
}

/** Types that a browser displays and never executes. All others are sent as octets. */
const shownType = /^(text\/plain|application\/json|video\/(mp4|webm))$/i
const typeOf = (contentType: string) => {
  const plain = contentType.split(';', 1)[0]?.trim() ?? ''
  return shownType.test(plain)
    ? plain === 'text/plain'
      ? 'text/plain; charset=utf-8'
      : plain.toLowerCase()
    : 'application/octet-stream'
}

/** Returns the first bytes of a blob. */
async function headOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of stream) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= imageHeadBytes) break
  }
  return Buffer.concat(pieces)
}

/** Returns the content type of an attachment. The bytes decide whether it is an image, not the sender. */
async function typeOfAttachment(app: App, { blobKey, contentType }: Pick<AttachmentRow, 'blobKey' | 'contentType'>) {
  const blob = await app.blobs.getStream(blobKey)
  if (!blob) return undefined
  const image = rasterImageOf(await headOf(blob.stream))
  const isImage = image !== undefined && blob.bytes <= imageBytesMax
  return { isImage, type: isImage ? image.type : typeOf(contentType) }
}

/** Returns the event and project of the path. */
async function projectEvent(call: Call<unknown, unknown>) {
  const found = await eventById(call.app, [projectOf(call.found).id], call.params.event ?? '')
  if (!found) throw new MishapError('NOT_FOUND')
  return found
}

const eventOfIssue = async (call: Call<{ environment?: string[] }, undefined>) =>
  issueEvent(call.app, issueOf(call.found), call.params.event ?? '', await eventScope(call), await readableIdsOf(call))

async function csv(call: Call<z.output<typeof csvQuery>, undefined>): Promise<Response> {
  const { app, actor, found, query } = call
  const issue = issueOf(found)
  const lines = await eventCsv(app, issue, {
    scope: scopeOf(await viewOf(call, ordinaryPeriod)),
    query: query.query,
    meUserId: actor.person.id,
    columns: query.column,
  })
  const body = Readable.toWeb(Readable.from(lines).map((line: string) => Buffer.from(line)))
  return download(body as ReadableStream<Uint8Array>, 'text/csv; charset=utf-8', `${issue.shortId}-events.csv`, true)
}

async function markdown(call: Call<{ environment?: string[] }, undefined>): Promise<Response> {
  const { app, found, params } = call
  const issue = issueOf(found)
  const view = await viewOf(call)
  const [stats, event] = await Promise.all([
    issueStatsOf(app, view, [issue]),
    issueEvent(app, issue, params.event ?? 'latest', await eventScope(call), await readableIdsOf(call)),
  ])
  const [restIssues] = await toRestIssues(app, view, [issue], stats)
  if (!restIssues) throw new MishapError('NOT_FOUND')
  const lines = await linesOfEvent(app, await readableIdsOf(call), event)
  return new Response(toMarkdown(restIssues, event, lines), {
    headers: {
      'content-type': 'text/markdown; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'cache-control': 'no-store',
    },
  })
}

/** The route comes before that of one event: `csv` is no event. */
function csvRoute(path: string, id: (name: string) => string): Route {
  return route({
    method: 'GET',
    path: `${path}/events/csv`,
    operationId: id('IssueEventsCsv'),
    summary:
      'Events of an issue as CSV, newest first, at most 100,000: id, time, title, message and tags. Cells that a spreadsheet would run as a formula begin with an apostrophe.',
    action: 'event:read',
    query: csvQuery,
    produces: 'text/csv',
    response: file,
    handle: csv,
  })
}

function issueEventRoutes(path: string, id: (name: string) => string): Route[] {
  return [
    route({
      method: 'GET',
      path: `${path}/events`,
      operationId: id('IssueEvents'),
      summary: 'Events of an issue, newest first.',
      action: 'event:read',
      query: z.object({
        ...rangeQuery,
        environment: viewQuery.environment,
        ...pageQuery,
        query: searchText,
      }),
      response: z.array(restEvent),
      handle: async (call) => {
        const page = await listEvents(call.app, issueOf(call.found), {
          scope: scopeOf(await viewOf(call, ordinaryPeriod)),
          query: call.query.query,
          limit: limitOf(call.query, 50),
          cursor: call.query.cursor,
          meUserId: call.actor.person.id,
        })
        return { body: page.rows, headers: pageHeaders(call.app.config.url, call.request.url, page) }
      },
    }),
    csvRoute(path, id),
    route({
      method: 'GET',
      path: `${path}/events/:event`,
      operationId: id('IssueEvent'),
      summary: 'One event of an issue: latest, oldest (first), recommended, a number (1 = oldest stored) or an id.',
      action: 'event:read',
      query: chosen,
      response: restEvent,
      handle: async (call) => ({ body: await eventOfIssue(call) }),
    }),
    route({
      method: 'GET',
      path: `${path}/events/:event/markdown`,
      operationId: id('IssueEventMarkdown'),
      summary: 'An issue and one of its events as Markdown.',
      action: 'event:read',
      query: chosen,
      produces: 'text/markdown',
      response: file,
      handle: markdown,
    }),
    route({
      method: 'GET',
      path: `${path}/events/:event/json`,
      operationId: id('IssueEventJson'),
      summary: 'The JSON of an event as it is stored, or as it was received (after scrubbing).',
      action: 'event:read',
      query: z.object({
        environment: viewQuery.environment,
        form: z.enum(['stored', 'received']).optional().describe('stored (normalized) or received.'),
        download: z.string().optional().describe('1: as a file.'),
      }),
      produces: 'application/json',
      response: file,
      handle: async (call) =>
        jsonOf(
          await eventRowOf(call.app, issueOf(call.found), call.params.event ?? '', await eventScope(call)),
          call.query,
        ),
    }),
  ]
}

function jsonOf(
  row: Parameters<typeof storedJson>[0],
  query: { form?: 'stored' | 'received' | undefined; download?: string | undefined },
): Response {
  const text = query.form === 'received' ? receivedJson(row) : storedJson(row)
  if (text === undefined) throw new MishapError('NOT_FOUND', { detail: 'Only the stored form of this event is kept.' })
  return download(text, 'application/json', `${row.eventId}.json`, query.download === '1')
}

const attachmentsPath = '/projects/:org/:project/events/:event/attachments'

/** Events of an issue or project, by id or digest, and their attachments. */
export const eventRoutes: readonly Route[] = [
  ...issueEventRoutes('/organizations/:org/issues/:issue', (name) => `organization${name}`),
  ...issueEventRoutes('/issues/:issue', (name) => name.slice(0, 1).toLowerCase() + name.slice(1)),
  route({
    method: 'GET',
    path: '/organizations/:org/eventids/:event',
    operationId: 'eventId',
    summary:
      'Finds an event in all projects that the caller may read: its project, its issue and the event. If several events have the id, the newest; the header X-Projects names the projects.',
    action: 'event:read',
    response: restFoundEvent,
    handle: async ({ app, actor, found, params }) => {
      const organization = organizationOf(found)
      const projects = await readableProjects(app, actor, organization)
      const ids = projects.map((project) => project.id)
      const all = await eventsById(app, ids, params.event ?? '')
      const [first] = all
      const slugs = [...new Set(all.map((match) => projects.find(({ id }) => id === match.row.projectId)?.slug ?? ''))]
      const [projectSlug] = slugs
      if (!first || !projectSlug) throw new MishapError('NOT_FOUND')
      return {
        headers: slugs.length > 1 ? { 'x-projects': slugs.join(',') } : {},
        body: {
          organizationSlug: organization.slug,
          projectSlug,
          groupId: String(first.issue.id),
          eventId: first.row.eventId,
          event: await positionEvent(app, first.issue, first.row, ids),
        },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/digests/:digest',
    operationId: 'digest',
    summary: 'Issues and events with the digest that a React framework showed instead of the error.',
    action: 'event:read',
    response: restDigest,
    handle: async ({ app, actor, found, params }) => {
      const organization = organizationOf(found)
      const view = await viewOf({ app, actor, found, query: {} })
      const matches = await eventsOfDigest(
        app,
        await readableIds(app, actor, organization),
        pastedDigest(params.digest ?? '')?.digest ?? params.digest ?? '',
      )
      const issues = matches.map((match) => match.issue)
      const restIssues = new Map(
        (await toRestIssues(app, view, issues, await issueStatsOf(app, view, issues))).map((restIssue) => [
          restIssue.id,
          restIssue,
        ]),
      )
      return {
        body: matches.flatMap(({ issue, events }) => {
          const row = restIssues.get(String(issue.id))
          return row
            ? [
                {
                  issue: row,
                  events: events.map((event) => ({
                    id: event.eventId,
                    dateCreated: new Date(Math.floor(event.timestampUs / 1000)).toISOString(),
                    found: normalOf(event).findings.digest?.found ?? null,
                  })),
                },
              ]
            : []
        }),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/events/:event',
    operationId: 'projectEvent',
    summary: 'One event of a project by its id.',
    action: 'event:read',
    response: restEvent,
    handle: async (call) => {
      const { row, issue } = await projectEvent(call)
      return { body: await positionEvent(call.app, issue, row, await readableIdsOf(call)) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/events/:event/json',
    operationId: 'projectEventJson',
    summary: 'The JSON of an event as it is stored, or as it was received (after scrubbing).',
    action: 'event:read',
    query: z.object({
      form: z.enum(['stored', 'received']).optional().describe('stored (normalized) or received.'),
      download: z.string().optional().describe('1: as a file.'),
    }),
    produces: 'application/json',
    response: file,
    handle: async (call) => jsonOf((await projectEvent(call)).row, call.query),
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/events',
    operationId: 'projectEvents',
    summary: 'Events of a project, newest first.',
    action: 'event:read',
    query: z.object({ ...rangeQuery, environment: viewQuery.environment, ...pageQuery, query: searchText }),
    response: z.array(restProjectEvent),
    handle: async (call) => {
      const page = await listProjectEvents(call.app, projectOf(call.found), {
        scope: scopeOf(await viewOf(call, '14d')),
        query: call.query.query,
        limit: limitOf(call.query, 50),
        cursor: call.query.cursor,
        meUserId: call.actor.person.id,
      })
      const rows = page.rows.map((row) => ({ ...row, release: row.release?.version ?? null }))
      return { body: rows, headers: pageHeaders(call.app.config.url, call.request.url, page) }
    },
  }),
  route({
    method: 'GET',
    path: attachmentsPath,
    operationId: 'attachments',
    summary: 'Attachments of an event.',
    action: 'event:read',
    response: z.array(restAttachment),
    handle: async ({ app, found, params }) => {
      const id = eventIdOf(params.event ?? '')
      if (id === undefined) throw new MishapError('NOT_FOUND')
      return { body: (await app.meta.attachments.attachmentsOf(projectOf(found).id, id)).map(toRestAttachment) }
    },
  }),
  route({
    method: 'GET',
    path: `${attachmentsPath}/:attachment`,
    operationId: 'attachment',
    summary: 'Metadata of an attachment, or its content with download=1.',
    action: 'event:read',
    query: z.object({
      download: z
        .string()
        .optional()
        .describe(
          '1: the content as a download. view: the content for display. image: the same, only for PNG, JPEG, GIF, WebP and AVIF of at most 10 MiB, by their bytes; else 404.',
        ),
    }),
    response: restAttachment,
    handle: async ({ app, found, params, query }) => {
      const id = Number(/^\d{1,15}$/.test(params.attachment ?? '') ? params.attachment : 0)
      const attachment = await app.meta.attachments.attachmentById(id)
      if (
        !attachment ||
        attachment.projectId !== projectOf(found).id ||
        attachment.eventId !== eventIdOf(params.event ?? '')
      )
        throw new MishapError('NOT_FOUND')
      if (query.download === undefined) return { body: toRestAttachment(attachment) }
      const kind = await typeOfAttachment(app, attachment)
      if (query.download === 'image' && !kind?.isImage)
        throw new MishapError('NOT_FOUND', { detail: 'The attachment is not an image that Mishap shows.' })
      const blob = await app.blobs.getStream(attachment.blobKey)
      if (!blob || !kind)
        throw new MishapError('NOT_FOUND', { detail: 'The content of the attachment is no longer stored.' })
      const answer = download(
        Readable.toWeb(Readable.from(blob.stream)) as ReadableStream<Uint8Array>,
        kind.type,
        attachment.name,
        query.download !== 'view' && query.download !== 'image',
      )
      answer.headers.set('content-length', String(blob.bytes))
      return answer
    },
  }),
]
