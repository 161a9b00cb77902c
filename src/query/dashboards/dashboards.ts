import {
  type DashboardContent,
  dashboardContent,
  type RestDashboard,
  type RestDashboardRevision,
  type RestDashboardSummary,
} from '../../contract/explore/dashboards.ts'
import type { Dashboard } from '../../store/meta/dashboards/dashboards.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import { type ReadyDashboard, readyDashboard, readyDashboards } from './ready-dashboards.ts'

/** The caller. `mayWrite`: may change shared dashboards; `mayManage`: may also delete those of others. */
export type DashboardViewer = { userId: string; mayWrite: boolean }

type PersonDeps = MetaWith<'people.personById'>

/** Whether the caller can change a dashboard: shared ones with the right to write, else only their owner. */
export const mayChange = (dashboard: Pick<Dashboard, 'shared' | 'userId'>, by: DashboardViewer): boolean =>
  by.mayWrite && (dashboard.shared || dashboard.userId === by.userId)

/** The stored tiles and values of a dashboard. */
export const contentOf = ({ content }: Pick<Dashboard, 'content'>): DashboardContent =>
  dashboardContent.parse(JSON.parse(content))

const permissions: RestDashboard['permissions'] = { isEditableByEveryone: true, teamsWithEditAccess: [] }

/** A ready-made dashboard in the API's shape. */
const restReady = ({ name, title, content }: ReadyDashboard, favourites: readonly string[]): RestDashboard => ({
  id: name,
  title,
  dateCreated: null,
  createdBy: null,
  ...content,
  visibility: 'organization',
  permissions: { ...permissions, isEditableByEveryone: false },
  isFavorited: favourites.includes(name),
  isEditable: false,
  isReadyMade: true,
  revision: 0,
  dateChanged: null,
})

async function personOf(meta: PersonDeps, id: string | null) {
  const person = id === null ? undefined : await meta.people.personById(id)
  return person ? { id: person.id, name: person.name, email: person.email } : null
}

/** Converts a stored dashboard to the API's shape. */
export async function restDashboardOf(
  meta: PersonDeps,
  dashboard: Dashboard,
  by: DashboardViewer,
  favourites: readonly string[],
): Promise<RestDashboard> {
  return {
    id: String(dashboard.id),
    title: dashboard.title,
    dateCreated: new Date(dashboard.createdMs).toISOString(),
    createdBy: await personOf(meta, dashboard.userId),
    ...contentOf(dashboard),
    visibility: dashboard.shared ? 'organization' : 'owner',
    permissions: { ...permissions, isEditableByEveryone: dashboard.shared },
    isFavorited: favourites.includes(String(dashboard.id)),
    isEditable: mayChange(dashboard, by),
    isReadyMade: false,
    revision: dashboard.rev,
    dateChanged: dashboard.changedMs === null ? null : new Date(dashboard.changedMs).toISOString(),
  }
}

/** The stored dashboard of an id, if the person can see it. */
export async function visibleDashboard(
  meta: MetaWith<'dashboards.dashboardById'>,
  organizationId: number,
  id: string,
  userId: string,
): Promise<Dashboard | undefined> {
  const dashboard = /^\d{1,15}$/.test(id) ? await meta.dashboards.dashboardById(Number(id)) : undefined
  if (!dashboard || dashboard.organizationId !== organizationId) return undefined
  return dashboard.shared || dashboard.userId === userId ? dashboard : undefined
}

/** A dashboard by its id or by the name of a ready-made dashboard, if the person can see it. */
export async function restDashboardFor(
  meta: MetaWith<'people.personById' | 'dashboards.dashboardById' | 'dashboards.favouriteDashboardsOf'>,
  organizationId: number,
  id: string,
  by: DashboardViewer,
): Promise<RestDashboard | undefined> {
  const favourites = await meta.dashboards.favouriteDashboardsOf(organizationId, by.userId)
  const ready = readyDashboard(id)
  if (ready) return restReady(ready, favourites)
  const dashboard = await visibleDashboard(meta, organizationId, id, by.userId)
  return dashboard && restDashboardOf(meta, dashboard, by, favourites)
}

function summaryOf({ widgets, ...dashboard }: RestDashboard): RestDashboardSummary {
  return {
    ...dashboard,
    widgetDisplay: widgets.map((tile) => tile.displayType),
    widgetPreview: widgets.map(({ displayType, layout }) => ({ displayType, layout })),
  }
}

/**
 * The dashboards that a person sees: favourites first, then their own and the shared ones, then the ready-made ones.
 * `query`: text that titles must contain.
 */
export async function listRestDashboards(
  meta: MetaWith<'people.personById' | 'dashboards.listDashboards' | 'dashboards.favouriteDashboardsOf'>,
  organizationId: number,
  by: DashboardViewer,
  query = '',
): Promise<RestDashboardSummary[]> {
  const favourites = await meta.dashboards.favouriteDashboardsOf(organizationId, by.userId)
  const stored = await meta.dashboards.listDashboards(organizationId, by.userId)
  const own = await Array.fromAsync(stored, async (dashboard) => restDashboardOf(meta, dashboard, by, favourites))
  const text = query.trim().toLowerCase()
  return [...own, ...readyDashboards.map((dashboard) => restReady(dashboard, favourites))]
    .filter(({ title }) => title.toLowerCase().includes(text))
    .sort((a, b) => Number(b.isFavorited) - Number(a.isFavorited))
    .map(summaryOf)
}

/** The earlier states of a dashboard, newest first. */
export async function restRevisionsOf(
  meta: MetaWith<'people.personById' | 'dashboards.listDashboardRevisions'>,
  id: number,
): Promise<RestDashboardRevision[]> {
  const revisions = await meta.dashboards.listDashboardRevisions(id)
  return await Array.fromAsync(revisions, async (revision) => ({
    id: String(revision.rev),
    title: revision.title,
    dateCreated: new Date(revision.atMs).toISOString(),
    createdBy: await personOf(meta, revision.userId),
    widgetDisplay: contentOf(revision).widgets.map((tile) => tile.displayType),
  }))
}
