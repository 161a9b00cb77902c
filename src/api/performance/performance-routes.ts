import { z } from 'zod'
import {
  restNavigation,
  restNavigationReleases,
  restPerformanceCounts,
  restRoutePage,
  restRoutes,
  restStatementCallers,
  restStatements,
  restVitals,
  restWhySlow,
} from '../../contract/explore/performance.ts'
import { vitalLoads } from '../../domain/traces/vitals.ts'
import { againstChoices, type PerformanceView } from '../../query/performance/compared.ts'
import { navigationByRelease, performanceNavigation } from '../../query/performance/navigation.ts'
import { performanceRoute } from '../../query/performance/route.ts'
import { performanceCounts, performanceRoutes } from '../../query/performance/routes.ts'
import { performanceStatements, statementCallers, statementOrders } from '../../query/performance/statements.ts'
import { performanceVitals } from '../../query/performance/vitals.ts'
import { whySlow } from '../../query/performance/why-slow.ts'
import { routeOrders, type StatementKind, statementKinds } from '../../store/events/performance-store.ts'
import type { Call, Route } from '../route.ts'
import { limitOf, pageQuery, route, viewOf, viewQuery } from '../route.ts'

const performanceQuery = {
  ...viewQuery,
  against: z
    .enum(againstChoices)
    .default('previous')
    .describe('What changes are compared with: the range before, or the same time a week before.'),
  cut: z.enum(['0', '1']).default('0').describe('1: segments that an SDK ended early count for percentiles too.'),
}
const listQuery = {
  query: z.string().max(250).default('').describe('A part of the name, in any case.'),
  limit: pageQuery.limit,
  per_page: pageQuery.per_page,
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0).describe('Rows to skip.'),
}
const rowsDefault = 100
const durationMsMax = 86_400_000
const moment = (description: string) => z.iso.datetime({ offset: true }).optional().describe(description)

type PerformanceCall = Call<z.output<z.ZodObject<typeof performanceQuery>>, unknown>

/** The view of a call: the last seven days by default. */
const performanceViewOf = async (call: PerformanceCall): Promise<PerformanceView> => ({
  ...(await viewOf(call, '7d')),
  against: call.query.against,
  withCut: call.query.cut === '1',
})

/** The selected part of the range of a view. Undefined: no part is selected. */
function partOf({ range }: PerformanceView, since: string | undefined, until: string | undefined) {
  if (since === undefined && until === undefined) return undefined
  const fromMs = Math.max(range.fromMs, since === undefined ? range.fromMs : Date.parse(since))
  return { fromMs, toMs: Math.max(fromMs, Math.min(range.toMs, until === undefined ? range.toMs : Date.parse(until))) }
}

const pageOf = (query: {
  query: string
  offset: number
  limit?: string | undefined
  per_page?: string | undefined
}) => ({
  text: query.query.trim(),
  max: limitOf(query, rowsDefault),
  offset: query.offset,
})

const nouns: Record<StatementKind, string> = {
  queries: 'Database statements',
  requests: 'Requests that services and pages send',
  assets: 'Assets of pages',
}
const operations: Record<StatementKind, string> = { queries: 'Queries', requests: 'Requests', assets: 'Assets' }

const statementRoutes = statementKinds.flatMap((kind): Route[] => [
  route({
    method: 'GET',
    path: `/organizations/:org/performance/${kind}`,
    operationId: `performance${operations[kind]}`,
    summary: `${nouns[kind]} with their total time, count, p95 and failures, weighted by the sample rate.`,
    action: 'event:read',
    query: z.object({
      ...performanceQuery,
      ...listQuery,
      sort: z.enum(statementOrders).default('total').describe('Total time, p95, count or failure rate.'),
    }),
    response: restStatements,
    handle: async (call) => ({
      body: await performanceStatements(call.app, await performanceViewOf(call), {
        kind,
        order: call.query.sort,
        ...pageOf(call.query),
      }),
    }),
  }),
  route({
    method: 'GET',
    path: `/organizations/:org/performance/${kind}/:statement`,
    operationId: `performance${operations[kind]}Callers`,
    summary: 'One of them with the routes that it runs in.',
    action: 'event:read',
    query: z.object(performanceQuery),
    response: restStatementCallers,
    handle: async (call) => ({
      body: await statementCallers(call.app, await performanceViewOf(call), kind, call.params.statement ?? ''),
    }),
  }),
])

