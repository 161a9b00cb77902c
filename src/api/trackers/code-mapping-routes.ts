import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  bulkMappingsBody,
  codeMappingBody,
  type RestCodeMapping,
  restBulkMappings,
  restCodeMapping,
} from '../../contract/alerts/trackers.ts'
import { restCommit } from '../../contract/commits.ts'
import {
  deleteCodeMapping,
  putCodeMapping,
  updateCodeMapping,
  uploadCodeMappings,
} from '../../operations/code-mappings.ts'
import { toRestMappings } from '../../query/alerts/trackers.ts'
import { toRestCommit } from '../../query/releases.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { CodeMapping } from '../../store/meta/trackers/code-mappings.ts'
import { releaseProjects } from '../releases/release-projects.ts'
import { type Call, limitOf, organizationOf, pageQuery, type Route, route, viewQuery } from '../route.ts'

const O = '/organizations/:org'

async function toRest(call: Call<unknown, unknown>, mappings: readonly CodeMapping[]): Promise<RestCodeMapping[]> {
  const projects = await releaseProjects(call, 'release:read')
  const { id } = organizationOf(call.found)
  return toRestMappings(mappings, projects, await call.app.meta.trackers.integrationsOf(id))
}

async function toOne(call: Call<unknown, unknown>, mapping: CodeMapping): Promise<RestCodeMapping> {
  const [shown] = await toRest(call, [mapping])
  if (!shown) throw new MishapError('NOT_FOUND')
  return shown
}

/** Returns the project that a body names by id or slug. Throws VALIDATION. */
async function projectNamed(call: Call<unknown, unknown>, field: string, name: string | number): Promise<Project> {
  const projects = await releaseProjects(call, 'release:write')
  const project = projects.find(({ id, slug }) => String(id) === String(name) || slug === name)
  if (!project) throw new MishapError('VALIDATION', { fields: { [field]: ['There is no such project.'] } })
  return project
}

const idOf = (name: string | undefined) => (/^\d{1,15}$/.test(name ?? '') ? Number(name) : -1)

/** The mapping of the path, if the caller can change its project. Throws NOT_FOUND. */
async function demandMapping(call: Call<unknown, unknown>): Promise<number> {
  const id = idOf(call.params.mapping)
  const all = await call.app.meta.trackers.codeMappingsOf(organizationOf(call.found).id)
  const mapping = all.find((item) => item.id === id)
  const projects = await releaseProjects(call, 'release:write')
  if (!mapping || !projects.some((project) => project.id === mapping.projectId)) throw new MishapError('NOT_FOUND')
  return id
}

/** Code mappings, and the commits that an issue can be resolved in. */
export const codeMappingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${O}/code-mappings`,
    operationId: 'listCodeMappings',
    summary: 'Where the files of stack frames are in repositories.',
    action: 'release:read',
    query: z.object({ project: viewQuery.project }),
    response: z.array(restCodeMapping),
    handle: async (call) => {
      const mappings = await toRest(call, await call.app.meta.trackers.codeMappingsOf(organizationOf(call.found).id))
      const { project } = call.query
      const isAsked = ({ projectId, projectSlug }: RestCodeMapping) =>
        project.length === 0 || project.includes('-1') || project.includes(projectId) || project.includes(projectSlug)
      return { body: mappings.filter(isAsked) }
    },
  }),
  route({
    method: 'POST',
    path: `${O}/code-mappings`,
    operationId: 'createCodeMapping',
    summary: 'Creates a code mapping, or changes the one with this project and stack root.',
    action: 'release:write',
    body: codeMappingBody,
    status: 201,
    response: restCodeMapping,
    handle: async (call) => {
      const { app, body } = call
      const project = await projectNamed(call, 'projectId', body.projectId)
      const { mapping } = await putCodeMapping(app, project, Number(body.repositoryId), body)
      return { body: await toOne(call, mapping) }
    },
  }),
  route({
    method: 'POST',
    path: `${O}/code-mappings/bulk`,
    operationId: 'uploadCodeMappings',
    summary: 'Creates and changes the code mappings of a repository (sentry-cli code-mappings upload).',
    action: 'release:write',
    body: bulkMappingsBody,
    response: restBulkMappings,
    handle: async (call) => {
      const { app, body } = call
      const project = await projectNamed(call, 'project', body.project)
      const list = body.mappings.map(({ stackRoot, sourceRoot, defaultBranch }) => ({
        stackRoot,
        sourceRoot,
        defaultBranch: defaultBranch || body.defaultBranch || 'main',
      }))
      const done = await uploadCodeMappings(app, project, body.repository, list)
      const count = (status: string) => done.filter((item) => item.status === status).length
      return {
        body: {
          created: count('created'),
          updated: count('updated'),
          errors: count('error'),
          mappings: done.map(({ defaultBranch: _branch, ...item }) => item),
        },
      }
    },
  }),
  route({
    method: 'PUT',
    path: `${O}/code-mappings/:mapping`,
    operationId: 'updateCodeMapping',
    summary: 'Changes a code mapping.',
    action: 'release:write',
    body: codeMappingBody,
    response: restCodeMapping,
    handle: async (call) => {
      const { app, body } = call
      const id = await demandMapping(call)
      const project = await projectNamed(call, 'projectId', body.projectId)
      return { body: await toOne(call, await updateCodeMapping(app, id, project, Number(body.repositoryId), body)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${O}/code-mappings/:mapping`,
    operationId: 'deleteCodeMapping',
    summary: 'Deletes a code mapping.',
    action: 'release:write',
    status: 204,
    response: z.undefined(),
    handle: async (call) => {
      await deleteCodeMapping(call.app, organizationOf(call.found).id, await demandMapping(call))
      return { body: undefined, status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/commits`,
    operationId: 'listCommits',
    summary: 'The newest commits of all repositories that builds and webhooks reported.',
    action: 'release:read',
    query: z.object({
      query: z.string().max(200).optional().describe('Beginning of a hash, or a part of a message.'),
      limit: pageQuery.limit,
    }),
    response: z.array(restCommit),
    handle: async ({ app, found, query }) => {
      const request = { organizationId: organizationOf(found).id, text: query.query?.trim() ?? '' }
      const rows = await app.meta.releases.recentCommitsOf({ ...request, max: limitOf(query, 25) })
      return { body: rows.map(toRestCommit) }
    },
  }),
]
