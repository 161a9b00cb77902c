import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { filterAsync } from '../../base/sequence.ts'
import { restCommit, restCommitFile, restCommitters } from '../../contract/commits.ts'
import { type DeployBody, deployBody, restAnnotations, restDeploy, restRelease } from '../../contract/releases.ts'
import { restSkew } from '../../contract/skew.ts'
import { createDeploy } from '../../operations/releases.ts'
import { pageByOffset, readCursor } from '../../query/cursor.ts'
import { eventById, positionEvent } from '../../query/events.ts'
import { releaseSkew } from '../../query/issues/skew.ts'
import { committersOf } from '../../query/issues/suspects.ts'
import {
  commitFiles,
  previousWithCommits,
  releaseAnnotations,
  releaseCommits,
  releaseDeploys,
  toRestDeploy,
} from '../../query/releases.ts'
import type { Project } from '../../store/meta/meta.ts'
import { pageHeaders } from '../page.ts'
import type { Call, Route } from '../route.ts'
import { limitOf, organizationOf, pageQuery, projectOf, rangeQuery, route, viewOf, viewQuery } from '../route.ts'
import { namedProjects, releaseProjects } from './release-projects.ts'
import { releaseOfCall } from './release-routes.ts'

const listQuery = z.object(pageQuery)
const annotationCountMax = 1_000

type Where = Parameters<typeof releaseCommits>[1]
type Reader<Row> = (app: Call<unknown, unknown>['app'], part: Where) => Promise<{ rows: Row[]; more: boolean }>

/** Returns one page of objects of the release of the path. */
async function pageOf<Row>(call: Call<z.output<typeof listQuery>, unknown>, read: Reader<Row>) {
  const { app, query, request, found } = call
  const { release, projects } = await releaseOfCall(call)
  const limit = limitOf(query, 100)
  const { offset } = readCursor(query.cursor)
  const part = { organization: organizationOf(found), projects, version: release.version, offset, max: limit }
  const { rows, more } = await read(app, part)
  return { body: rows, headers: pageHeaders(app.config.url, request.url, pageByOffset(rows, offset, limit, more)) }
}

/** Returns the projects of a deploy. Throws VALIDATION for a project without the release. */
async function deployedProjects(call: Call<unknown, DeployBody>, projects: Project[]): Promise<Project[]> {
  const named = call.body.projects ?? []
  if (call.found.project || named.length === 0) return projects
  const requested = await namedProjects(call, 'release:write', named)
  const unrelated = requested.find((project) => !projects.some(({ id }) => id === project.id))
  if (unrelated)
    throw new MishapError('VALIDATION', { fields: { projects: [`The release is not one of ${unrelated.slug}.`] } })
  return requested
}

/** Returns projects of the release whose events the caller can read. Build tokens can only read releases. */
const mayReadEvents = async (
  { app, actor, found }: Call<unknown, unknown>,
  projects: Project[],
): Promise<Project[]> => {
  const organization = organizationOf(found)
  return filterAsync(
    projects,
    async (project) => (await app.auth.may(actor, 'event:read', { organization, project })) === 'yes',
  )
}

async function addDeploy(call: Call<unknown, DeployBody>) {
  const { app, body, found } = call
  const { release, projects } = await releaseOfCall(call, 'release:write')
  const about = await deployedProjects(call, projects)
  const startedMs = body.dateStarted ?? null
  const finishedMs = body.dateFinished ?? app.clock.now()
  if (startedMs !== null && startedMs > finishedMs)
    throw new MishapError('VALIDATION', { fields: { dateStarted: ['A deploy must start before it finishes.'] } })
  const deploy = await createDeploy(app, {
    organizationId: organizationOf(found).id,
    version: release.version,
    environment: body.environment,
    name: body.name ?? '',
    url: body.url ?? '',
    startedMs,
    finishedMs,
    projectIds: about.map((project) => project.id),
  })
  return { body: toRestDeploy(deploy, about) }
}

const skewRoute = (path: string, name: string): Route =>
  route({
    method: 'GET',
    path: `${path}/:version/skew`,
    operationId: `${name === '' ? 'release' : 'projectRelease'}Skew`,
    summary: 'Errors of old tabs in the two days after the last deploy of a release to each environment.',
    action: 'release:read',
    response: z.array(restSkew),
    handle: async (call) => {
      const { release, projects } = await releaseOfCall(call)
      const readable = await mayReadEvents(call, projects)
      return {
        body: await releaseSkew(call.app, { organization: organizationOf(call.found), projects: readable, release }),
      }
    },
  })

