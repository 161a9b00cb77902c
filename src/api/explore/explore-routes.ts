import { z } from 'zod'
import { restPlan, restPlanAnswer, restPlanExplained } from '../../contract/explore/explore.ts'
import { runPlan } from '../../query/explore/explore.ts'
import { sqlOfPlan, wordsOfPlan } from '../../query/explore/plan-words.ts'
import { type Route, route, viewOf, viewQuery } from '../route.ts'
import { catchUp } from './dataset-routes.ts'

/** A plan with its filters takes a few KiB. */
const planBytesMax = 256 * 1024

const exploreQuery = z.object({
  shape: z.enum(['table', 'series']).default('table').describe('table: rows. series: points over time.'),
  interval: z
    .string()
    .regex(/^\d{1,12}$/)
    .optional()
    .describe('Length of a bucket of a series in milliseconds. Default: about 120 buckets.'),
  ...viewQuery,
})

/** Plans: one query model over every dataset. */
export const exploreRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/organizations/:org/explore',
    operationId: 'explore',
    summary:
      'Answers a plan over errors, spans, logs, metrics or outcomes within limits of time, rows and memory. `meta` says what was read, and `meta.partial` why not all of it.',
    action: 'event:read',
    query: exploreQuery,
    body: restPlan,
    bodyBytesMax: planBytesMax,
    response: restPlanAnswer,
    handle: async (call) => {
      const { app, query, body, request } = call
      await catchUp(call)
      const intervalMs = query.interval === undefined ? undefined : Number(query.interval)
      return {
        body: await runPlan(app, await viewOf(call), body, { shape: query.shape, intervalMs, signal: request.signal }),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/organizations/:org/explore/explain',
    operationId: 'explainPlan',
    summary: 'A plan in words and as SQL, without running it.',
    action: 'event:read',
    query: exploreQuery,
    body: restPlan,
    bodyBytesMax: planBytesMax,
    response: restPlanExplained,
    handle: async (call) => {
      const { app, query, body } = call
      const intervalMs = query.interval === undefined ? undefined : Number(query.interval)
      const sql = await sqlOfPlan(app, await viewOf(call), body, { shape: query.shape, intervalMs })
      return { body: { words: wordsOfPlan(body), sql: sql ?? null } }
    },
  }),
]
