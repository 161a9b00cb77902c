import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { allowedProjects } from '../../../../../auth/allowed-projects.ts'
import { namedProjects } from '../../../../../query/named-projects.ts'
import { rangeOf } from '../../../../../query/range.ts'
import { releasesHealth } from '../../../../../query/release-health.ts'
import { listReleases, releaseEvents } from '../../../../../query/releases.ts'
import { defaultProjects } from '../../../../../query/self-project.ts'
import { app } from '../../../../handle.ts'
import { NoReleaseMatches, NoReleases } from '../../../../panels/releases/no-releases.tsx'
import { isPlain, releaseParams, releasesPerPage, type Search, spanQuery } from '../../../../panels/releases/params.ts'
import { ReleaseList } from '../../../../panels/releases/release-list.tsx'
import { projectIdsOf } from '../../../../panels/search/list-params.ts'
import { environmentsOf } from '../../../../panels/search/load-environments.ts'
import { demandOrganization } from '../../../../server/session.ts'
import { unlessAway } from '../../../../server/unless-away.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('releases'))('title') }
}

/** All releases with their effects, newest first. The state of the list is in the query string. */
export default async function ReleasesPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Search>
}) {
  const { org } = await params
  const rawParams = await searchParams
  const search = new URLSearchParams(
    Object.entries(rawParams).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  ).toString()
  const { actor, organization } = await demandOrganization(org, `/o/${org}/releases${search ? `?${search}` : ''}`)
  const { clock, meta } = app()
  const projects = await allowedProjects(app(), actor, organization, 'release:read')
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  const requested = releaseParams(rawParams)
  const projectIds = projectIdsOf(requested.project, names)
  const nowMs = clock.now()
  const view = {
    organization,
    projects: projectIds.length
      ? ((await namedProjects(meta, organization.id, projects, projectIds)) ?? [])
      : await defaultProjects(meta, organization.id, projects),
    environments: requested.env.split(',').filter((part) => part !== ''),
    range: rangeOf(spanQuery(requested.range), nowMs),
  }
  const list = await listReleases(app(), {
    ...view,
    text: requested.q,
    sort: requested.sort === 'order' ? 'semver' : 'date',
    status: requested.status,
    offset: requested.at,
    max: releasesPerPage,
  })
  const shown = list.rows.map(({ version, projects: its }) => ({
    version,
    projectIds: its.map((project) => project.id),
  }))
  const [events, environments, health] = await Promise.all([
    unlessAway(releaseEvents(app(), view)),
    unlessAway(environmentsOf(projects)),
    unlessAway(releasesHealth(app(), view, shown)),
  ])
  const allEvents = [...(events?.values() ?? [])].reduce((sum, event) => sum + event, 0)
  return (
    <ReleaseList
      organization={organization.slug}
      params={requested}
      search={search}
      projects={names}
      environments={environments}
      rows={list.rows.map((row) => ({
        ...row,
        events: events ? (events.get(row.version) ?? 0) : null,
        allEvents,
        health: health && (health.get(row.version) ?? null),
      }))}
      hits={list.hits}
      more={list.more}
      away={events === undefined}
      asOfMs={nowMs}
    >
      {isPlain(requested) ? (
        <NoReleases organization={organization.slug} project={projects[0]?.slug} />
      ) : (
        <NoReleaseMatches base={`/o/${organization.slug}/releases`} params={requested} search={search} />
      )}
    </ReleaseList>
  )
}
