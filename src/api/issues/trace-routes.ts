import { z } from 'zod'
import { readableProjects } from '../../auth/allowed-projects.ts'
import { MishapError } from '../../base/errors.ts'
import { restTraceComparison, restTraceFacts, restTracePeers } from '../../contract/explore/trace-compare.ts'
import {
  type RestTraceView,
  restTraceItem,
  restTraceMatches,
  restTraceView,
} from '../../contract/explore/trace-views.ts'
import { restTrace, restTraceMeta } from '../../contract/explore/traces.ts'
import { comparisonMarkdown, traceComparison } from '../../query/traces/compare.ts'
import { traceFacts } from '../../query/traces/facts.ts'
import { statementOf, traceItem } from '../../query/traces/item.ts'
import { traceMarkdown } from '../../query/traces/markdown.ts'
import { toOtlp } from '../../query/traces/otlp.ts'
import { tracePeers } from '../../query/traces/peers.ts'
import { spanExtras } from '../../query/traces/span-extras.ts'
import { traceMeta, traceTree, treeSpansMax } from '../../query/traces/trace.ts'
import { traceView, viewSpansMax, viewSpansMost } from '../../query/traces/view.ts'
import { normalizeId } from '../../wire/ids.ts'
import type { Call, Route } from '../route.ts'
import { organizationOf, readableIdsOf, route } from '../route.ts'

const matchesMax = 10_000
/** A trace with more log lines has at least so many. */
const logsMax = 1000
/** Limit of exported spans: their rows are complete, and the answer is built in memory. */
const exportMax = 10_000

/** Returns the id of the path as 32 lower-case hex digits. Throws NOT_FOUND if it is invalid. */
function traceIdOf(text: string | undefined): string {
  const id = normalizeId(text)
  if (id === undefined) throw new MishapError('NOT_FOUND')
  return id
}

/** The projects of the organization that the caller may read. */
const readableOf = ({ app, actor, found }: Pick<Call<unknown, unknown>, 'app' | 'actor' | 'found'>) =>
  readableProjects(app, actor, organizationOf(found))

/** Everything that the caller may see of the trace of the path. */
async function viewOf(
  call: Pick<Call<unknown, unknown>, 'app' | 'actor' | 'found' | 'params'>,
  max: number,
  trace = call.params.trace,
): Promise<RestTraceView> {
  const { app, found } = call
  const reader = {
    projects: await app.meta.projects.projectsOf(organizationOf(found).id),
    readable: await readableOf(call),
  }
  return await traceView(app, reader, traceIdOf(trace), { keptDays: app.config.retentionSpansDays, max })
}

