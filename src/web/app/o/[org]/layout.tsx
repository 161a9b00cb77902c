import { notFound } from 'next/navigation'
import type { ReactNode } from 'react'
import { app } from '../../../handle.ts'
import { actorHere, organizationFor } from '../../../server/session.ts'
import { OrganizationFrame } from './organization-frame.tsx'

/**
 * The frame around all pages of an organization. A layout does not know the page's path, so without a login the page
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
  const here = await organizationFor(actor, requestedSlug)
  if (here) return <OrganizationFrame here={here}>{children}</OrganizationFrame>
  const renamed = await app().meta.organizations.organizationByOldSlug(requestedSlug)
  // The page knows its path and redirects.
  if (renamed && (await organizationFor(actor, renamed.slug))) return children
  notFound()
}
