import { notFound } from 'next/navigation'
import { demandOrganization } from '../../../../server/session.ts'

/** All unknown paths under an organization: 404 inside its shell. */
export default async function UnknownPage({ params }: { params: Promise<{ org: string; rest: string[] }> }) {
  const { org, rest } = await params
  await demandOrganization(org, `/o/${org}/${rest.join('/')}`)
  notFound()
}
