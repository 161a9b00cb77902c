import { redirect } from 'next/navigation'
import { app } from '../handle.ts'
import { demandActor } from '../server/session.ts'
import { NoOrganization } from './no-organization.tsx'

/** Maximum deleted organizations to show. */
const removalsMax = 20

/** Redirects to the overview of the signed-in person's first organization. */
export default async function HomePage() {
  if (await app().meta.people.isEmpty()) redirect('/setup')
  const actor = await demandActor('/')
  const first = (await app().meta.organizations.organizationsOf(actor.person.id))[0]
  if (!first)
    return <NoOrganization removals={await app().meta.retention.organizationRemovalsBy(actor.person.id, removalsMax)} />
  redirect(`/o/${first.slug}`)
}
