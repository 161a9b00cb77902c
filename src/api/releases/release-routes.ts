import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { restReleaseWithHealth } from '../../contract/release-health.ts'
import {
  type NewReleaseBody,
  newReleaseBody,
  type ReleaseChangeBody,
  type RestRelease,
  releaseChangeBody,
  restRelease,
} from '../../contract/releases.ts'
import { createRelease, deleteRelease, setReleaseCommits, updateRelease } from '../../operations/releases.ts'
import { pageByOffset, readCursor } from '../../query/cursor.ts'
import { listReleases, toRestReleases } from '../../query/releases.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { Release, ReleaseChange } from '../../store/meta/releases/releases.ts'
import { pageHeaders } from '../page.ts'
import type { Call, Route } from '../route.ts'
import { limitOf, organizationOf, pageQuery, rangeQuery, route, viewOf, viewQuery } from '../route.ts'
import { healthQuery, withHealth } from './health-fields.ts'
import { commitBodyBytesMax, commitsOf, refsOf } from './release-input.ts'
import { namedProjects, releaseProjects } from './release-projects.ts'

const changeOf = ({ ref, url, dateReleased, status }: ReleaseChangeBody): ReleaseChange => ({
  ...(dateReleased === undefined ? {} : { releasedMs: dateReleased }),
  ...(url === undefined ? {} : { url: url ?? '' }),
  ...(ref === undefined ? {} : { ref: ref ?? '' }),
  ...(status ? { archived: status === 'archived' } : {}),
})

/** Returns the API form of a release, limited to these projects. */
async function toRestRelease(
  call: Call<unknown, unknown>,
  release: Release,
  projects: readonly Project[],
): Promise<RestRelease> {
  const [restRelease] = await toRestReleases(call.app, { organization: organizationOf(call.found), projects }, [
    release,
  ])
  if (!restRelease) throw new MishapError('NOT_FOUND')
  return restRelease
}

const listQuery = z.object({
  query: z.string().max(250).optional().describe('A part of the version.'),
  project: viewQuery.project,
  environment: viewQuery.environment,
  ...rangeQuery,
  status: z.enum(['open', 'archived'], 'open or archived.').optional().describe('Default: both.'),
  sort: z.enum(['date', 'semver']).optional().describe('date (creation, the default) or semver.'),
  ...healthQuery,
  ...pageQuery,
})

async function list(call: Call<z.output<typeof listQuery>, undefined>) {
  const { app, query, request, found } = call
  const limit = limitOf(query, 100)
  const { offset } = readCursor(query.cursor)
  const isRanged = query.statsPeriod || query.start || query.end
  const range = isRanged ? (await viewOf({ ...call, query: { ...query, project: [] } })).range : undefined
  const projects = await releaseProjects(call, 'release:read', query.project)
  const { rows, more, hits } = await listReleases(app, {
    organization: organizationOf(found),
    projects,
    environments: query.environment.filter((environment) => environment !== ''),
    text: query.query ?? '',
    sort: query.sort ?? 'date',
    offset,
    max: limit,
    status: query.status,
    fromMs: range?.fromMs,
    toMs: range?.toMs,
  })
  const page = pageByOffset(rows, offset, limit, more, hits)
  return {
    body: await withHealth(call, query, projects, page.rows),
    headers: pageHeaders(app.config.url, request.url, page),
  }
}

/** Returns the visible release of the path and its projects with permission for `action`. Throws NOT_FOUND. */
export async function releaseOfCall(
  call: Call<unknown, unknown>,
  action: 'release:read' | 'release:write' = 'release:read',
): Promise<{ release: Release; projects: Project[] }> {
  const projects = await releaseProjects(call, action)
  const release = await call.app.meta.releases.releaseOf(
    projects.map((project) => project.id),
    call.params.version ?? '',
  )
  if (!release) throw new MishapError('NOT_FOUND')
  return { release, projects: projects.filter((project) => release.projectIds.includes(project.id)) }
}

/** Writes commits and refs of a body. Resolves fixed issues in all projects where the caller can change releases. */
async function setCommits(
  call: Call<unknown, ReleaseChangeBody>,
  version: string,
  projectIds: readonly number[],
): Promise<void> {
  const { app, body, found } = call
  const organization = organizationOf(found)
  const commits = body.commits ? commitsOf(body.commits, app.clock.now()) : undefined
  const refs = body.refs ? refsOf(body.refs) : undefined
  const fixable = await releaseProjects({ ...call, found: { organization } }, 'release:write')
  await setReleaseCommits(app, { organizationId: organization.id, version }, { commits, refs }, { projectIds, fixable })
}

