import { redirect } from 'next/navigation'
import { demandOrganization } from '../../../server/session.ts'

/** Redirects to the organization's issues. */
export default async function OrganizationPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { organization } = await demandOrganization(org, `/o/${org}`)
  redirect(`/o/${organization.slug}/issues`)
}
