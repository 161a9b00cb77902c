import { z } from 'zod'
import { restDeadLetter, restDeadLetterContent } from '../../contract/dead-letters.ts'
import { restLoggedRequest, restRequestLog } from '../../contract/request-log.ts'
import {
  type RestJob,
  restIngestHealth,
  restJob,
  restLedger,
  restOrganizationStatus,
  restStatus,
  restUsage,
} from '../../contract/status.ts'
import { deleteDeadLetter } from '../../operations/dead-letters.ts'
import type { App } from '../../processes/parts.ts'
import type { Route } from '../route.ts'
import { organizationOf, projectOf, requestedProjects, route } from '../route.ts'
import { deadLetterOf, deadLettersOf, previewDeadLetter } from './dead-letters.ts'
import { ingestHealthOf } from './health.ts'
import { ledgerBreakdown, ledgerRanges } from './ledger.ts'
import { requestLogOf, unkeyedRequests } from './request-log.ts'
import { organizationStatusOf, statusOf } from './status.ts'
import { usageOf } from './usage.ts'

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** Returns the API form of all jobs. */
const jobsOf = (app: App): RestJob[] =>
  app.jobs().map((job) => ({
    name: job.name,
    everyMs: job.everyMs,
    running: job.runningSinceMs !== null,
    lastRun: iso(job.lastMs),
    durationMs: job.durationMs,
    result: job.result,
    error: job.error,
    failures: job.failures,
    nextRun: iso(job.nextMs),
  }))

const ledgerQuery = z.object({
  range: z
    .enum(ledgerRanges, { error: '1h, 24h, 30d or 13m.' })
    .default('24h')
    .describe('How far back: 1h, 24h (the default), 30d or 13m (all that is kept).'),
  project: z.array(z.string().max(200)).max(200).describe('Id or slug of a project, repeated; -1 or none: all.'),
  key: z.string().max(20).optional().describe('Id of a project key.'),
})

/** Status routes of the whole installation, for the operator. */
const instanceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/status',
    operationId: 'status',
    summary: 'State of the installation: lag, ledger, disk, dead letters, versions with known advisories.',
    action: 'instance:read',
    response: restStatus,
    handle: async ({ app }) => ({ body: await statusOf(app) }),
  }),
  route({
    method: 'GET',
    path: '/status/access',
    operationId: 'statusAccess',
    summary: 'Whether the caller may read the status, and so /metrics.',
    action: 'instance:read',
    status: 204,
    response: z.undefined(),
    handle: () => ({ body: undefined, status: 204 }),
  }),
  route({
    method: 'GET',
    path: '/status/jobs',
    operationId: 'listJobs',
    summary: 'Scheduled jobs: last run, result, duration, next run, failure.',
    action: 'instance:read',
    response: z.array(restJob),
    handle: ({ app }) => ({ body: jobsOf(app) }),
  }),
  route({
    method: 'GET',
    path: '/status/ingest',
    operationId: 'listStrangeRequests',
    summary: 'The newest ingest requests without a known key, newest first. In memory only.',
    action: 'instance:read',
    response: z.array(restLoggedRequest),
    handle: ({ app }) => ({ body: unkeyedRequests(app) }),
  }),
]

const O = '/organizations/:org'
const D = `${O}/dead-items`

/** Status routes: the ledger, the request log, dead letters and disk usage. */
export const statusRoutes: readonly Route[] = [
  ...instanceRoutes,
  route({
    method: 'GET',
    path: `${O}/status`,
    operationId: 'organizationStatus',
    summary: 'Outcomes of all items of an organization’s projects over 13 months, and dead letters.',
    action: 'status:read',
    response: restOrganizationStatus,
    handle: async ({ app, found }) => ({ body: await organizationStatusOf(app, organizationOf(found)) }),
  }),
  route({
    method: 'GET',
    path: `${O}/health`,
    operationId: 'ingestHealth',
    summary: 'Whether data arrives: events per minute, and what delays or refuses them.',
    action: 'status:read',
    response: restIngestHealth,
    handle: async ({ app, actor, found }) => ({
      body: await ingestHealthOf(app, await requestedProjects(app, actor, organizationOf(found), [])),
    }),
  }),
  route({
    method: 'GET',
    path: `${O}/ledger`,
    operationId: 'ledger',
    summary: 'Outcomes of items by project, key, category and reason, with advice.',
    action: 'status:read',
    query: ledgerQuery,
    response: restLedger,
    handle: async ({ app, actor, found, query }) => {
      const projects = await requestedProjects(app, actor, organizationOf(found), query.project)
      const all = query.project.every((projectId) => projectId === '' || projectId === '-1')
      const nobodys = all && (await app.auth.may(actor, 'instance:read', { instance: true })) === 'yes'
      return { body: await ledgerBreakdown(app, { range: query.range, projects, key: query.key, nobodys }) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/ingest',
    operationId: 'listRequests',
    summary: 'The last 100 requests of each key with the outcome of each item, newest first. In memory only.',
    action: 'project:read',
    query: z.object({ key: z.string().max(20).optional().describe('Id of a project key: only this key.') }),
    response: restRequestLog,
    handle: async ({ app, found, query }) => ({ body: await requestLogOf(app, projectOf(found), query.key) }),
  }),
  route({
    method: 'GET',
    path: `${O}/usage`,
    operationId: 'usage',
    summary: 'Disk usage by project and kind. For operators also the shared part.',
    action: 'status:read',
    response: restUsage,
    handle: async ({ app, actor, found }) => ({
      body: await usageOf(
        app,
        organizationOf(found),
        (await app.auth.may(actor, 'instance:read', { instance: true })) === 'yes',
      ),
    }),
  }),
  route({
    method: 'GET',
    path: D,
    operationId: 'listDeadItems',
    summary: 'Dead letters, newest first, at most 200. They could not be processed and are kept for 14 days.',
    action: 'status:read',
    response: z.array(restDeadLetter),
    handle: async ({ app, found }) => ({ body: await deadLettersOf(app, organizationOf(found)) }),
  }),
  route({
    method: 'GET',
    path: `${D}/:item`,
    operationId: 'deadItem',
    summary: 'A dead letter with the first 16 KiB of its record as received, not scrubbed.',
    action: 'organization:write',
    response: restDeadLetterContent,
    handle: async ({ app, found, params }) => {
      const organization = organizationOf(found)
      return { body: await previewDeadLetter(app, organization, await deadLetterOf(app, organization, params.item)) }
    },
  }),
  route({
    method: 'POST',
    path: `${D}/:item/again`,
    operationId: 'sendDeadItemAgain',
    summary: 'Processes a dead letter again. It leaves the list when its record is committed.',
    action: 'organization:write',
    status: 202,
    response: z.strictObject({}),
    handle: async ({ app, found, params }) => {
      await app.replayDeadLetter(await deadLetterOf(app, organizationOf(found), params.item))
      return { body: {}, status: 202 }
    },
  }),
  route({
    method: 'DELETE',
    path: `${D}/:item`,
    operationId: 'deleteDeadItem',
    summary: 'Deletes a dead letter and its record. The ledger counts it as deleted.',
    action: 'organization:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      await deleteDeadLetter(app, await deadLetterOf(app, organizationOf(found), params.item))
      return { body: undefined, status: 204 }
    },
  }),
]
