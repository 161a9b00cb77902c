import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { allowedProjects } from '../../../../../auth/allowed-projects.ts'
import { namedProjects } from '../../../../../query/named-projects.ts'
import { rangeOf } from '../../../../../query/range.ts'
import { releasesHealth } from '../../../../../query/release-health.ts'
import { listReleases, releaseEvents } from '../../../../../query/releases.ts'
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
  const given = await searchParams
  const search = new URLSearchParams(
    Object.entries(given).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  ).toString()
  const { actor, organization } = await demandOrganization(org, `/o/${org}/releases${search ? `?${search}` : ''}`)
  const { clock, meta } = app()
  const projects = allowedProjects(app(), actor, organization, 'release:read')
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  const asked = releaseParams(given)
  const projectIds = projectIdsOf(asked.project, names)
  const nowMs = clock.now()
  const view = {
    organization,
    projects: projectIds.length ? (namedProjects(meta, organization.id, projects, projectIds) ?? []) : projects,
    environments: asked.env.split(',').filter((part) => part !== ''),
    range: rangeOf(spanQuery(asked.range), nowMs),
  }
  const list = listReleases(app(), {
    ...view,
    text: asked.q,
    sort: asked.sort === 'order' ? 'semver' : 'date',
    status: asked.status,
    offset: asked.at,
    max: releasesPerPage,
  })
  const shown = list.rows.map(({ version, projects: its }) => ({ version, projectIds: its.map((item) => item.id) }))
  const [events, environments, health] = await Promise.all([
    unlessAway(releaseEvents(app(), view)),
    unlessAway(environmentsOf(projects)),
    unlessAway(releasesHealth(app(), view, shown)),
  ])
  const allEvents = [...(events?.values() ?? [])].reduce((sum, event) => sum + event, 0)
  return (
    <ReleaseList
      organization={organization.slug}
      params={asked}
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
      {isPlain(asked) ? (
        <NoReleases organization={organization.slug} project={projects[0]?.slug} />
      ) : (
        <NoReleaseMatches base={`/o/${organization.slug}/releases`} params={asked} search={search} />
      )}
    </ReleaseList>
  )
}
