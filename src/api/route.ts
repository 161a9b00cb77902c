import { z } from 'zod'
import { readableIds, readableProjects } from '../auth/allowed-projects.ts'
import type { Action, Actor } from '../auth/auth.ts'
import { MishapError } from '../base/errors.ts'
import type { App } from '../processes/parts.ts'
import type { View } from '../query/issue.ts'
import { namedProjects } from '../query/named-projects.ts'
import { rangeOf } from '../query/range.ts'
import type { Scope } from '../store/events/events.ts'
import type { Issue, Organization, Project } from '../store/meta/meta.ts'

/** What a route works on; which of them its path names decides what the caller must be allowed to see. */
export type Found = { organization?: Organization; project?: Project; issue?: Issue }

/** One call that has passed the door: `query` and `body` have the route's shapes. */
export type Call<Query, Body> = {
  app: App
  actor: Actor
  found: Found
  params: Record<string, string>
  query: Query
  body: Body
  request: Request
}

/** An answer: JSON of `body` with 200 unless said otherwise, or a finished Response. */
export type Answer<Body> = { body: Body; status?: 200 | 201 | 202 | 204; headers?: Record<string, string> } | Response

/** One route of the API; routes.ts lists them all. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Under /api/0, with `:name` parts; answered with and without a slash at the end. */
  path: string
  operationId: string
  summary: string
  /** Asked of auth.demand with what the path names; `signed-in`: any actor; `session`: any person, but no token of theirs. */
  action: Action | 'signed-in' | 'session'
  query: z.ZodObject
  body: z.ZodType | undefined
  /** Longest JSON body; 0: the usual one (input.ts). */
  bodyBytesMax: number
  status: 200 | 201 | 202 | 204
  /** A content type where the answer is no JSON. */
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

/** Writes a route so that its handler sees the types of its query and body. */
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
    // the dispatcher has read query and body with these very schemas
    handle: async (call) => written.handle(call as Call<z.output<Query>, z.output<Body>>),
  }
}

// ---- parameters that several routes take

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

/** Rows of a page: 1 to 100. Throws VALIDATION for anything that is no number. */
export function limitOf(
  query: { limit?: string | undefined; per_page?: string | undefined },
  ordinary: number,
): number {
  const given = query.limit ?? query.per_page
  if (given === undefined || given === '') return ordinary
  if (!/^\d{1,6}$/.test(given) || Number(given) === 0)
    throw new MishapError('VALIDATION', { fields: { limit: ['A number from 1 to 100.'] } })
  return Math.min(Number(given), 100)
}

// ---- what a call works on

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

/** Ids of all projects that the caller may read in the organization that the path names. */
export function readableIdsOf({
  app,
  actor,
  found,
}: Pick<Call<unknown, unknown>, 'app' | 'actor' | 'found'>): number[] {
  return readableIds(app, actor, organizationOf(found))
}

/** The asked projects (id or slug; none or -1: all readable ones). Throws NOT_FOUND for one that is not there for the caller. */
export function askedProjects(app: App, actor: Actor, organization: Organization, asked: string[]): Project[] {
  const readable = readableProjects(app, actor, organization)
  const named = asked.flatMap((item) => item.split(',')).filter((item) => item !== '')
  if (named.length === 0 || named.includes('-1')) return readable
  const projects = namedProjects(app.meta, organization.id, readable, named)
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

/** The view that a query asks for; within one project or issue when the path names it. */
export function viewOf(
  call: { app: App; actor: Actor; found: Found; query: ViewQuery },
  ordinaryPeriod?: string,
): View {
  const { app, actor, found, query } = call
  const organization = organizationOf(found)
  const projects = found.project ? [found.project] : askedProjects(app, actor, organization, query.project ?? [])
  const asked = query.statsPeriod || query.start || query.end ? query : { statsPeriod: ordinaryPeriod }
  return {
    organization,
    projects,
    environments: (query.environment ?? []).filter((item) => item !== ''),
    range: rangeOf(asked, app.clock.now()),
    meUserId: actor.person.id,
  }
}

/** The rows of a view in the events store. */
export function scopeOf(view: View): Scope {
  return {
    projectIds: view.projects.map((project) => project.id),
    environments: view.environments,
    fromMs: view.range.fromMs,
    toMs: view.range.toMs,
  }
}
