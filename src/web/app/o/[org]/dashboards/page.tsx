import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { listRestDashboards } from '../../../../../query/dashboards/dashboards.ts'
import { app } from '../../../../handle.ts'
import { BoardList } from '../../../../panels/dashboards/board-list.tsx'
import { demandOrganization } from '../../../../server/session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('boards'))('name') }
}

/** The dashboards of an organization. */
export default async function DashboardsPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/dashboards`)
  const { auth, meta } = app()
  const mayWrite = (await auth.may(actor, 'dashboard:write', { organization })) === 'yes'
  const boards = await listRestDashboards(meta, organization.id, { userId: actor.person.id, mayWrite })
  return <BoardList organization={organization.slug} boards={boards} mayWrite={mayWrite} />
}
