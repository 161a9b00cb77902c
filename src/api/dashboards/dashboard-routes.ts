import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  type DashboardChangeBody,
  type DashboardContent,
  dashboardChangeBody,
  favouriteBody,
  newDashboardBody,
  type RestDashboard,
  type RestTile,
  restDashboard,
  restDashboardRevision,
  restDashboardSummary,
  restTileData,
  tilePreviewBody,
} from '../../contract/explore/dashboards.ts'
import {
  createDashboard,
  deleteDashboard,
  restoreDashboard,
  setFavouriteDashboard,
  updateDashboard,
} from '../../operations/dashboards.ts'
import { tileData } from '../../query/dashboards/dashboard-data.ts'
import { tilesOf } from '../../query/dashboards/dashboard-tiles.ts'
import {
  contentOf,
  type DashboardViewer,
  listRestDashboards,
  mayChange,
  restDashboardFor,
  restDashboardOf,
  restRevisionsOf,
  visibleDashboard,
} from '../../query/dashboards/dashboards.ts'
import { readyDashboard } from '../../query/dashboards/ready-dashboards.ts'
import type { Dashboard } from '../../store/meta/dashboards/dashboards.ts'
import { demandChange, revisionOf } from '../input.ts'
import type { Call, Route } from '../route.ts'
import { organizationOf, route, viewOf, viewQuery } from '../route.ts'

const path = '/organizations/:org/dashboards'
type Asked = Pick<Call<unknown, unknown>, 'app' | 'actor' | 'found' | 'params'>

const viewerOf = async ({ app, actor, found }: Asked): Promise<DashboardViewer> => ({
  userId: actor.person.id,
  mayWrite: (await app.auth.may(actor, 'dashboard:write', { organization: organizationOf(found) })) === 'yes',
})

/** The stored dashboard of the path, if the caller can see it. Throws NOT_FOUND. */
async function dashboardOf({ app, actor, found, params }: Asked): Promise<Dashboard> {
  const dashboard = await visibleDashboard(app.meta, organizationOf(found).id, params.dashboard ?? '', actor.person.id)
  if (!dashboard) throw new MishapError('NOT_FOUND')
  return dashboard
}

/** The dashboard of the path for a change. Throws NOT_FOUND, AUTH_FORBIDDEN for those that belong to Mishap. */
async function changeableOf(call: Asked): Promise<Dashboard> {
  if (readyDashboard(call.params.dashboard ?? ''))
    throw new MishapError('AUTH_FORBIDDEN', {
      detail: 'This dashboard is part of Mishap. Duplicate it and change the copy.',
    })
  const dashboard = await dashboardOf(call)
  if (!mayChange(dashboard, await viewerOf(call))) throw new MishapError('AUTH_FORBIDDEN')
  return dashboard
}

const favouritesOf = ({ app, actor, found }: Asked) =>
  app.meta.dashboards.favouriteDashboardsOf(organizationOf(found).id, actor.person.id)

const toRest = async (call: Asked, dashboard: Dashboard): Promise<RestDashboard> =>
  restDashboardOf(call.app.meta, dashboard, await viewerOf(call), await favouritesOf(call))

/** Tiles and values of the dashboard of the path, stored or ready-made. Throws NOT_FOUND. */
async function contentOfPath(call: Asked): Promise<DashboardContent> {
  const ready = readyDashboard(call.params.dashboard ?? '')
  return ready ? ready.content : contentOf(await dashboardOf(call))
}

/** The content after a change. Throws VALIDATION for tiles that cannot be kept. */
function changedContent(before: DashboardContent, body: DashboardChangeBody): DashboardContent | undefined {
  const { widgets, projects, environment, period, filters, attribute } = body
  const given = { projects, environment, period, filters, attribute }
  const changed = Object.entries(given).filter(([, value]) => value !== undefined)
  if (widgets === undefined && changed.length === 0) return undefined
  const known = before.widgets.map((tile) => tile.id)
  return {
    ...before,
    ...Object.fromEntries(changed),
    ...(widgets === undefined ? {} : { widgets: tilesOf(widgets, known) }),
  }
}

