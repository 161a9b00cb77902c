import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../../auth/allowed-projects.ts'
import { someAsync } from '../../../../../base/sequence.ts'
import { rememberedProjects, selectionCookie } from '../../../../client/project-selection.ts'
import { app } from '../../../../handle.ts'
import { firstScreen } from '../../../../panels/stream/first-screen.ts'
import { Stream } from '../../../../panels/stream/stream.tsx'
import { demandOrganization } from '../../../../server/session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('issues'))('title') }
}

/** The issue stream. The document has the first rows, the API later ones. Its state is in the query string. */
export default async function IssuesPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Record<string, string | string[]>>
}) {
  const { org } = await params
  const search = new URLSearchParams(
    Object.entries(await searchParams).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const { actor, organization } = await demandOrganization(org, `/o/${org}/issues${search.size ? `?${search}` : ''}`)
  const { auth } = app()
  const projects = await readableProjects(app(), actor, organization)
  if (search.size === 0) {
    // The bare address means the projects that the person selected last. Any parameter makes it exact.
    const cookie = (await cookies()).get(selectionCookie(organization.slug))?.value
    const remembered = rememberedProjects(cookie, actor.person.id, projects)
    if (remembered.length) redirect(`/o/${organization.slug}/issues?project=${remembered.join(',')}`)
  }
  const canTriage = await someAsync(
    projects,
    async (project) => (await auth.may(actor, 'issue:triage', { organization, project })) === 'yes',
  )
  return (
    <Stream
      organization={organization.slug}
      projects={projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))}
      canTriage={canTriage}
      first={await firstScreen(actor, organization, projects, search)}
    />
  )
}
