import { z } from 'zod'
import { readableIds, readableProjects } from '../auth/allowed-projects.ts'
import type { Action, Actor } from '../auth/auth.ts'
import { MishapError } from '../base/errors.ts'
import type { App } from '../processes/parts.ts'
import type { View } from '../query/issues/issue.ts'
import { namedProjects } from '../query/named-projects.ts'
import { rangeOf } from '../query/range.ts'
import { defaultProjects } from '../query/self-project.ts'
import type { Scope } from '../store/events/events.ts'
import type { Issue, Organization, Project } from '../store/meta/meta.ts'

/** The objects that the path of a route names. They determine the required permissions. */
export type Found = { organization?: Organization; project?: Project; issue?: Issue }

/** One authorized call. `query` and `body` have the types of the route. */
export type Call<Query, Body> = {
  app: App
  actor: Actor
  found: Found
  params: Record<string, string>
  query: Query
  body: Body
  request: Request
}

/** An answer: JSON of `body`, with status 200 by default, or a finished Response. */
export type Answer<Body> = { body: Body; status?: 200 | 201 | 202 | 204; headers?: Record<string, string> } | Response

/** One route of the API. routes.ts lists all routes. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Under /api/0, with `:name` parts. Answered with and without a trailing slash. */
  path: string
  operationId: string
  summary: string
  /** Checked by auth.demand for the objects of the path. `signed-in`: any actor. `session`: a person, but no token. */
  action: Action | 'signed-in' | 'session'
  query: z.ZodObject
  body: z.ZodType | undefined
  /** Maximum JSON body; 0: the default (input.ts). */
  bodyBytesMax: number
  status: 200 | 201 | 202 | 204
  /** Content type if the answer is not JSON. */
  produces: string | undefined
  response: z.ZodType
  handle(call: Call<unknown, unknown>): Promise<Answer<unknown>>
}

type Written<Query extends z.ZodObject, Body extends z.ZodType, Response extends z.ZodType> = {
  method: Route['method']
  path: string
  operationId: string
  summary: string
  action: Route['action']
  query?: Query
  body?: Body
  bodyBytesMax?: number
  status?: Route['status']
  produces?: string
  response: Response
  handle(call: Call<z.output<Query>, z.output<Body>>): Promise<Answer<z.input<Response>>> | Answer<z.input<Response>>
}

const noQuery = z.object({})

/** Creates a route whose handler has the types of its query and body. */
export function route<
  Query extends z.ZodObject = typeof noQuery,
  Body extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodType,
>(written: Written<Query, Body, Response>): Route {
  return {
    method: written.method,
    path: written.path,
    operationId: written.operationId,
    summary: written.summary,
    action: written.action,
    query: written.query ?? noQuery,
    body: written.body,
    bodyBytesMax: written.bodyBytesMax ?? 0,
    status: written.status ?? 200,
    produces: written.produces,
    response: written.response,
    // The dispatcher has parsed query and body with these schemas.
    handle: async (call) => written.handle(call as Call<z.output<Query>, z.output<Body>>),
  }
}

// ---- parameters of several routes

const text = (description: string) => z.string().max(5000).optional().describe(description)
const list = (description: string) => z.array(z.string().max(200)).max(200).describe(description)

export const rangeQuery = {
  statsPeriod: text('Length of the range up to now: 24h, 14d (the default), 90d.'),
  start: text('Start of the range, ISO 8601; together with end.'),
  end: text('End of the range, ISO 8601.'),
}
export const viewQuery = {
  ...rangeQuery,
  project: list('Id or slug of a project, repeated; -1 or none: all.'),
  environment: list('Environment, repeated; none: all.'),
}
export const pageQuery = {
  cursor: text('Cursor from a Link header.'),
  limit: text('Rows of a page, 1 to 100.'),
  per_page: text('The same as limit.'),
}

/** Returns the rows per page: 1 to 100. Throws VALIDATION for other values. */
export function limitOf(
  query: { limit?: string | undefined; per_page?: string | undefined },
  ordinary: number,
): number {
  const requested = query.limit ?? query.per_page
  if (requested === undefined || requested === '') return ordinary
  if (!/^\d{1,6}$/.test(requested) || Number(requested) === 0)
    throw new MishapError('VALIDATION', { fields: { limit: ['A number from 1 to 100.'] } })
  return Math.min(Number(requested), 100)
}

/**
 * Returns the id in a path; 0, which no row has, for everything else. `Number` alone would take `1e0` for 1, and the
 * database would fail on a fraction.
 */
export const idOf = (text: string | undefined): number => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : 0)

// ---- objects of a call

export function organizationOf(found: Found): Organization {
  if (!found.organization) throw new MishapError('NOT_FOUND')
  return found.organization
}
export function projectOf(found: Found): Project {
  if (!found.project) throw new MishapError('NOT_FOUND')
  return found.project
}
export function issueOf(found: Found): Issue {
  if (!found.issue) throw new MishapError('NOT_FOUND')
  return found.issue
}

/** Returns ids of all readable projects in the organization of the path. */
export async function readableIdsOf({
  app,
  actor,
  found,
}: Pick<Call<unknown, unknown>, 'app' | 'actor' | 'found'>): Promise<number[]> {
  return readableIds(app, actor, organizationOf(found))
}

/**
 * Returns the requested projects (id or slug; -1: all readable; none: all readable but Mishap's own). Throws NOT_FOUND
 * for invisible ones.
 */
export async function requestedProjects(
  app: App,
  actor: Actor,
  organization: Organization,
  requested: string[],
): Promise<Project[]> {
  const readable = await readableProjects(app, actor, organization)
  const named = requested.flatMap((name) => name.split(',')).filter((name) => name !== '')
  if (named.length === 0) return defaultProjects(app.meta, organization.id, readable)
  if (named.includes('-1')) return readable
  const projects = await namedProjects(app.meta, organization.id, readable, named)
  if (!projects) throw new MishapError('NOT_FOUND')
  return projects
}

type ViewQuery = {
  statsPeriod?: string | undefined
  start?: string | undefined
  end?: string | undefined
  project?: string[]
  environment?: string[]
}

/** Returns the view of a query. A project or issue in the path limits it. */
export async function viewOf(
  call: { app: App; actor: Actor; found: Found; query: ViewQuery },
  ordinaryPeriod?: string,
): Promise<View> {
  const { app, actor, found, query } = call
  const organization = organizationOf(found)
  const projects = found.project
    ? [found.project]
    : await requestedProjects(app, actor, organization, query.project ?? [])
  const range = query.statsPeriod || query.start || query.end ? query : { statsPeriod: ordinaryPeriod }
  return {
    organization,
    projects,
    environments: (query.environment ?? []).filter((environment) => environment !== ''),
    range: rangeOf(range, app.clock.now()),
    meUserId: actor.person.id,
    readableIds: await readableIds(app, actor, organization),
  }
}

/** Returns the scope of a view in the events store. */
export function scopeOf(view: View): Scope {
  return {
    projectIds: view.projects.map((project) => project.id),
    environments: view.environments,
    fromMs: view.range.fromMs,
    toMs: view.range.toMs,
  }
}