const listRoute = route({
  method: 'GET',
  path,
  operationId: 'listDashboards',
  summary: 'Dashboards that the caller sees: favourites first, own and shared ones by title, then ready-made ones.',
  action: 'dashboard:read',
  query: z.object({ query: z.string().max(200).optional().describe('Text that titles must contain.') }),
  response: z.array(restDashboardSummary),
  handle: async (call) => ({
    body: await listRestDashboards(
      call.app.meta,
      organizationOf(call.found).id,
      await viewerOf(call),
      call.query.query,
    ),
  }),
})

const createRoute = route({
  method: 'POST',
  path,
  operationId: 'createDashboard',
  summary: 'Creates a dashboard, also as a copy of another one. Answers 400 with the field that cannot be kept.',
  action: 'dashboard:write',
  body: newDashboardBody,
  status: 201,
  response: restDashboard,
  handle: async (call) => {
    const { app, actor, found, body } = call
    const { title, widgets, visibility, duplicate, projects, environment, period, filters, attribute } = body
    const copied =
      duplicate === undefined
        ? undefined
        : await contentOfPath({ ...call, params: { ...call.params, dashboard: duplicate } })
    const content = copied ?? { widgets: tilesOf(widgets, []), projects, environment, period, filters, attribute }
    const owner = { organizationId: organizationOf(found).id, userId: actor.person.id }
    const created = await createDashboard(app, owner, { title, shared: visibility === 'organization', content })
    return { status: 201, body: await toRest(call, created) }
  },
})

