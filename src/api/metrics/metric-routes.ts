import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { restMetricDetails, restMetrics } from '../../contract/explore/metrics.ts'
import { metricAggregates } from '../../domain/metrics.ts'
import { listMetrics, metricDetails, metricFiltersMax } from '../../query/metrics/metrics.ts'
import type { MetricPair } from '../../store/events/metric-store.ts'
import { type Route, route, viewOf, viewQuery } from '../route.ts'

const nameMax = 250
const text = (sentence: string) => z.string().max(nameMax).describe(sentence)

/** Reads filters such as `plan:pro`: the key ends at the first colon. */
function pairsOf(sent: readonly string[]): MetricPair[] {
  return sent.map((entry) => {
    const colon = entry.indexOf(':')
    if (colon < 1) throw new MishapError('VALIDATION', { fields: { where: ['A key and a value, such as plan:pro.'] } })
    return { key: entry.slice(0, colon), value: entry.slice(colon + 1) }
  })
}

export const metricRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/metrics',
    operationId: 'listMetrics',
    summary: 'Metrics with their type, unit, newest value, attributes and course, and what was folded.',
    action: 'event:read',
    query: z.object({
      ...viewQuery,
      query: text('A part of the name, in any case.').default(''),
      sort: z.enum(['newest', 'name', 'points']).default('newest'),
      offset: z.coerce.number().int().min(0).max(100_000).default(0).describe('Rows to skip.'),
    }),
    response: restMetrics,
    handle: async (call) => ({
      body: await listMetrics(call.app, await viewOf(call, '24h'), {
        text: call.query.query.trim(),
        order: call.query.sort,
        offset: call.query.offset,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/metrics/details',
    operationId: 'metricDetails',
    summary: 'One metric by time and group, its attributes, and points with the traces behind them.',
    action: 'event:read',
    query: z.object({
      ...viewQuery,
      name: text('The name of the metric.').min(1),
      aggregate: z
        .enum(metricAggregates)
        .optional()
        .describe(
          'Default, also for one that does not fit the type: sum of a counter, last of a gauge, p50 of a distribution.',
        ),
      groupBy: text('An attribute, or service, release or environment.').optional(),
      where: z
        .array(z.string().max(1300))
        .max(metricFiltersMax)
        .describe('A filter such as plan:pro, repeated; all must match.'),
      bucket: z.coerce
        .number()
        .int()
        .min(0)
        .max(4_294_967_295_000)
        .optional()
        .describe('Start of a bucket (ms): samples are only of its points, those with a trace first.'),
      group: z.string().max(1024).optional().describe('Samples are only of this group.'),
    }),
    response: restMetricDetails,
    handle: async (call) => {
      const { name, aggregate, groupBy, where, bucket, group } = call.query
      const found = await metricDetails(call.app, await viewOf(call, '24h'), {
        name,
        aggregate,
        by: groupBy === '' ? undefined : groupBy,
        where: pairsOf(where),
        bucket: bucket === undefined ? undefined : { startMs: bucket, group },
      })
      if (!found) throw new MishapError('NOT_FOUND')
      return { body: found }
    },
  }),
]
