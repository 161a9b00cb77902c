import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { durableHeader } from '../../base/network.ts'
import {
  restDatasetAttributes,
  restDatasetAttributeValues,
  restDatasetStats,
  restDatasetTable,
  restDatasetTimeseries,
} from '../../contract/explore/dataset-search.ts'
import { datasetAttributes, datasetValues } from '../../query/explore/dataset-attributes.ts'
import { datasetStats, datasetTimeseries, type SeriesRequest } from '../../query/explore/dataset-series.ts'
import { datasetTable } from '../../query/explore/dataset-table.ts'
import { pageHeaders } from '../page.ts'
import { type Call, limitOf, pageQuery, type Route, route, scopeOf, viewOf, viewQuery } from '../route.ts'
import { rowDatasetOf } from './dataset-name.ts'

const O = '/organizations/:org'
const listOf = (description: string) => z.array(z.string().max(300)).max(100).describe(description)
const query = z.string().max(5000).optional()
const searchText = query.describe('A search in the language of the dataset, see docs/explore.md.')
const cutOff = z
  .enum(['0', '1'])
  .optional()
  .describe('1: percentiles count spans that an SDK cut off, too. They always do if the search names span.cut_off.')

const shared = {
  dataset: z
    .string()
    .max(50)
    .optional()
    .describe('errors, spans (the default), logs (or ourlogs), tracemetrics (or metrics), or discover: spans.'),
  query: searchText,
  sort: listOf('A requested field, with - for the largest first; repeated.'),
  orderby: listOf('The same as sort.'),
  includeCutOff: cutOff,
  ...viewQuery,
}

const tableQuery = z.object({
  field: listOf(
    'What to return, repeated: span.op, span.duration, any attribute, count(), p95(span.duration) and so on.',
  ),
  ...shared,
  ...pageQuery,
})

const seriesQuery = z.object({
  yAxis: listOf('A function, repeated: count() (the default), p95(span.duration) and so on.'),
  interval: z.string().max(20).optional().describe('Length of a bucket: 5m, 1h, or milliseconds.'),
  groupBy: listOf('A field, repeated: a series for each of its values. Needs topEvents.'),
  field: listOf('The same as groupBy; functions are ignored.'),
  topEvents: z.string().max(4).optional().describe('Number of series, 1 to 10: those of the largest groups.'),
  ...shared,
})

const sortOf = ({ sort, orderby }: { sort: string[]; orderby: string[] }) => (sort.length > 0 ? sort : orderby)

/** Reads the parameters of a series. Throws VALIDATION. */
function seriesRequest({ query: asked, request }: Call<z.output<typeof seriesQuery>, undefined>): SeriesRequest {
  const top = asked.topEvents ?? ''
  if (!/^(?:[1-9]|10)?$/.test(top))
    throw new MishapError('VALIDATION', { fields: { topEvents: ['A number from 1 to 10.'] } })
  const fields = asked.groupBy.length > 0 ? asked.groupBy : asked.field.filter((name) => !name.endsWith(')'))
  return {
    yAxis: asked.yAxis,
    groupBy: top === '' ? [] : fields,
    top: Number(top),
    query: asked.query ?? '',
    sort: sortOf(asked),
    interval: asked.interval,
    withCut: asked.includeCutOff === '1',
    signal: request.signal,
  }
}

const attributeQuery = z.object({
  itemType: z.string().max(50).optional().describe('spans (the default), logs, tracemetrics or errors.'),
  attributeType: z.enum(['string', 'number', 'boolean']).default('string'),
  substringMatch: z.string().max(200).optional().describe('Text that the names or values must contain.'),
  query: z.string().max(200).optional().describe('The same as substringMatch.'),
  ...viewQuery,
})

/** A program mostly asks for what it has just sent, and asks once. Screens are told of changes instead. */
const catchUpMs = 800

/** Waits until what was accepted before this request can be read, if a program asks. */
export const catchUp = async ({ app, request }: Pick<Call<unknown, unknown>, 'app' | 'request'>): Promise<void> => {
  const { headers } = request
  if (headers.has('authorization')) await app.caughtUp(catchUpMs, Number(headers.get(durableHeader) ?? 0))
}

/** Rows of datasets, aggregates of them, and the names of their fields. */
export const datasetRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${O}/events`,
    operationId: 'queryEvents',
    summary:
      'Rows of a dataset, or aggregates of them by the other fields. Counts and rates are extrapolated by the sample rate, percentiles are weighted; `meta.samples` is the number of stored rows.',
    action: 'event:read',
    query: tableQuery,
    response: restDatasetTable,
    handle: async (call) => {
      const { app, query: asked, request } = call
      await catchUp(call)
      const page = await datasetTable(app, await viewOf(call), rowDatasetOf(asked.dataset, 'spans'), {
        fields: asked.field,
        query: asked.query ?? '',
        sort: sortOf(asked),
        limit: limitOf(asked, 50),
        cursor: asked.cursor,
        withCut: asked.includeCutOff === '1',
        signal: request.signal,
      })
      return {
        body: { data: page.rows, meta: page.meta },
        headers: pageHeaders(app.config.url, request.url, page),
      }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/events-stats`,
    operationId: 'eventsStats',
    summary: 'Functions over time, in seconds. With several functions or groups: one series for each name.',
    action: 'event:read',
    query: seriesQuery,
    response: restDatasetStats,
    handle: async (call) => {
      const dataset = rowDatasetOf(call.query.dataset, 'spans')
      await catchUp(call)
      return { body: await datasetStats(call.app, await viewOf(call), dataset, seriesRequest(call)) }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/events-timeseries`,
    operationId: 'eventsTimeseries',
    summary: 'Functions over time, in milliseconds, with the stored rows of each bucket.',
    action: 'event:read',
    query: seriesQuery,
    response: restDatasetTimeseries,
    handle: async (call) => {
      const dataset = rowDatasetOf(call.query.dataset, 'spans')
      await catchUp(call)
      return { body: await datasetTimeseries(call.app, await viewOf(call), dataset, seriesRequest(call)) }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/trace-items/attributes`,
    operationId: 'traceItemAttributes',
    summary: 'Keys of a search over the dataset and attributes of its newest 50,000 rows, by type.',
    action: 'event:read',
    query: attributeQuery,
    response: restDatasetAttributes,
    handle: async (call) => {
      const { app, query: asked, request } = call
      const text = asked.substringMatch ?? asked.query ?? ''
      const scope = scopeOf(await viewOf(call))
      const dataset = rowDatasetOf(asked.itemType, 'spans', 'itemType')
      const listed = { type: asked.attributeType, text, signal: request.signal }
      return { body: await datasetAttributes(app, dataset, scope, listed) }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/trace-items/attributes/:key/values`,
    operationId: 'traceItemAttributeValues',
    summary: 'Values of a key or attribute in the newest rows, most rows first.',
    action: 'event:read',
    query: z.object({ ...attributeQuery.shape, ...pageQuery }),
    response: restDatasetAttributeValues,
    handle: async (call) => {
      const { app, params, query: asked, request } = call
      const view = await viewOf(call)
      const key = params.key ?? ''
      const dataset = rowDatasetOf(asked.itemType, 'spans', 'itemType')
      const values = await datasetValues(app, dataset, view.projects, scopeOf(view), {
        key,
        text: asked.substringMatch ?? asked.query ?? '',
        max: limitOf(asked, 25),
        signal: request.signal,
      })
      return { body: values.map(({ value, events }) => ({ key, name: value, value, count: events })) }
    },
  }),
]
