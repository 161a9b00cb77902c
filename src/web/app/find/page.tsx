import { redirect } from 'next/navigation'
import { app } from '../../handle.ts'
import { demandActor, organizationFor } from '../../session.ts'

/** The not-found page's search: to the issues of the organization that it stood in, else of the first one. */
export default async function FindPage({
  searchParams,
}: {
  searchParams: Promise<{ q?: string | string[]; org?: string | string[] }>
}) {
  const { q, org } = await searchParams
  const query = encodeURIComponent(typeof q === 'string' ? q.slice(0, 4096) : '')
  const actor = await demandActor(`/find?q=${query}`)
  const asked = typeof org === 'string' ? organizationFor(actor, org)?.organization : undefined
  const organization = asked ?? app().meta.organizationsOf(actor.person.id)[0]
  redirect(organization ? `/o/${organization.slug}/issues?q=${query}` : '/')
}
