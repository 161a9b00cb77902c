import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { restTrace, restTraceMeta } from '../../contract/traces.ts'
import { traceMeta, traceSpansMax, traceTree } from '../../query/trace.ts'
import { normalizeId } from '../../wire/ids.ts'
import type { Route } from '../route.ts'
import { readableIdsOf, route } from '../route.ts'

/** Returns the id of the path as 32 lower-case hex digits. Throws NOT_FOUND if it is invalid. */
function traceIdOf(text: string | undefined): string {
  const id = normalizeId(text)
  if (id === undefined) throw new MishapError('NOT_FOUND')
  return id
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
      const near = { keptDays: app.config.retentionSpansDays, atS: query.timestamp }
      return { body: await traceMeta(app, await readableIdsOf(call), traceIdOf(params.trace), near) }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace/:trace',
    operationId: 'trace',
    summary: `Spans of a trace as trees, with its errors. At most ${traceSpansMax} spans, segments first. The header X-Truncated means that more are stored.`,
    action: 'event:read',
    response: restTrace,
    handle: async (call) => {
      const { nodes, truncated } = await traceTree(call.app, await readableIdsOf(call), traceIdOf(call.params.trace))
      return truncated ? { body: nodes, headers: { 'x-truncated': String(traceSpansMax) } } : { body: nodes }
    },
  }),
]
