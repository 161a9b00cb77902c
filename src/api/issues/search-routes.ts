import { z } from 'zod'
import type { Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import {
  newSearchBody,
  type RestSearch,
  restCompletion,
  restIssueCounts,
  restSearch,
  type SearchChangeBody,
  searchChangeBody,
} from '../../contract/search.ts'
import { opensWithView, type ViewScope, viewScopes, viewSorts } from '../../domain/view-scopes.ts'
import { createSearch, deleteSearch, setDefaultSearch, updateSearch } from '../../operations/saved-searches.ts'
import type { App } from '../../processes/parts.ts'
import { completionsOf } from '../../query/completion.ts'
import { checkSearch } from '../../query/explore/dataset-table.ts'
import { issueCountsOf } from '../../query/issues/issue-counts.ts'
import { checkQuery } from '../../query/issues/issues.ts'
import { splitColumns } from '../../query/logs/condition.ts'
import { toRestSearch, type Viewer, viewsOf } from '../../query/saved.ts'
import type { SavedSearch, SearchView } from '../../store/meta/issues/searches.ts'
import { revisionOf } from '../input.ts'
import type { Call, Found, Route } from '../route.ts'
import { limitOf, organizationOf, pageQuery, requestedProjects, route, viewOf, viewQuery } from '../route.ts'

const O = '/organizations/:org'

const viewerOf = async (app: App, actor: Actor, found: Found): Promise<Viewer> => ({
  userId: actor.person.id,
  mayShare: (await app.auth.may(actor, 'issue:triage', { organization: organizationOf(found) })) === 'yes',
})

async function toRest(app: App, actor: Actor, found: Found, savedSearch: SavedSearch): Promise<RestSearch> {
  const defaults = await app.meta.issues.defaultSearchesOf(savedSearch.organizationId, actor.person.id)
  return toRestSearch(app.meta, savedSearch, await viewerOf(app, actor, found), defaults.includes(savedSearch.id))
}

/** Returns the view of the path if the caller can see it. Throws NOT_FOUND. */
async function searchOf(app: App, actor: Actor, found: Found, id: string | undefined): Promise<SavedSearch> {
  const savedSearch = /^\d{1,15}$/.test(id ?? '') ? await app.meta.issues.savedSearchById(Number(id)) : undefined
  if (
    !savedSearch ||
    savedSearch.organizationId !== organizationOf(found).id ||
    (!savedSearch.shared && savedSearch.userId !== actor.person.id)
  )
    throw new MishapError('NOT_FOUND')
  return savedSearch
}

/** Returns two dates, a length, or '' for the default; undefined if none is given. Throws VALIDATION. */
function spanOf(body: SearchChangeBody): string | undefined {
  const { statsPeriod, start, end } = body
  if (start && end) return `${start}/${end}`
  if (start || end)
    throw new MishapError('VALIDATION', { fields: { start: ['start and end must be given together.'] } })
  if (statsPeriod === undefined && start === undefined && end === undefined) return undefined
  return statsPeriod ?? ''
}

function partsOf(body: SearchChangeBody): Partial<{ name: string; shared: boolean } & SearchView> {
  const { name, query, sort, visibility, projects, environments, columns, facets } = body
  const span = spanOf(body)
  return {
    ...(name === undefined ? {} : { name }),
    ...(query === undefined ? {} : { query }),
    ...(sort === undefined ? {} : { sort }),
    ...(visibility === undefined ? {} : { shared: visibility === 'organization' }),
    ...(projects === undefined ? {} : { projects }),
    ...(environments === undefined ? {} : { environments }),
    ...(columns === undefined ? {} : { columns }),
    ...(facets === undefined ? {} : { facets }),
    ...(span === undefined ? {} : { span }),
  }
}

/** Sharing a view, or ending it, needs the permission to triage. Throws AUTH_FORBIDDEN. */
async function demandShared(app: App, actor: Actor, found: Found, shared: boolean | undefined): Promise<void> {
  if (shared) await app.auth.demand(actor, 'issue:triage', { organization: organizationOf(found) })
}

/**
 * Checks query, order, columns and facets with the rules of the list, so that saved views can be opened. Throws QUERY_*,
 * VALIDATION for an order, a column or a facet that the list does not have.
 */
async function demandReadable(
  { app, actor, found }: Pick<Call<unknown, unknown>, 'app' | 'actor' | 'found'>,
  scope: ViewScope,
  { query, sort, columns = [], facets = [] }: Partial<SearchView>,
): Promise<void> {
  const sorts = viewSorts[scope]
  if (sort !== undefined && !sorts.includes(sort))
    throw new MishapError('VALIDATION', { fields: { sort: [`One of ${sorts.join(', ')}.`] } })
  for (const [field, names] of Object.entries({ columns, facets })) {
    const [unknown] = splitColumns(names).unknown
    if (unknown !== undefined)
      throw new MishapError('VALIDATION', { fields: { [field]: [`${JSON.stringify(unknown)} is no field of logs.`] } })
  }
  if (query === undefined) return
  const projects = await requestedProjects(app, actor, organizationOf(found), [])
  if (scope === 'issues') await checkQuery(app, { projects, meUserId: actor.person.id }, query)
  else await checkSearch(app, scope === 'logs' ? 'logs' : 'spans', { projects }, query)
}

const savedRoutes: Route[] = [
  route({
    method: 'GET',
    path: `${O}/searches`,
    operationId: 'listSearches',
    summary: 'Saved views of the issue stream or of traces: the caller’s own and the shared ones.',
    action: 'issue:read',
    query: z.object({ scope: z.enum(viewScopes).default('issues') }),
    response: z.array(restSearch),
    handle: async ({ app, actor, found, query }) => ({
      body: await viewsOf(app.meta, organizationOf(found).id, await viewerOf(app, actor, found), query.scope),
    }),
  }),
  route({
    method: 'POST',
    path: `${O}/searches`,
    operationId: 'createSearch',
    summary: 'Saves a view. A view for the whole organization needs the permission to triage.',
    action: 'search:own',
    body: newSearchBody,
    status: 201,
    response: restSearch,
    handle: async (call) => {
      const { app, actor, found, body } = call
      const shared = body.visibility === 'organization'
      await demandShared(app, actor, found, shared)
      const { name, query, scope, projects, environments, columns, facets } = body
      const sort = body.sort ?? viewSorts[scope][0] ?? ''
      await demandReadable(call, scope, { query, sort, columns, facets })
      const created = await createSearch(app, {
        organizationId: organizationOf(found).id,
        scope,
        userId: actor.person.id,
        shared,
        name,
        query,
        sort,
        projects,
        environments,
        columns,
        facets,
        span: spanOf(body) ?? '',
      })
      return { body: await toRest(app, actor, found, created) }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/searches/:search`,
    operationId: 'search',
    summary: 'One saved view.',
    action: 'issue:read',
    response: restSearch,
    handle: async ({ app, actor, found, params }) => ({
      body: await toRest(app, actor, found, await searchOf(app, actor, found, params.search)),
    }),
  }),
  route({
    method: 'PUT',
    path: `${O}/searches/:search`,
    operationId: 'updateSearch',
    summary: 'Changes a saved view, or makes it the caller’s default. 409 if `revision` or If-Match is outdated.',
    action: 'search:own',
    body: searchChangeBody,
    response: restSearch,
    handle: async (call) => {
      const { app, actor, found, params, body, request } = call
      const savedSearch = await searchOf(app, actor, found, params.search)
      const parts = partsOf(body)
      // The stream of issues opens with no view, so the setting would do nothing. It is refused before other changes are made.
      if (body.isPinned && !opensWithView(savedSearch.scope))
        throw new MishapError('VALIDATION', {
          fields: { isPinned: ['Only a view of traces or logs can be the default.'] },
        })
      const isChanged = Object.keys(parts).length > 0
      if (isChanged) {
        await demandShared(app, actor, found, savedSearch.shared || parts.shared)
        await demandReadable(call, savedSearch.scope, parts)
      }
      const changed = isChanged
        ? await updateSearch(app, savedSearch.id, parts, revisionOf(body, request))
        : savedSearch
      if (body.isPinned !== undefined) await setDefaultSearch(app, changed, actor.person.id, body.isPinned)
      return { body: await toRest(app, actor, found, changed) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${O}/searches/:search`,
    operationId: 'deleteSearch',
    summary: 'Deletes a saved view. 409 if `revision` or If-Match is outdated.',
    action: 'search:own',
    query: z.object({
      revision: z
        .string()
        .regex(/^\d{1,15}$/, 'The revision of the view.')
        .optional(),
    }),
    status: 204,
    response: z.undefined(),
    handle: async ({ app, actor, found, params, query, request }) => {
      const savedSearch = await searchOf(app, actor, found, params.search)
      await demandShared(app, actor, found, savedSearch.shared)
      const revision = query.revision === undefined ? undefined : Number(query.revision)
      await deleteSearch(app, savedSearch.id, revisionOf({ revision }, request))
      return { status: 204, body: undefined }
    },
  }),
]

/** Saved views, and completions for the search box. */
export const searchRoutes: readonly Route[] = [
  ...savedRoutes,
  route({
    method: 'GET',
    path: `${O}/issue-counts`,
    operationId: 'issueCounts',
    summary: 'Numbers of unresolved issues by project, of issues by saved view, and of new feedback; at most 20 s old.',
    action: 'issue:read',
    response: restIssueCounts,
    handle: async ({ app, actor, found }) => {
      const organization = organizationOf(found)
      const projects = await requestedProjects(app, actor, organization, [])
      const views = await viewsOf(app.meta, organization.id, await viewerOf(app, actor, found))
      const meUserId = actor.person.id
      const key = JSON.stringify([
        meUserId,
        projects.map((project) => project.id),
        views.map(({ id, revision }) => [id, revision]),
      ])
      const counts = await app.issueCounts.get(key, () =>
        issueCountsOf(app, { organization, projects, views, meUserId }),
      )
      const feedback = await app.meta.feedback.countFeedback(projects.map((project) => project.id))
      return { body: { ...counts, newFeedback: feedback.new } }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/tags/:key/values`,
    operationId: 'organizationTagValues',
    summary:
      'Values of a tag or a search field, most events first. Fields without counts are in alphabetical order. Only callers who may list members see their e-mail addresses.',
    action: 'event:read',
    query: z.object({
      ...viewQuery,
      query: z.string().max(200).optional().describe('Text that the values must contain.'),
      ...pageQuery,
    }),
    response: z.array(restCompletion),
    handle: async (call) => ({
      body: (
        await completionsOf(call.app, await viewOf(call, '14d'), {
          key: call.params.key ?? '',
          text: call.query.query ?? '',
          max: limitOf(call.query, 25),
          mayPeople:
            (await call.app.auth.may(call.actor, 'member:read', { organization: organizationOf(call.found) })) ===
            'yes',
          signal: call.request.signal,
        })
      ).map(({ value, events }) => ({ key: call.params.key ?? '', name: value, value, count: events })),
    }),
  }),
]
