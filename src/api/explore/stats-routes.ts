import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { restOutcomeStats, restTraceLogs } from '../../contract/explore/dataset-search.ts'
import { outcomeStats } from '../../query/explore/outcome-stats.ts'
import { traceLogs } from '../../query/traces/logs.ts'
import { pageHeaders } from '../page.ts'
import { limitOf, pageQuery, type Route, route, viewOf, viewQuery } from '../route.ts'
import { catchUp } from './dataset-routes.ts'

const listOf = (description: string) => z.array(z.string().max(300)).max(100).describe(description)
const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Reads an interval such as 1h or 1d. Shorter ones are hours: the ledger counts by hours. */
function intervalMsOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const [, amount = '', unit = ''] = /^([1-9]\d{0,5})([smhdw])$/.exec(text) ?? []
  if (amount === '')
    throw new MishapError('VALIDATION', { fields: { interval: ['A length of whole hours, such as 1h or 1d.'] } })
  return unit === 's' || unit === 'm' ? unitMs['h'] : Number(amount) * (unitMs[unit] ?? 0)
}

/** Outcomes over time, and the log lines of traces. */
export const statsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/stats_v2',
    operationId: 'outcomeStats',
    summary:
      'What became of sent items, by hour, from the ledger. Stored items are `accepted`; the other outcomes have their own names (docs/outcomes.md).',
    action: 'event:read',
    query: z.object({
      field: listOf('sum(quantity), the default. sum(times_seen) is the same.'),
      groupBy: listOf('category, outcome, reason, project or key_id; repeated.'),
      category: listOf('Only these categories; repeated.'),
      outcome: listOf('Only these outcomes; repeated.'),
      reason: listOf('Only these reasons; repeated.'),
      interval: z.string().max(20).optional().describe('Length of a bucket: 1h, 1d. Shorter ones are an hour.'),
      ...viewQuery,
    }),
    response: restOutcomeStats,
    handle: async (call) => {
      const { app, query } = call
      await catchUp(call)
      const { category, outcome, reason } = query
      return {
        body: await outcomeStats(app, await viewOf(call), {
          fields: query.field,
          groupBy: query.groupBy,
          only: { category, outcome, reason },
          intervalMs: intervalMsOf(query.interval),
        }),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/trace-logs',
    operationId: 'listTraceLogs',
    summary: 'Log lines of traces, newest first.',
    action: 'event:read',
    query: z.object({
      traceId: listOf('Id of a trace, repeated, at most 20.'),
      query: z.string().max(4000).optional().describe('A search over log lines, see docs/explore.md.'),
      sort: listOf('timestamp or another field, with - for the largest first.'),
      ...viewQuery,
      ...pageQuery,
    }),
    response: restTraceLogs,
    handle: async (call) => {
      const { app, query, request } = call
      await catchUp(call)
      const page = await traceLogs(app, await viewOf(call), {
        traceIds: query.traceId,
        query: query.query ?? '',
        sort: query.sort,
        limit: limitOf(query, 100),
        cursor: query.cursor,
        signal: request.signal,
      })
      return { body: { data: page.rows, meta: page.meta }, headers: pageHeaders(app.config.url, request.url, page) }
    },
  }),
]
