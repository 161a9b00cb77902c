import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  restSpanAttributes,
  restSpanAttributeValues,
  restSpanStats,
  restSpanTable,
  restSpanTimeseries,
} from '../../contract/span-search.ts'
import { spanAttributes, spanAttributeValues } from '../../query/span-attributes.ts'
import { spanTable } from '../../query/span-events.ts'
import { type SeriesRequest, spanStats, spanTimeseries } from '../../query/span-series.ts'
import { pageHeaders } from '../page.ts'
import { type Call, limitOf, pageQuery, type Route, route, scopeOf, viewOf, viewQuery } from '../route.ts'

const O = '/organizations/:org'
/** Names of the same data: a transaction is a segment span here. */
const datasets = ['spans', 'transactions', 'discover', 'spansIndexed', 'spansMetrics']
const listOf = (description: string) => z.array(z.string().max(300)).max(100).describe(description)
const query = z.string().max(5000).optional()
const searchText = query.describe('A search over spans, see docs/traces-search.md.')
const cutOff = z
  .enum(['0', '1'])
  .optional()
  .describe('1: percentiles count spans that an SDK cut off, too. They always do if the search names span.cut_off.')

const shared = {
  dataset: z.string().max(50).optional().describe('spans, or transactions and discover, which mean the same here.'),
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

function demandDataset(dataset: string | undefined): void {
  if (dataset === undefined || dataset === '' || datasets.includes(dataset)) return
  throw new MishapError('VALIDATION', {
    fields: { dataset: [`${JSON.stringify(dataset)} is not supported. One of ${datasets.slice(0, 3).join(', ')}.`] },
  })
}

const sortOf = ({ sort, orderby }: { sort: string[]; orderby: string[] }) => (sort.length > 0 ? sort : orderby)

/** Reads the parameters of a series. Throws VALIDATION. */
function seriesRequest({ query: asked, request }: Call<z.output<typeof seriesQuery>, undefined>): SeriesRequest {
  demandDataset(asked.dataset)
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
  itemType: z.string().max(50).optional().describe('spans, the only type.'),
  attributeType: z.enum(['string', 'number', 'boolean']).default('string'),
  substringMatch: z.string().max(200).optional().describe('Text that the names or values must contain.'),
  query: z.string().max(200).optional().describe('The same as substringMatch.'),
  ...viewQuery,
})

function demandSpans(itemType: string | undefined): void {
  if (itemType !== undefined && itemType !== '' && itemType !== 'spans')
    throw new MishapError('VALIDATION', {
      fields: { itemType: [`${JSON.stringify(itemType)} is not supported. spans.`] },
    })
}

/** A program mostly asks for what it has just sent, and asks once. Screens are told of changes instead. */
const catchUpMs = 800

/** Waits until what was accepted before this request can be read, if a program asks. */
const catchUp = async ({ app, request }: Pick<Call<unknown, unknown>, 'app' | 'request'>): Promise<void> => {
  if (request.headers.has('authorization')) await app.caughtUp(catchUpMs)
}

/** Searches over spans. */
export const spanRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${O}/events`,
    operationId: 'querySpans',
    summary:
      'Spans, or aggregates of spans by the other fields. Counts and rates are extrapolated by the sample rate, percentiles are weighted; `meta.samples` is the number of stored spans.',
    action: 'event:read',
    query: tableQuery,
    response: restSpanTable,
    handle: async (call) => {
      const { app, query: asked, request } = call
      demandDataset(asked.dataset)
      await catchUp(call)
      const page = await spanTable(app, await viewOf(call), {
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
    operationId: 'spanStats',
    summary: 'Functions of spans over time, in seconds. With several functions or groups: one series for each name.',
    action: 'event:read',
    query: seriesQuery,
    response: restSpanStats,
    handle: async (call) => ({ body: await spanStats(call.app, await viewOf(call), seriesRequest(call)) }),
  }),
  route({
    method: 'GET',
    path: `${O}/events-timeseries`,
    operationId: 'spanTimeseries',
    summary: 'Functions of spans over time, in milliseconds, with the stored spans of each bucket.',
    action: 'event:read',
    query: seriesQuery,
    response: restSpanTimeseries,
    handle: async (call) => ({ body: await spanTimeseries(call.app, await viewOf(call), seriesRequest(call)) }),
  }),
  route({
    method: 'GET',
    path: `${O}/trace-items/attributes`,
    operationId: 'spanAttributes',
    summary: 'Keys of a search over spans and attributes of the newest 50,000 spans, by type.',
    action: 'event:read',
    query: attributeQuery,
    response: restSpanAttributes,
    handle: async (call) => {
      const { app, query: asked, request } = call
      demandSpans(asked.itemType)
      const text = asked.substringMatch ?? asked.query ?? ''
      const scope = scopeOf(await viewOf(call))
      return { body: await spanAttributes(app, scope, { type: asked.attributeType, text, signal: request.signal }) }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/trace-items/attributes/:key/values`,
    operationId: 'spanAttributeValues',
    summary: 'Values of a key or attribute in the newest spans, most spans first.',
    action: 'event:read',
    query: z.object({ ...attributeQuery.shape, ...pageQuery }),
    response: restSpanAttributeValues,
    handle: async (call) => {
      const { app, params, query: asked, request } = call
      demandSpans(asked.itemType)
      const view = await viewOf(call)
      const key = params.key ?? ''
      const values = await spanAttributeValues(app, view.projects, scopeOf(view), {
        key,
        text: asked.substringMatch ?? asked.query ?? '',
        max: limitOf(asked, 25),
        signal: request.signal,
      })
      return { body: values.map(({ value, events }) => ({ key, name: value, value, count: events })) }
    },
  }),
]
