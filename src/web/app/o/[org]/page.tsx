import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../auth/allowed-projects.ts'
import { someAsync } from '../../../../base/sequence.ts'
import { namedProjects } from '../../../../query/named-projects.ts'
import { overviewOf } from '../../../../query/overview.ts'
import { rangeOf } from '../../../../query/range.ts'
import { defaultProjects } from '../../../../query/self-project.ts'
import { app } from '../../../handle.ts'
import { NoEvents } from '../../../panels/overview/no-events.tsx'
import { OverviewScreen } from '../../../panels/overview/overview-screen.tsx'
import { listQuery, paramsOf, projectIdsOf } from '../../../panels/search/list-params.ts'
import { environmentsOf } from '../../../panels/search/load-environments.ts'
import { demandOrganization } from '../../../server/session.ts'
import { unlessAway } from '../../../server/unless-away.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('overview'))('title') }
}

/** The home page of an organization. Project, environment and range are in the query string. */
export default async function OverviewPage({
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
  const { actor, organization } = await demandOrganization(org, `/o/${org}${search.size ? `?${search}` : ''}`)
  const { auth, clock, meta } = app()
  const projects = await readableProjects(app(), actor, organization)
  const shown = await defaultProjects(meta, organization.id, projects)
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  if (shown.every((project) => project.firstEventMs === null))
    return (
      <NoEvents
        organization={organization.slug}
        projects={names}
        mayCreate={(await auth.may(actor, 'project:create', { organization })) === 'yes'}
      />
    )
  const requested = paramsOf(search)
  const projectIds = projectIdsOf(requested.project, names)
  const query = listQuery(requested, projectIds)
  const [overview, environments] = await Promise.all([
    overviewOf(app(), {
      organization,
      // An unknown project narrows to nothing. To drop its name would widen the view.
      projects: projectIds.length ? ((await namedProjects(meta, organization.id, projects, projectIds)) ?? []) : shown,
      environments: query.environment?.filter((name) => name !== '') ?? [],
      range: rangeOf(query, clock.now()),
      meUserId: actor.person.id,
    }),
    unlessAway(environmentsOf(projects)),
  ])
  return (
    <OverviewScreen
      organization={organization.slug}
      overview={overview}
      params={requested}
      projects={names}
      environments={environments}
      rights={{
        triage: await someAsync(
          projects,
          async (project) => (await auth.may(actor, 'issue:triage', { organization, project })) === 'yes',
        ),
        channels: (await auth.may(actor, 'channel:write', { organization })) === 'yes',
      }}
    />
  )
}