export const performanceApiRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/performance',
    operationId: 'performanceRoutes',
    summary:
      'Routes with their volume, percentiles, failure rate, Apdex and web vitals score, weighted by the sample rate and compared with another range.',
    action: 'event:read',
    query: z.object({
      ...performanceQuery,
      ...listQuery,
      query: z
        .string()
        .max(4096)
        .default('')
        .describe('A search over routes, such as `orders requests:>1000 p95:>500ms`: see docs/performance.md.'),
      kind: z
        .enum(['all', 'jobs'])
        .default('all')
        .describe('jobs: only segments that are neither page loads, navigations, requests nor screens.'),
      sort: z
        .enum(routeOrders)
        .default('lost')
        .describe('Time above the target, p75, growth of the p75, failure rate or number of segments.'),
    }),
    response: restRoutes,
    handle: async (call) => ({
      body: await performanceRoutes(call.app, await performanceViewOf(call), {
        order: call.query.sort,
        jobs: call.query.kind === 'jobs',
        ...pageOf(call.query),
        // Not trimmed: the positions of mistakes are those of the sent text.
        text: call.query.query,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/performance/counts',
    operationId: 'performanceCounts',
    summary: 'Number of routes, jobs, statements of each kind, and segments.',
    action: 'event:read',
    query: z.object(performanceQuery),
    response: restPerformanceCounts,
    handle: async (call) => ({ body: await performanceCounts(call.app, await performanceViewOf(call)) }),
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/performance/routes/:route',
    operationId: 'performanceRoute',
    summary:
      'One route: distribution, trend with releases, traces, where the time goes, breakdowns, web vitals and issues.',
    action: 'event:read',
    query: z.object(performanceQuery),
    response: restRoutePage,
    handle: async (call) => ({
      body: await performanceRoute(call.app, await performanceViewOf(call), call.params.route ?? ''),
    }),
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/performance/routes/:route/why-slow',
    operationId: 'performanceWhySlow',
    summary:
      'Attributes and child spans that segments of a route with some durations, or of a part of the range, have more often than its others, by their lift.',
    action: 'event:read',
    query: z.object({
      ...performanceQuery,
      from: z.coerce.number().min(0).max(durationMsMax).describe('Shortest selected duration, ms.'),
      to: z.coerce
        .number()
        .min(0)
        .max(durationMsMax)
        .default(durationMsMax)
        .describe('Selected durations are shorter, ms.'),
      since: moment('Start of a selected part of the range, ISO 8601. With from=0 only this part is selected.'),
      until: moment('End of the selected part.'),
      key: z.string().max(200).optional().describe('The attribute of a value that the traces must have.'),
      value: z.string().max(1000).optional().describe('That value. Without `key`, all selected traces are listed.'),
    }),
    response: restWhySlow,
    handle: async (call) => {
      const { from, to, since, until, key, value } = call.query
      const view = await performanceViewOf(call)
      const durations = { fromMs: from, toMs: Math.max(from, to) }
      const id = call.params.route ?? ''
      const having = key === undefined || value === undefined ? undefined : { key, value }
      return { body: await whySlow(call.app, view, id, durations, partOf(view, since, until), having) }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/performance/vitals',
    operationId: 'performanceVitals',
    summary: 'Web vitals by route: p75, score, shares of good, meh and poor, and the element that caused each.',
    action: 'event:read',
    query: z.object({
      ...performanceQuery,
      ...listQuery,
      loads: z
        .enum(vitalLoads)
        .default('pageload')
        .describe('navigation: vitals of navigations without a page load, which count apart.'),
    }),
    response: restVitals,
    handle: async (call) => ({
      body: await performanceVitals(call.app, await performanceViewOf(call), {
        loads: call.query.loads,
        ...pageOf(call.query),
      }),
    }),
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/performance/navigation',
    operationId: 'performanceNavigation',
    summary:
      'Health of navigation by route: slow and failed route loads, hard navigations, unused prefetches, back and forward, failed hydration and skew.',
    action: 'event:read',
    query: z.object({
      ...performanceQuery,
      query: listQuery.query,
      release: z.string().max(250).default('').describe('Only route loads of this release.'),
    }),
    response: restNavigation,
    handle: async (call) => ({
      body: await performanceNavigation(call.app, await performanceViewOf(call), {
        release: call.query.release,
        text: call.query.query.trim(),
      }),
    }),
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/performance/navigation/releases',
    operationId: 'performanceNavigationReleases',
    summary: 'Health of navigation of one route by release, newest first.',
    action: 'event:read',
    query: z.object({ ...performanceQuery, route: z.string().max(1000).describe('Name of the route.') }),
    response: restNavigationReleases,
    handle: async (call) => ({
      body: await navigationByRelease(call.app, await performanceViewOf(call), call.query.route),
    }),
  }),
  ...statementRoutes,
]
