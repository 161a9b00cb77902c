import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  restLogDetail,
  restLogLines,
  restLogPatterns,
  restLogSummary,
  restLogsAround,
  restTraceMoment,
} from '../../contract/explore/logs.ts'
import { aroundBy } from '../../domain/log-around.ts'
import { logDetail, logLines, logsAround } from '../../query/logs/lines.ts'
import { traceMoment } from '../../query/logs/moment.ts'
import { logPatterns, logSummary, patternsMax } from '../../query/logs/summary.ts'
import { normalizeId } from '../../wire/ids.ts'
import { isStill } from '../live.ts'
import { limitOf, organizationOf, pageQuery, type Route, readableIdsOf, route, viewOf, viewQuery } from '../route.ts'
import { logTail } from './tail.ts'

const O = '/organizations/:org'
const listOf = (description: string) => z.array(z.string().max(300)).max(20).describe(description)
const searchText = z.string().max(5000).optional().describe('A search over log lines, see docs/logs-search.md.')
const shared = { query: searchText, ...viewQuery }
const column = listOf('A field or attribute of each line, or a path into its JSON body; repeated, at most 10.')
/** The range without a parameter, as on the screen. */
const period = '24h'

/** Lines of log, for the screen Logs. Aggregates of any kind are answered by events/ with dataset=logs. */
export const logRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${O}/logs`,
    operationId: 'listLogs',
    summary: 'Log lines that match a search, newest first.',
    action: 'event:read',
    query: z.object({ ...shared, column, ...pageQuery }),
    response: restLogLines,
    handle: async (call) => ({
      body: await logLines(call.app, await viewOf(call, period), {
        query: call.query.query ?? '',
        columns: call.query.column,
        limit: limitOf(call.query, 100),
        cursor: call.query.cursor,
        signal: call.request.signal,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: `${O}/logs/summary`,
    operationId: 'logSummary',
    summary: 'Number of matching log lines over time by level, and the most frequent values of fields.',
    action: 'event:read',
    query: z.object({ ...shared, field: listOf('Another field whose values are counted; repeated.') }),
    response: restLogSummary,
    handle: async (call) => ({
      body: await logSummary(call.app, await viewOf(call, period), {
        query: call.query.query ?? '',
        fields: call.query.field,
        signal: call.request.signal,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: `${O}/logs/patterns`,
    operationId: 'logPatterns',
    summary: 'Repeated shapes of matching log lines, the most frequent ones, and which are new since a release.',
    action: 'event:read',
    query: z.object({
      ...shared,
      limit: z.coerce
        .number()
        .int()
        .min(0)
        .max(patternsMax)
        .optional()
        .describe(`Number of patterns, at most ${patternsMax}. 0: only \`total\` is counted, and no release is named.`),
    }),
    response: restLogPatterns,
    handle: async (call) => ({
      body: await logPatterns(call.app, await viewOf(call, period), {
        query: call.query.query ?? '',
        limit: call.query.limit,
        signal: call.request.signal,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: `${O}/logs/tail`,
    operationId: 'tailLogs',
    summary:
      'Server-sent events: matching log lines as they are stored (contract/logs.ts TailMessage), resumable with Last-Event-ID. `gap` counts lines that were left out.',
    action: 'event:read',
    query: z.object({
      ...shared,
      column,
      position: z.string().optional().describe('`position` of a list: the tail goes on there.'),
    }),
    produces: 'text/event-stream',
    response: z.string(),
    handle: async (call) => {
      const { app, actor, found, query, request } = call
      const view = await viewOf(call, period)
      const position = request.headers.get('last-event-id') ?? query.position ?? ''
      return logTail(
        app,
        actor.person.id,
        { view, query: query.query ?? '', columns: query.column, position, signal: request.signal },
        async () => {
          if (!(await isStill(app, actor, organizationOf(found), request.headers))) return false
          const readable = await readableIdsOf(call)
          return view.projects.every(({ id }) => readable.includes(id))
        },
      )
    },
  }),
  route({
    method: 'GET',
    path: `${O}/logs/:line`,
    operationId: 'getLog',
    summary: 'One log line with all its attributes.',
    action: 'event:read',
    response: restLogDetail,
    handle: async (call) => ({ body: await logDetail(call.app, await readableIdsOf(call), call.params.line ?? '') }),
  }),
  route({
    method: 'GET',
    path: `${O}/logs/:line/around`,
    operationId: 'logsAround',
    summary: 'Ten lines before and after a log line, of the same trace, service or host.',
    action: 'event:read',
    query: z.object({
      by: z.enum(aroundBy).optional().describe('Without it: the trace, else the service, else the host.'),
    }),
    response: restLogsAround,
    handle: async (call) => ({
      body: await logsAround(call.app, await readableIdsOf(call), call.params.line ?? '', call.query.by),
    }),
  }),
  route({
    method: 'GET',
    path: `${O}/trace-moment/:trace`,
    operationId: 'traceMoment',
    summary:
      'Log lines and spans of a trace from ten minutes before a time to one minute after it, those nearest to it.',
    action: 'event:read',
    query: z.object({ timestamp: z.coerce.number().describe('Seconds since 1970.') }),
    response: restTraceMoment,
    handle: async (call) => {
      const traceId = normalizeId(call.params.trace)
      if (traceId === undefined) throw new MishapError('NOT_FOUND')
      return { body: await traceMoment(call.app, await readableIdsOf(call), traceId, call.query.timestamp * 1000) }
    },
  }),
]
