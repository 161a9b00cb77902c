import { redirect } from 'next/navigation'
import { app } from '../../handle.ts'
import { existingJump } from '../../panels/search/jump.ts'
import { demandActor, organizationFor } from '../../server/session.ts'

/**
 * The search of the not-found page. Opens the page of a known digest or id, else searches the issues of the
 * organization in `org`, else of the person's first organization.
 */
export default async function FindPage({
  searchParams,
}: {
  searchParams: Promise<{ q?: string | string[]; org?: string | string[] }>
}) {
  const { q, org } = await searchParams
  const text = typeof q === 'string' ? q.slice(0, 4096) : ''
  const query = encodeURIComponent(text)
  const actor = await demandActor(`/find?q=${query}`)
  const jumpPath = await existingJump(actor, text)
  if (jumpPath !== undefined) redirect(jumpPath)
  const selected = typeof org === 'string' ? (await organizationFor(actor, org))?.organization : undefined
  const organization = selected ?? (await app().meta.organizations.organizationsOf(actor.person.id))[0]
  redirect(organization ? `/o/${organization.slug}/issues?q=${query}` : '/')
}