/** Returns the projects of a body. With only a status (sentry-cli archive), those that have the release. */
async function newReleaseProjects(call: Call<unknown, NewReleaseBody>): Promise<Project[]> {
  const { body } = call
  if (body.status && body.projects.length === 0) {
    const mine = await releaseProjects(call, 'release:write')
    const there = await call.app.meta.releases.releaseOf(
      mine.map((project) => project.id),
      body.version,
    )
    if (there) return mine.filter((project) => there.projectIds.includes(project.id))
  }
  return namedProjects(call, 'release:write', body.projects)
}

async function createFromBody(call: Call<unknown, NewReleaseBody>) {
  const { app, body, found } = call
  const named = await newReleaseProjects(call)
  const projectIds = named.map((project) => project.id)
  const { id: organizationId } = organizationOf(found)
  const { isNew } = await createRelease(app, {
    organizationId,
    projectIds,
    version: body.version,
    change: changeOf(body),
  })
  await setCommits(call, body.version, projectIds)
  const { release, projects } = await releaseOfCall({ ...call, params: { ...call.params, version: body.version } })
  const answer = await toRestRelease(call, release, projects)
  // 208: it already existed. The status type of plain answers does not have this code.
  return isNew
    ? { body: answer, status: 201 as const }
    : Response.json(answer, { status: 208, headers: { 'cache-control': 'no-store' } })
}

async function change(call: Call<unknown, ReleaseChangeBody>) {
  const { app, body, found } = call
  const { release, projects } = await releaseOfCall(call, 'release:write')
  const { version } = release
  const projectIds = projects.map((project) => project.id)
  await updateRelease(app, { organizationId: organizationOf(found).id, projectIds, version, change: changeOf(body) })
  await setCommits(call, version, release.projectIds)
  const now = await releaseOfCall(call)
  return { body: await toRestRelease(call, now.release, now.projects) }
}

async function remove(call: Call<unknown, undefined>) {
  const { app, found } = call
  const { release, projects } = await releaseOfCall(call, 'release:write')
  const position = { organizationId: organizationOf(found).id, version: release.version }
  await deleteRelease(
    app,
    position,
    projects.map((project) => project.id),
  )
  return { body: undefined, status: 204 as const }
}

function routesUnder(path: string, name: string): Route[] {
  return [
    route({
      method: 'GET',
      path,
      operationId: `list${name}Releases`,
      summary:
        'Releases, newest first: created by builds, or named by events. With a range: created, finalized, deployed or with events in it.',
      action: 'release:read',
      query: listQuery,
      response: z.array(restReleaseWithHealth),
      handle: list,
    }),
    route({
      method: 'POST',
      path,
      operationId: `create${name}Release`,
      summary: 'Creates a release. 208 if it already exists.',
      action: 'release:write',
      body: newReleaseBody,
      bodyBytesMax: commitBodyBytesMax,
      status: 201,
      response: restRelease,
      handle: createFromBody,
    }),
    route({
      method: 'GET',
      path: `${path}/:version`,
      operationId: `get${name}Release`,
      summary: 'One release.',
      action: 'release:read',
      query: z.object({ ...healthQuery, environment: viewQuery.environment }),
      response: restReleaseWithHealth,
      handle: async (call) => {
        const { release, projects } = await releaseOfCall(call)
        const restRelease = await toRestRelease(call, release, projects)
        const [body = restRelease] = await withHealth(call, call.query, projects, [restRelease])
        return { body }
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:version`,
      operationId: `update${name}Release`,
      summary:
        'Changes a release. dateReleased finalizes it, status archives or restores it, commits replaces all its commits. refs: [] removes commits and refs.',
      action: 'release:write',
      body: releaseChangeBody,
      bodyBytesMax: commitBodyBytesMax,
      response: restRelease,
      handle: change,
    }),
    route({
      method: 'DELETE',
      path: `${path}/:version`,
      operationId: `delete${name}Release`,
      summary:
        'Deletes the build data of a release: its deploys, its commits and the files that only it has. Its events still name it.',
      action: 'release:write',
      status: 204,
      response: z.undefined(),
      handle: remove,
    }),
  ]
}

/** Releases created by builds or named by events. */
export const releaseRoutes: readonly Route[] = [
  ...routesUnder('/organizations/:org/releases', ''),
  ...routesUnder('/projects/:org/:project/releases', 'Project'),
]