function routesUnder(path: string, name: string): Route[] {
  return [
    route({
      method: 'GET',
      path: `${path}/:version/commits`,
      operationId: `list${name}ReleaseCommits`,
      summary: 'Commits of a release, newest first.',
      action: 'release:read',
      query: listQuery,
      response: z.array(restCommit),
      handle: (call) => pageOf(call, releaseCommits),
    }),
    route({
      method: 'GET',
      path: `${path}/:version/commitfiles`,
      operationId: `list${name}ReleaseCommitFiles`,
      summary: 'Files that the commits of a release changed, in the order of the commits.',
      action: 'release:read',
      query: z.object({ ...pageQuery, commit: z.string().max(64).optional().describe('Of this commit only.') }),
      response: z.array(restCommitFile),
      handle: (call) => pageOf(call, (app, part) => commitFiles(app, { ...part, commit: call.query.commit })),
    }),
    route({
      method: 'GET',
      path: `${path}/:version/previous-with-commits`,
      operationId: `previous${name}ReleaseWithCommits`,
      summary: 'The previous release with commits, in one of its projects. {} if there is none.',
      action: 'release:read',
      response: z.union([restRelease, z.strictObject({})]),
      handle: async (call) => {
        const { release, projects } = await releaseOfCall(call)
        const where = { organization: organizationOf(call.found), projects, version: release.version }
        return { body: (await previousWithCommits(call.app, where)) ?? {} }
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:version/deploys`,
      operationId: `list${name}Deploys`,
      summary: 'Deploys of a release, newest first.',
      action: 'release:read',
      query: listQuery,
      response: z.array(restDeploy),
      handle: (call) => pageOf(call, releaseDeploys),
    }),
    skewRoute(path, name),
    route({
      method: 'POST',
      path: `${path}/:version/deploys`,
      operationId: `create${name}Deploy`,
      summary: 'Reports the deploy of a release to an environment. dateFinished defaults to now.',
      action: 'release:write',
      body: deployBody,
      status: 201,
      response: restDeploy,
      handle: addDeploy,
    }),
  ]
}

const annotationsQuery = z.object({
  ...rangeQuery,
  project: viewQuery.project,
  environment: viewQuery.environment,
  limit: pageQuery.limit,
})

async function annotations(call: Call<z.output<typeof annotationsQuery>, undefined>) {
  const { app, query, found } = call
  // Releases have separate permissions, so the view has no projects here.
  const { range, environments } = await viewOf({ ...call, query: { ...query, project: [] } })
  const max = query.limit === undefined ? undefined : Number(query.limit)
  if (max !== undefined && !(Number.isInteger(max) && max >= 1 && max <= annotationCountMax))
    throw new MishapError('VALIDATION', { fields: { limit: [`A number from 1 to ${annotationCountMax}.`] } })
  return {
    body: await releaseAnnotations(app, {
      organization: organizationOf(found),
      projects: await releaseProjects(call, 'release:read', query.project),
      environments,
      fromMs: range.fromMs,
      toMs: range.toMs,
      ...(max === undefined ? {} : { max }),
    }),
  }
}

/** Commits, deploys and chart marks of releases, and suspect commits of an issue. */
export const releasePartRoutes: readonly Route[] = [
  ...routesUnder('/organizations/:org/releases', ''),
  ...routesUnder('/projects/:org/:project/releases', 'Project'),
  route({
    method: 'GET',
    path: '/organizations/:org/release-marks',
    operationId: 'listReleaseMarks',
    summary: 'Chart marks of a range: the newest first events of releases and deploys, in chronological order.',
    action: 'release:read',
    query: annotationsQuery,
    response: restAnnotations,
    handle: annotations,
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/events/:event/committers',
    operationId: 'listCommitters',
    summary: 'Commits that may have caused the issue of an event, the most suspect first, with the reason.',
    action: 'event:read',
    response: restCommitters,
    handle: async ({ app, found, params }) => {
      const project = projectOf(found)
      const seenEvent = await eventById(app, [project.id], params.event ?? '')
      if (!seenEvent) throw new MishapError('NOT_FOUND')
      const event = await positionEvent(app, seenEvent.issue, seenEvent.row)
      return {
        body: await committersOf(app, { organization: organizationOf(found), project, issue: seenEvent.issue, event }),
      }
    },
  }),
]
