import { z } from 'zod'
import type { Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import {
  newSavedQueryBody,
  restSavedQuery,
  type SavedQueryChangeBody,
  savedQueryChangeBody,
} from '../../contract/explore/saved-queries.ts'
import { createSavedQuery, deleteSavedQuery, updateSavedQuery } from '../../operations/saved-queries.ts'
import type { App } from '../../processes/parts.ts'
import {
  mayChangeQuery,
  type QueryReader,
  savedQueriesOf,
  toRestSavedQuery,
} from '../../query/explore/saved-queries.ts'
import type { SavedQuery, SavedQueryParts } from '../../store/meta/explore/saved-queries.ts'
import { demandChange, revisionOf } from '../input.ts'
import { type Found, organizationOf, type Route, route } from '../route.ts'

const path = '/organizations/:org/explore/saved'

const readerOf = async (app: App, actor: Actor, found: Found): Promise<QueryReader> => ({
  userId: actor.person.id,
  maySave: (await app.auth.may(actor, 'issue:triage', { organization: organizationOf(found) })) === 'yes',
  organization: organizationOf(found).slug,
  url: app.config.url,
})

/** Returns the query of the path if the caller can see it. Throws NOT_FOUND. */
async function queryOf(app: App, actor: Actor, found: Found, id: string | undefined): Promise<SavedQuery> {
  const query = /^\d{1,15}$/.test(id ?? '') ? await app.meta.explore.savedQueryById(Number(id)) : undefined
  if (
    !query ||
    query.organizationId !== organizationOf(found).id ||
    (!query.shared && query.userId !== actor.person.id)
  )
    throw new MishapError('NOT_FOUND')
  return query
}

/** Returns the query of the path if the caller can change it. Throws NOT_FOUND, AUTH_FORBIDDEN. */
async function ownQueryOf(app: App, actor: Actor, found: Found, id: string | undefined): Promise<SavedQuery> {
  const query = await queryOf(app, actor, found, id)
  if (!mayChangeQuery(query, await readerOf(app, actor, found))) throw new MishapError('AUTH_FORBIDDEN')
  return query
}

/** Returns two dates, a length, or '' for the default; undefined if none is given. Throws VALIDATION. */
function spanOf({ statsPeriod, start, end }: Pick<SavedQueryChangeBody, 'statsPeriod' | 'start' | 'end'>) {
  if (start && end) return `${start}/${end}`
  if (start || end)
    throw new MishapError('VALIDATION', { fields: { start: ['start and end must be given together.'] } })
  if (statsPeriod === undefined && start === undefined && end === undefined) return undefined
  return statsPeriod ?? ''
}

function changeOf(body: SavedQueryChangeBody): Partial<{ name: string; shared: boolean } & SavedQueryParts> {
  const { name, plan, visibility, projects, environments } = body
  const span = spanOf(body)
  return {
    ...(name === undefined ? {} : { name }),
    ...(plan === undefined ? {} : { plan }),
    ...(visibility === undefined ? {} : { shared: visibility === 'organization' }),
    ...(projects === undefined ? {} : { projects }),
    ...(environments === undefined ? {} : { environments }),
    ...(span === undefined ? {} : { span }),
  }
}

/** Saved queries of Explore. */
export const savedQueryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listSavedQueries',
    summary: 'Saved queries of Explore: the caller’s own and the shared ones.',
    action: 'event:read',
    response: z.array(restSavedQuery),
    handle: async ({ app, actor, found }) => ({
      body: await savedQueriesOf(app.meta, organizationOf(found).id, await readerOf(app, actor, found)),
    }),
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createSavedQuery',
    summary: 'Saves a query, for the caller or for the whole organization. Viewers cannot save.',
    action: 'issue:triage',
    body: newSavedQueryBody,
    status: 201,
    response: restSavedQuery,
    handle: async ({ app, actor, found, body }) => {
      const { name, plan, visibility, projects, environments } = body
      const created = await createSavedQuery(app, {
        organizationId: organizationOf(found).id,
        userId: actor.person.id,
        shared: visibility === 'organization',
        name,
        plan,
        projects,
        environments,
        span: spanOf(body) ?? '',
      })
      return { body: await toRestSavedQuery(app.meta, created, await readerOf(app, actor, found)) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:query`,
    operationId: 'savedQuery',
    summary: 'One saved query.',
    action: 'event:read',
    response: restSavedQuery,
    handle: async ({ app, actor, found, params }) => ({
      body: await toRestSavedQuery(
        app.meta,
        await queryOf(app, actor, found, params.query),
        await readerOf(app, actor, found),
      ),
    }),
  }),
  route({
    method: 'PUT',
    path: `${path}/:query`,
    operationId: 'updateSavedQuery',
    summary: 'Changes a saved query. 409 if `revision` or If-Match is outdated.',
    action: 'issue:triage',
    body: savedQueryChangeBody,
    response: restSavedQuery,
    handle: async ({ app, actor, found, params, body, request }) => {
      demandChange(savedQueryChangeBody, body)
      const query = await ownQueryOf(app, actor, found, params.query)
      // Only the owner takes a query from the others.
      if (body.visibility === 'owner' && query.userId !== actor.person.id) throw new MishapError('AUTH_FORBIDDEN')
      const changed = await updateSavedQuery(app, query.id, changeOf(body), revisionOf(body, request))
      return { body: await toRestSavedQuery(app.meta, changed, await readerOf(app, actor, found)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:query`,
    operationId: 'deleteSavedQuery',
    summary: 'Deletes a saved query. 409 if `revision` or If-Match is outdated.',
    action: 'issue:triage',
    query: z.object({
      revision: z
        .string()
        .regex(/^\d{1,15}$/, 'The revision of the query.')
        .optional(),
    }),
    status: 204,
    response: z.undefined(),
    handle: async ({ app, actor, found, params, query, request }) => {
      const saved = await ownQueryOf(app, actor, found, params.query)
      const revision = query.revision === undefined ? undefined : Number(query.revision)
      await deleteSavedQuery(app, saved.id, revisionOf({ revision }, request))
      return { status: 204, body: undefined }
    },
  }),
]