export const traceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/trace-meta/:trace',
    operationId: 'traceMeta',
    summary:
      'A trace in the projects that the caller may read: its segments, its errors and its number of spans. An unknown trace is empty.',
    action: 'event:read',
    response: restTraceMeta,
    query: z.object({
      timestamp: z.coerce.number().optional().describe('A time in seconds since 1970. Segments near it are listed.'),
    }),
    handle: async (call) => {
      const { app, params, query } = call
      const asked = { keptDays: app.config.retentionSpansDays, atS: query.timestamp, logsMax }
      return { body: await traceMeta(app, await readableIdsOf(call), traceIdOf(params.trace), asked) }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace/:trace',
    operationId: 'trace',
    summary: `Spans of a trace as trees, with errors at their spans. Errors whose span is not stored follow. At most ${treeSpansMax.toLocaleString('en')} spans, segments first, and 100 errors. The header X-Truncated means that more spans are stored.`,
    action: 'event:read',
    response: restTrace,
    query: z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(treeSpansMax)
        .default(treeSpansMax)
        .describe('The most spans to answer.'),
    }),
    handle: async (call) => {
      const { limit } = call.query
      const ids = await readableIdsOf(call)
      const { nodes, truncated } = await traceTree(call.app, ids, traceIdOf(call.params.trace), limit)
      return truncated ? { body: nodes, headers: { 'x-truncated': String(limit) } } : { body: nodes }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace-view/:trace',
    operationId: 'traceView',
    summary: `All spans of a trace in a compact form, with its errors and feedback. Spans of projects that the caller may not read have times, but no texts. A trace with more than ${viewSpansMax.toLocaleString('en')} spans (or limit, at most ${viewSpansMost.toLocaleString('en')}) is a sample.`,
    action: 'event:read',
    response: restTraceView,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(viewSpansMost).optional().describe('The most spans to answer.'),
    }),
    handle: async (call) => ({ body: await viewOf(call, call.query.limit ?? viewSpansMax) }),
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace/:trace/matches',
    operationId: 'traceMatches',
    summary: 'The spans of a trace that have this value of an attribute, at most 10,000.',
    action: 'event:read',
    response: restTraceMatches,
    query: z.object({ key: z.string().min(1).max(200), value: z.string().max(2000) }),
    handle: async (call) => {
      const { app, params, query } = call
      const ids = await readableIdsOf(call)
      return {
        body: { spanIds: await app.events.spansWithAttribute(ids, traceIdOf(params.trace), query, matchesMax) },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace/:trace/compare/:other',
    operationId: 'traceComparison',
    summary:
      'Two traces side by side: spans with the same operation and name below the same parent, with their counts and times.',
    action: 'event:read',
    response: restTraceComparison,
    handle: async (call) => {
      const a = await viewOf(call, viewSpansMax)
      const b = await viewOf(call, viewSpansMax, call.params.other)
      return { body: traceComparison(a, b) }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace/:trace/peers',
    operationId: 'tracePeers',
    summary:
      'Traces of the same route in the last 7 days to compare with: the slowest, a typical one, the previous one.',
    action: 'event:read',
    response: restTracePeers,
    handle: async (call) => {
      const { app, params } = call
      return { body: await tracePeers(app, await readableIdsOf(call), traceIdOf(params.trace), app.clock.now()) }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace/:trace/facts',
    operationId: 'traceFacts',
    summary: 'What a trace is compared with: the p75 of its route in the last 7 days, and its user.',
    action: 'event:read',
    response: restTraceFacts,
    handle: async (call) => {
      const { app, params } = call
      return { body: await traceFacts(app, await readableIdsOf(call), traceIdOf(params.trace), app.clock.now()) }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace-items/:item',
    operationId: 'traceItem',
    summary: 'One span with all its attributes.',
    action: 'event:read',
    response: restTraceItem,
    query: z.object({
      traceId: z.string().max(64).describe('The trace of the span.'),
      itemType: z.enum(['spans']).optional(),
      project: z.string().max(200).optional().describe('Id of its project, if several have a span with this id.'),
    }),
    handle: async (call) => {
      const { app, params, query } = call
      const readable = await readableOf(call)
      const within = readable.filter((project) => query.project === undefined || String(project.id) === query.project)
      const ids = within.map((project) => project.id)
      const span = await app.events.spanOfTrace(ids, traceIdOf(query.traceId), (params.item ?? '').toLowerCase())
      if (!span) throw new MishapError('NOT_FOUND')
      const slug = within.find((project) => project.id === span.projectId)?.slug ?? ''
      return { body: traceItem(span, slug, await statementOf(app.events, span, app.clock.now())) }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace/:trace/otlp',
    operationId: 'traceOtlp',
    summary: `The spans of a trace as OTLP in JSON, at most ${exportMax.toLocaleString('en')}: segments first. The header X-Truncated means that more are stored.`,
    action: 'event:read',
    response: z.record(z.string(), z.unknown()),
    handle: async (call) => {
      const readable = await readableOf(call)
      const id = traceIdOf(call.params.trace)
      const found = await call.app.events.spansOfTrace(
        readable.map((project) => project.id),
        id,
        exportMax + 1,
      )
      const slugs = new Map(readable.map((project) => [project.id, project.slug]))
      const body = toOtlp(found.slice(0, exportMax), (projectId) => slugs.get(projectId) ?? '')
      const name = `trace-${id}.otlp.json`
      return {
        body,
        headers: {
          'content-disposition': `attachment; filename="${name}"`,
          ...(found.length > exportMax ? { 'x-truncated': String(exportMax) } : {}),
        },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace/:trace/markdown',
    operationId: 'traceMarkdown',
    summary:
      'A trace as Markdown for tickets and assistants: its tree, errors, web vitals, span events, links and critical path.',
    action: 'event:read',
    produces: 'text/markdown',
    response: z.string(),
    query: z.object({ compare: z.string().max(64).optional().describe('Another trace: compares both instead.') }),
    handle: async (call) => {
      const { compare } = call.query
      const view = await viewOf(call, viewSpansMax)
      const url = `${call.app.config.url}/o/${organizationOf(call.found).slug}/traces/${view.traceID}`
      const text =
        compare === undefined
          ? traceMarkdown(view, url, await spanExtras(call.app, await readableIdsOf(call), view.traceID))
          : comparisonMarkdown(
              traceComparison(view, await viewOf(call, viewSpansMax, compare)),
              `${url}?compare=${traceIdOf(compare)}`,
            )
      return new Response(text, {
        headers: {
          'content-type': 'text/markdown; charset=utf-8',
          'x-content-type-options': 'nosniff',
          'content-security-policy': 'sandbox',
          'cache-control': 'no-store',
        },
      })
    },
  }),
]
