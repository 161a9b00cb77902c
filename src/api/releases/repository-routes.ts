import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { repositoryBody, restCommit, restRepository } from '../../contract/commits.ts'
import { createRepository, deleteRepository } from '../../operations/releases.ts'
import { pageByOffset, readCursor } from '../../query/cursor.ts'
import { toRestCommit, toRestRepository } from '../../query/releases.ts'
import { pageHeaders } from '../page.ts'
import type { Call, Route } from '../route.ts'
import { limitOf, organizationOf, pageQuery, route } from '../route.ts'

const listQuery = z.object({
  named: z.string().max(5).optional().describe('1: also repositories that only commits name.'),
  ...pageQuery,
})

async function list(call: Call<z.output<typeof listQuery>, undefined>) {
  const { app, query, request, found } = call
  const limit = limitOf(query, 100)
  const { offset } = readCursor(query.cursor)
  const rows = await app.meta.releases.repositoriesOf({
    organizationId: organizationOf(found).id,
    listed: query.named !== '1',
    offset,
    max: limit + 1,
  })
  const page = pageByOffset(rows.slice(0, limit).map(toRestRepository), offset, limit, rows.length > limit)
  return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
}

async function commits(call: Call<{ cursor?: string; limit?: string; per_page?: string }, undefined>) {
  const { app, query, request, found, params } = call
  const id = /^\d{1,15}$/.test(params.repository ?? '') ? Number(params.repository) : -1
  const repository = await app.meta.releases.repositoryById(organizationOf(found).id, id)
  if (!repository) throw new MishapError('NOT_FOUND')
  const limit = limitOf(query, 100)
  const { offset } = readCursor(query.cursor)
  const rows = await app.meta.releases.repositoryCommits({ repositoryId: repository.id, offset, max: limit + 1 })
  const page = pageByOffset(rows.slice(0, limit).map(toRestCommit), offset, limit, rows.length > limit)
  return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
}

const O = '/organizations/:org'

/** Repositories created by users, and those named by commits. */
export const repositoryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${O}/repos`,
    operationId: 'listRepositories',
    summary:
      'Repositories that people created, without those that only commits name. Clients assume that the server can read a listed repository, and then send only the id of the head.',
    action: 'release:read',
    query: listQuery,
    response: z.array(restRepository),
    handle: list,
  }),
  route({
    method: 'POST',
    path: `${O}/repos`,
    operationId: 'createRepository',
    summary: 'Creates a repository, or changes the URL of the repository with this name. Commits and refs name it.',
    action: 'release:write',
    body: repositoryBody,
    status: 201,
    response: restRepository,
    handle: async ({ app, body, found }) => {
      const value = { organizationId: organizationOf(found).id, name: body.name, url: body.url ?? '' }
      return { body: toRestRepository(await createRepository(app, value)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${O}/repos/:repository`,
    operationId: 'deleteRepository',
    summary: 'Removes a repository from the list. Commits of releases remain.',
    action: 'release:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      const id = /^\d{1,15}$/.test(params.repository ?? '') ? Number(params.repository) : -1
      if (!(await deleteRepository(app, organizationOf(found).id, id))) throw new MishapError('NOT_FOUND')
      return { body: undefined, status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/repos/:repository/commits`,
    operationId: 'listRepositoryCommits',
    summary: 'Commits of a repository that releases name, newest first.',
    action: 'release:read',
    query: z.object(pageQuery),
    response: z.array(restCommit),
    handle: (call) => commits(call as Parameters<typeof commits>[0]),
  }),
]
