import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../../../auth/allowed-projects.ts'
import { restDashboardFor } from '../../../../../../query/dashboards/dashboards.ts'
import { app } from '../../../../../handle.ts'
import { Board } from '../../../../../panels/dashboards/board.tsx'
import { openingSearch } from '../../../../../panels/dashboards/params.ts'
import { environmentsOf } from '../../../../../panels/search/load-environments.ts'
import { demandOrganization } from '../../../../../server/session.ts'
import { unlessAway } from '../../../../../server/unless-away.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('boards'))('name') }
}

/** One dashboard. Its tiles are loaded by the browser, each alone. */
export default async function DashboardPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string; id: string }>
  searchParams: Promise<Record<string, string | string[]>>
}) {
  const { org, id } = await params
  const isPlain = Object.keys(await searchParams).length === 0
  const path = `/o/${org}/dashboards/${encodeURIComponent(id)}`
  const { actor, organization } = await demandOrganization(org, path)
  const { auth, meta } = app()
  const mayWrite = (await auth.may(actor, 'dashboard:write', { organization })) === 'yes'
  const board = await restDashboardFor(meta, organization.id, id, { userId: actor.person.id, mayWrite })
  if (!board) notFound()
  const projects = await readableProjects(app(), actor, organization)
  const names = projects.map((project) => ({ id: String(project.id), slug: project.slug, name: project.name }))
  const opening = isPlain ? openingSearch(board, names) : ''
  if (opening !== '') redirect(`${path}${opening}`)
  return (
    <Board
      key={board.id}
      organization={organization.slug}
      board={board}
      mayWrite={mayWrite}
      projects={names}
      environments={await unlessAway(environmentsOf(projects))}
    />
  )
}
