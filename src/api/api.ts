import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Actor, Thing } from '../auth/auth.ts'
import { errorBody, MishapError, senderLeft } from '../base/errors.ts'
import { faultOf } from '../base/observe.ts'
import type { App } from '../processes/parts.ts'
import type { Issue } from '../store/meta/meta.ts'
import { bodyBytesMax, readBody, readQuery } from './input.ts'
import { answerUnsubscribe, unsubscribePath } from './people/personal-routes.ts'
import type { Found, Route } from './route.ts'
import { routes } from './routes.ts'
import { receiveSlackClick } from './slack.ts'
import { answerHook, hookPath } from './trackers/hook-route.ts'

/** Answers /api/0/** and /api/auth/**. The app process calls `owns` first and passes other requests to the screens. */
type Api = { handle(req: IncomingMessage, res: ServerResponse): void; owns(path: string): boolean }

const prefix = '/api/0'
const addressOf = (path: string) => `${prefix}${path === '/' ? '' : path}`

/** Creates the API for the app process. */
export function createApi(app: App): Api {
  const hono = createRoutes(app)
  const listener = getRequestListener((request) => hono.fetch(request), { overrideGlobalObjects: false })
  return {
    owns: (path) => {
      const plain = path.split('?', 1)[0] ?? ''
      return plain === prefix || plain.startsWith(`${prefix}/`) || plain.startsWith('/api/auth/')
    },
    handle: (req, res) => void listener(req, res),
  }
}

/** Creates the API as a function of a Request, without a listener. */
export function createRoutes(app: App): Hono {
  // strict: false accepts paths with and without a trailing slash, because redirecting a POST breaks clients.
  const hono = new Hono({ strict: false })
  hono.all('/api/auth/*', (context) => app.auth.handle(context.req.raw))
  hono.all(unsubscribePath, (context) => answerUnsubscribe(app, context.req.raw))
  hono.post(`${prefix}/hooks/slack/:org`, ({ req }) => receiveSlackClick(app, req.param('org'), req.raw))
  for (const route of routes) hono.on(route.method, addressOf(route.path), (context) => run(app, route, context))
  hono.post(addressOf(hookPath), (context) => answerHook(app, context.req.param('integration') ?? '', context.req.raw))
  const paths = new Map<string, string[]>()
  for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route.method])
  for (const [path, methods] of paths)
    hono.all(addressOf(path), () => failure(app, new MishapError('METHOD_NOT_ALLOWED'), { allow: methods.join(', ') }))
  hono.notFound(() => failure(app, new MishapError('NOT_FOUND')))
  hono.onError((error, context) => (hasLeft(error, context) ? removedAnswer(app) : failure(app, error)))
  return hono
}

async function run(app: App, route: Route, context: Context): Promise<Response> {
  const request = context.req.raw
  const actor = await app.auth.actorOf(request.headers)
  if (!actor) throw new MishapError('AUTH_REQUIRED')
  const params = context.req.param() as Record<string, string>
  const found = await find(app, actor, route, params)
  if ('moved' in found) return redirectMoved(app.config.basePath, route, params, found.moved, request)
  const query = readQuery(route.query, new URL(request.url).searchParams)
  const body = route.body ? await readBody(route.body, request, route.bodyBytesMax || bodyBytesMax) : undefined
  const answer = await route.handle({ app, actor, found, params, query, body, request })
  if (answer instanceof Response) return request.method === 'HEAD' ? withoutBody(answer) : answer
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...answer.headers,
  }
  const status = answer.status ?? route.status
  return status === 204
    ? new Response(null, { status, headers: { 'cache-control': 'no-store' } })
    : new Response(JSON.stringify(answer.body), { status, headers })
}

/** Returns an answer to HEAD. Cancels the body, so that its producer stops. */
async function withoutBody(answer: Response): Promise<Response> {
  await answer.body?.cancel()
  return new Response(null, answer)
}

