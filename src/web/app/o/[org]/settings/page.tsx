import { redirect } from 'next/navigation'
import { demandOrganization } from '../../../../server/session.ts'

/** Redirects to the first page of the settings. */
export default async function SettingsPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { organization } = await demandOrganization(org, `/o/${org}/settings`)
  redirect(`/o/${organization.slug}/settings/account`)
}
