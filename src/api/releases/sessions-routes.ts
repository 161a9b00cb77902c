import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { restReleaseHealth, restSessions } from '../../contract/release-health.ts'
import { rangeOf } from '../../query/range.ts'
import { releaseHealth } from '../../query/release-health.ts'
import {
  groupsMax,
  intervalOf,
  type SessionField,
  type SessionGrouping,
  sessionFields,
  sessionGroupings,
  sessionsAnswer,
} from '../../query/release-sessions.ts'
import type { Call, Route } from '../route.ts'
import { organizationOf, rangeQuery, route, viewQuery } from '../route.ts'
import { releaseProjects } from './release-projects.ts'
import { releaseOfCall } from './release-routes.ts'

const names = (description: string) => z.array(z.string().max(100)).max(30).describe(description)

const sessionsQuery = z.object({
  field: names(`What to count, repeated: ${sessionFields.join(', ')}.`),
  groupBy: names(`Repeated: ${sessionGroupings.join(', ')}.`),
  interval: z.string().max(10).optional().describe('Length of an interval: 1h (the default), 15m, 1d.'),
  query: z.string().max(4096).optional().describe('Conditions on release, environment and project.'),
  ...rangeQuery,
  project: viewQuery.project,
  environment: viewQuery.environment,
  includeTotals: z.enum(['0', '1']).optional().describe('0: no totals.'),
  includeSeries: z.enum(['0', '1']).optional().describe('0: no series.'),
  per_page: z.string().max(10).optional().describe(`Groups at most, 1 to ${groupsMax}.`),
})

/** Returns the valid names without duplicates. Throws VALIDATION for unknown names. */
function chosen<Name extends string>(field: string, requested: readonly string[], choices: readonly Name[]): Name[] {
  return [...new Set(requested.filter((name) => name !== ''))].map((name) => {
    const found = choices.find((choice) => choice === name)
    if (!found) throw new MishapError('VALIDATION', { fields: { [field]: [`One of ${choices.join(', ')}.`] } })
    return found
  })
}

function fieldsOf(requested: readonly string[]): SessionField[] {
  const found = chosen('field', requested, sessionFields)
  if (found.length === 0) throw new MishapError('VALIDATION', { fields: { field: ['At least one field.'] } })
  return found
}

function maxOf(text: string | undefined): number {
  if (text === undefined || text === '') return groupsMax
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1)
    throw new MishapError('VALIDATION', { fields: { per_page: [`A number from 1 to ${groupsMax}.`] } })
  return Math.min(Number(text), groupsMax)
}

async function sessions(call: Call<z.output<typeof sessionsQuery>, undefined>) {
  const { app, query } = call
  const range = rangeOf(query, app.clock.now())
  const groupBy: SessionGrouping[] = chosen('groupBy', query.groupBy, sessionGroupings)
  const answer = await sessionsAnswer(app, {
    projects: await releaseProjects(call, 'release:read', query.project),
    environments: query.environment.filter((name) => name !== ''),
    query: query.query ?? '',
    fields: fieldsOf(query.field),
    groupBy,
    range,
    intervalMs: intervalOf(query.interval, range),
    withTotals: query.includeTotals !== '0',
    withSeries: query.includeSeries !== '0',
    max: maxOf(query.per_page),
  })
  return { body: answer }
}

const healthRoute = (path: string, name: string): Route =>
  route({
    method: 'GET',
    path: `${path}/:version/health`,
    operationId: `get${name}ReleaseHealth`,
    summary:
      'Crash-free sessions and users of a release over 90 days with 95% intervals, its adoption, and the change from the previous release at equal adoption. Null: no sessions.',
    action: 'release:read',
    query: z.object({ environment: viewQuery.environment }),
    response: restReleaseHealth,
    handle: async (call) => {
      const { release, projects } = await releaseOfCall(call)
      const environments = call.query.environment.filter((environment) => environment !== '')
      const found = await releaseHealth(call.app, { projects, environments, version: release.version })
      return { body: found ? { ...found, change: found.change ?? null } : null }
    },
  })

/** Release-health sessions: counts, and the health of releases. */
export const sessionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/sessions',
    operationId: 'querySessions',
    summary: 'Counts, rates and durations of release-health sessions by project, release, environment and status.',
    action: 'release:read',
    query: sessionsQuery,
    response: restSessions,
    handle: (call) => {
      organizationOf(call.found)
      return sessions(call)
    },
  }),
  healthRoute('/organizations/:org/releases', ''),
  healthRoute('/projects/:org/:project/releases', 'Project'),
]
