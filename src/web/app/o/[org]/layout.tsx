import { notFound } from 'next/navigation'
import type { ReactNode } from 'react'
import { failingChannels } from '../../../../alert/channel.ts'
import { app } from '../../../handle.ts'
import { Shell } from '../../../panels/shell/shell.tsx'
import { actorHere, organizationFor } from '../../../server/session.ts'

/**
 * The shell around all pages of an organization. A layout does not know the page's path, so without a login the page
 * itself redirects (demandOrganization).
 */
export default async function OrganizationLayout({
  params,
  children,
}: {
  params: Promise<{ org: string }>
  children: ReactNode
}) {
  const actor = await actorHere()
  if (!actor) return children
  const requestedSlug = decodeURIComponent((await params).org)
  const organizationHere = organizationFor(actor, requestedSlug)
  const { meta, auth, live } = app()
  if (!organizationHere) {
    const renamed = meta.organizationByOldSlug(requestedSlug)
    // The page knows its path and redirects.
    if (renamed && organizationFor(actor, renamed.slug)) return children
    notFound()
  }
  const organizations = meta.organizationsOf(actor.person.id).map(({ slug, name }) => ({ slug, name }))
  const { slug, name } = organizationHere.organization
  return (
    <Shell
      organization={{ slug, name }}
      organizations={organizations}
      failingChannels={failingChannels(meta.channelsOf(organizationHere.organization.id)).length}
      mayStatus={auth.may(actor, 'status:read', { organization: organizationHere.organization }) === 'yes'}
      liveId={live.lastId(organizationHere.organization.id)}
    >
      {children}
    </Shell>
  )
}