const oneRoutes = [
  route({
    method: 'GET',
    path: `${path}/:dashboard`,
    operationId: 'dashboard',
    summary: 'One dashboard with its tiles. The id is a number, or the name of a ready-made dashboard.',
    action: 'dashboard:read',
    response: restDashboard,
    handle: async (call) => {
      const { app, found, params } = call
      const body = await restDashboardFor(
        app.meta,
        organizationOf(found).id,
        params.dashboard ?? '',
        await viewerOf(call),
      )
      if (!body) throw new MishapError('NOT_FOUND')
      return { body }
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/:dashboard`,
    operationId: 'updateDashboard',
    summary: 'Changes the given fields. `widgets` replaces all tiles. 409 if `revision` or If-Match is outdated.',
    action: 'dashboard:write',
    body: dashboardChangeBody,
    response: restDashboard,
    handle: async (call) => {
      const { app, actor, body, request } = call
      const dashboard = await changeableOf(call)
      demandChange(dashboardChangeBody, body)
      // Only the owner takes a dashboard from the others.
      if (body.visibility === 'owner' && dashboard.userId !== actor.person.id) throw new MishapError('AUTH_FORBIDDEN')
      const content = changedContent(contentOf(dashboard), body)
      const change = {
        ...(body.title === undefined ? {} : { title: body.title }),
        ...(body.visibility === undefined ? {} : { shared: body.visibility === 'organization' }),
        ...(content === undefined ? {} : { content }),
      }
      const changed = await updateDashboard(app, dashboard.id, change, actor.person.id, revisionOf(body, request))
      return { body: await toRest(call, changed) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:dashboard`,
    operationId: 'deleteDashboard',
    summary: 'Deletes a dashboard with its revisions. 409 if If-Match is outdated.',
    action: 'dashboard:write',
    status: 204,
    response: z.undefined(),
    handle: async (call) => {
      const dashboard = await changeableOf(call)
      await deleteDashboard(call.app, dashboard.id, revisionOf({}, call.request))
      return { status: 204, body: undefined }
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/:dashboard/favorite`,
    operationId: 'setFavouriteDashboard',
    summary: 'Marks a dashboard as a favourite of the caller, or ends that.',
    action: 'search:own',
    body: favouriteBody,
    status: 204,
    response: z.undefined(),
    handle: async (call) => {
      const { app, actor, found, params, body } = call
      await contentOfPath(call)
      const mark = {
        organizationId: organizationOf(found).id,
        userId: actor.person.id,
        dashboard: params.dashboard ?? '',
      }
      await setFavouriteDashboard(app, mark, body.isFavorited)
      return { status: 204, body: undefined }
    },
  }),
]

const revisionRoutes = [
  route({
    method: 'GET',
    path: `${path}/:dashboard/revisions`,
    operationId: 'listDashboardRevisions',
    summary: 'Earlier states of a dashboard, newest first. The last 30 are kept.',
    action: 'dashboard:read',
    response: z.array(restDashboardRevision),
    handle: async (call) => {
      if (readyDashboard(call.params.dashboard ?? '')) return { body: [] }
      const dashboard = await dashboardOf(call)
      return { body: await restRevisionsOf(call.app.meta, dashboard.id) }
    },
  }),
  route({
    method: 'POST',
    path: `${path}/:dashboard/revisions/:revision/restore`,
    operationId: 'restoreDashboardRevision',
    summary: 'Makes an earlier state the state of the dashboard. The state before becomes a revision.',
    action: 'dashboard:write',
    response: restDashboard,
    handle: async (call) => {
      const dashboard = await changeableOf(call)
      const revision = /^\d{1,15}$/.test(call.params.revision ?? '') ? Number(call.params.revision) : -1
      const restored = await restoreDashboard(call.app, dashboard.id, revision, call.actor.person.id)
      return { body: await toRest(call, restored) }
    },
  }),
]

const dataQuery = z.object({
  ...viewQuery,
  release: z.array(z.string().max(250)).max(20).describe('Release, repeated; none: all.'),
  value: z.array(z.string().max(200)).max(20).describe('Value of the attribute of the dashboard, repeated.'),
})

async function dataOf(call: Call<z.output<typeof dataQuery>, unknown>, tile: RestTile, attribute: string) {
  const { app, query, request } = call
  const filters = { releases: query.release, attribute, values: query.value }
  return await tileData(app, await viewOf(call, '24h'), tile, filters, request.signal)
}

const dataRoute = route({
  method: 'GET',
  path: `${path}/:dashboard/widgets/:widget/data`,
  operationId: 'dashboardWidgetData',
  summary: 'What a tile shows, with the values that apply to all tiles. Each tile is asked alone.',
  action: 'event:read',
  query: dataQuery,
  response: restTileData,
  handle: async (call) => {
    const content = await contentOfPath(call)
    const tile = content.widgets.find((own) => own.id === call.params.widget)
    if (!tile) throw new MishapError('NOT_FOUND')
    return { body: await dataOf(call, tile, content.attribute) }
  },
})

const previewRoute = route({
  method: 'POST',
  path: `${path}/widget-data`,
  operationId: 'previewDashboardWidget',
  summary: 'What a tile would show, without storing it. 400 with the field if it could not be stored.',
  // Who builds a dashboard asks. The data is that of events, so it needs the right to read them, too.
  action: 'dashboard:write',
  query: dataQuery,
  body: tilePreviewBody,
  response: restTileData,
  handle: async (call) => {
    await call.app.auth.demand(call.actor, 'event:read', { organization: organizationOf(call.found) })
    const [tile] = tilesOf([call.body.widget], [])
    if (!tile) throw new MishapError('VALIDATION')
    return { body: await dataOf(call, tile, call.body.attribute) }
  },
})

/** Dashboards, their tiles and their revisions. */
export const dashboardRoutes: readonly Route[] = [
  listRoute,
  createRoute,
  previewRoute,
  ...oneRoutes,
  ...revisionRoutes,
  dataRoute,
]
