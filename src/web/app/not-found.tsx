import { app } from '../handle.ts'
import { actorHere, organizationFor } from '../server/session.ts'
import { NotFoundScreen } from '../ui/not-found-screen.tsx'
import { OrganizationFrame } from './o/[org]/organization-frame.tsx'

/** Status 404, also for pages that the person may not see. With a login it is inside the frame of an organization. */
export default async function NotFoundPage() {
  const actor = await actorHere()
  const first = actor && (await app().meta.organizations.organizationsOf(actor.person.id))[0]
  const here = actor && first && (await organizationFor(actor, first.slug))
  if (!here)
    return (
      <main>
        <NotFoundScreen />
      </main>
    )
  return (
    <OrganizationFrame here={here}>
      <NotFoundScreen organization={here.organization.slug} />
    </OrganizationFrame>
  )
}
