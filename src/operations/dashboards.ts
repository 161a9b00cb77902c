import { MishapError } from '../base/errors.ts'
import { type DashboardContent, dashboardContent } from '../contract/explore/dashboards.ts'
import type { Dashboard } from '../store/meta/dashboards/dashboards.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type Values = { title: string; shared: boolean; content: DashboardContent }

const rowOf = ({ content, ...values }: Partial<Values>) => ({
  ...values,
  ...(content === undefined ? {} : { content: JSON.stringify(dashboardContent.parse(content)) }),
})

/** Creates a dashboard. Throws VALIDATION with fields, CONFLICT when there are too many. */
export const createDashboard = (
  { meta }: { meta: MetaWith<'dashboards.createDashboard'> },
  owner: { organizationId: number; userId: string },
  { title, shared, content }: Values,
): Promise<Dashboard> =>
  meta.dashboards.createDashboard({ ...owner, title, shared, content: JSON.stringify(dashboardContent.parse(content)) })

/** Changes the given fields of a dashboard. Throws NOT_FOUND, VALIDATION, CONFLICT (other revision). `userId` null: a command. */
export const updateDashboard = (
  { meta }: { meta: MetaWith<'dashboards.updateDashboard'> },
  id: number,
  change: Partial<Values>,
  userId: string | null,
  rev?: number,
): Promise<Dashboard> => meta.dashboards.updateDashboard(id, rowOf(change), userId, rev)

/** Makes an earlier state of a dashboard its state. The state before becomes a revision. Throws NOT_FOUND, CONFLICT. */
export async function restoreDashboard(
  { meta }: { meta: MetaWith<'dashboards.updateDashboard' | 'dashboards.listDashboardRevisions'> },
  id: number,
  revision: number,
  userId: string,
  rev?: number,
): Promise<Dashboard> {
  const found = (await meta.dashboards.listDashboardRevisions(id)).find((earlier) => earlier.rev === revision)
  if (!found) throw new MishapError('NOT_FOUND', { detail: `Revision ${revision} is not kept.` })
  return meta.dashboards.updateDashboard(id, { title: found.title, content: found.content }, userId, rev)
}

/** Deletes a dashboard with its revisions. Throws CONFLICT for another revision. */
export const deleteDashboard = (
  { meta }: { meta: MetaWith<'dashboards.deleteDashboard'> },
  id: number,
  rev?: number,
): Promise<void> => meta.dashboards.deleteDashboard(id, rev)

/** Marks a dashboard for a person, or ends that. `dashboard`: an id, or the name of a ready-made dashboard. */
export const setFavouriteDashboard = (
  { meta }: { meta: MetaWith<'dashboards.setFavouriteDashboard'> },
  mark: { organizationId: number; userId: string; dashboard: string },
  isFavourite: boolean,
): Promise<void> => meta.dashboards.setFavouriteDashboard(mark.organizationId, mark.userId, mark.dashboard, isFavourite)
