import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../handle.ts'
import { demandProject } from '../../../../../../server/session.ts'
import { IngestScreen } from './ingest-screen.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('operation.ingest'))('title') }
}

/** The last requests of a project's keys with the outcome of each item, to find out where an event went. */
export default async function IngestPage({ params }: { params: Promise<{ org: string; project: string }> }) {
  const { org, project: slug } = await params
  const { actor, organization, project } = await demandProject(org, slug, `/o/${org}/projects/${slug}/ingest`)
  if (app().auth.may(actor, 'project:read', { organization, project }) !== 'yes') notFound()
  return <IngestScreen organization={organization.slug} project={project.slug} name={project.name} />
}
