import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'
import { OrganizationStatus, StatusScreen } from './status-screen.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('status'))('title') }
}

/** Mishap's own status for operators; item outcomes for others. Works while the events store is down. */
export default async function StatusPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/status`)
  if ((await app().auth.may(actor, 'status:read', { organization })) !== 'yes') notFound()
  const mayHandle = (await app().auth.may(actor, 'organization:write', { organization })) === 'yes'
  const Screen =
    (await app().auth.may(actor, 'instance:read', { instance: true })) === 'yes' ? StatusScreen : OrganizationStatus
  return <Screen organization={organization.slug} mayHandle={mayHandle} />
}