/** Returns the objects in the path that the actor can access. Throws NOT_FOUND, AUTH_FORBIDDEN, AUTH_TOKEN_SCOPE. */
async function find(
  app: App,
  actor: Actor,
  route: Route,
  params: Record<string, string>,
): Promise<Found | { moved: Moved }> {
  const { meta } = app
  const found: Found = {}
  const missing = new MishapError('NOT_FOUND')
  if (params.org !== undefined) {
    const organization = await meta.organizations.organizationBySlug(params.org)
    if (!organization) {
      const renamed = await meta.organizations.organizationByOldSlug(params.org)
      if (!renamed || (await app.auth.may(actor, 'organization:read', { organization: renamed })) === 'hidden')
        throw missing
      return { moved: { org: renamed.slug } }
    }
    found.organization = organization
  }
  if (params.project !== undefined && found.organization) {
    const project = await meta.projects.projectBySlug(found.organization.id, params.project)
    if (!project) {
      const renamedProject = await meta.projects.projectByOldSlug(found.organization.id, params.project)
      const thing = renamedProject && { organization: found.organization, project: renamedProject }
      if (thing && (await app.auth.may(actor, 'project:read', thing)) !== 'hidden')
        return { moved: { project: thing.project.slug } }
      throw missing
    }
    found.project = project
  }
  if (params.issue !== undefined) {
    const issue = await issueNamed(app, actor, found, params.issue)
    const organization =
      issue && (found.organization ?? (await meta.organizations.organizationById(issue.organizationId)))
    const project = issue && (await meta.projects.projectById(issue.projectId))
    if (!issue || !organization || !project || issue.organizationId !== organization.id) throw missing
    Object.assign(found, { issue, organization, project })
  }
  // Who sees nothing of an organization learns nothing of it, also not that it is there.
  if (route.action === 'session' && found.organization)
    await app.auth.demand(actor, 'organization:read', thingOf(found))
  if (route.action === 'session' && actor.kind === 'token')
    throw new MishapError('AUTH_TOKEN_SCOPE', { detail: 'Only a login session may do this, not a token.' })
  if (route.action !== 'signed-in' && route.action !== 'session')
    await app.auth.demand(actor, route.action, thingOf(found))
  return found
}

/**
 * Finds an issue by its number or short id, as in our page addresses. Without an organization in the path, a short id
 * must be unique among the organizations of the actor.
 */
async function issueNamed({ meta }: App, actor: Actor, found: Found, name: string): Promise<Issue | undefined> {
  if (/^\d{1,15}$/.test(name)) return meta.issues.issueById(Number(name))
  const bound = actor.kind === 'token' ? actor.organizationId : null
  const mine = async () =>
    (await meta.organizations.organizationsOf(actor.person.id)).filter(({ id }) => bound === null || id === bound)
  const among = found.organization ? [found.organization] : await mine()
  const candidates = await Promise.all(among.map(({ id }) => meta.issues.issueByShortId(id, name.toUpperCase())))
  const named = candidates.filter((issue) => issue !== undefined)
  return named.length === 1 ? named[0] : undefined
}

function thingOf(found: Found): Thing {
  const { organization, project, issue } = found
  if (!organization) return { instance: true }
  if (!project) return { organization }
  return issue ? { organization, project, issue } : { organization, project }
}

/** The part of a path whose slug has changed. */
type Moved = { org: string } | { project: string }

/** Redirects from an old slug. Writes keep their method and body: 302 would turn them into a GET. */
function redirectMoved(
  basePath: string,
  route: Route,
  params: Record<string, string>,
  to: Moved,
  request: Request,
): Response {
  const named: Record<string, string> = { ...params, ...to }
  const [slug = ''] = Object.values(to)
  const path = route.path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(named[name] ?? ''))
  const url = `${basePath}${addressOf(path)}/${new URL(request.url).search}`
  const detail = { code: 'resource-moved', message: 'Resource has been moved', extra: { url, slug } }
  return Response.json(
    { slug, detail },
    { status: request.method === 'GET' ? 302 : 307, headers: { location: url, 'cache-control': 'no-store' } },
  )
}

const hasLeft = (error: unknown, { req }: Context): boolean =>
  !(error instanceof MishapError) && (senderLeft(error) || req.raw.signal.aborted)

/** Answer for a client that has disconnected. */
function removedAnswer(app: App): Response {
  app.observe.debug({}, 'the client of an API call disconnected')
  return new Response(null, { status: 499, statusText: 'Sender left' })
}

/** Returns the answer for an error. Unexpected errors are a 500 with an id that is also in the log. */
function failure(app: App, error: unknown, more: Record<string, string> = {}): Response {
  const headers: Record<string, string> = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...more }
  if (error instanceof MishapError && error.code !== 'INTERNAL') {
    if (error.retryAfterS !== undefined) headers['retry-after'] = String(Math.ceil(error.retryAfterS))
    const body = error.code === 'CONFLICT' ? { ...errorBody(error), ...error.fields } : error.fields
    return Response.json(body ?? errorBody(error), { status: error.status, headers })
  }
  const requestId = app.requestId() ?? crypto.randomUUID()
  app.observe.error({ requestId, error: faultOf(error) }, 'an API call failed')
  const reported = new MishapError('INTERNAL', { causes: [`request ${requestId}`] })
  return Response.json(errorBody(reported), { status: 500, headers: { ...headers, 'x-request-id': requestId } })
}
