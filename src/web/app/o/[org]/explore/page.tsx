import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../../auth/allowed-projects.ts'
import { type QueryReader, savedQueriesOf } from '../../../../../query/explore/saved-queries.ts'
import { namedProjects } from '../../../../../query/named-projects.ts'
import { rangeOf } from '../../../../../query/range.ts'
import { defaultProjects } from '../../../../../query/self-project.ts'
import { app } from '../../../../handle.ts'
import { Explore } from '../../../../panels/explore/explore.tsx'
import { loadAnswer, loadFields } from '../../../../panels/explore/load.ts'
import { type ExploreParams, exploreParams, exploreSearch, savedParams } from '../../../../panels/explore/params.ts'
import { projectIdsOf } from '../../../../panels/search/list-params.ts'
import { environmentsOf } from '../../../../panels/search/load-environments.ts'
import { demandOrganization } from '../../../../server/session.ts'
import { unlessAway } from '../../../../server/unless-away.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('explore'))('title') }
}

/** The query string as a list of pairs: a name can come more than once. */
function searchOf(given: Record<string, string | string[] | undefined>): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(given))
    for (const value of [values ?? []].flat()) search.append(name, value)
  return search
}

/** The range of the page in ms. */
const rangeHere = ({ range }: ExploreParams) =>
  rangeOf(
    range.kind === 'relative'
      ? { statsPeriod: range.period }
      : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() },
    app().clock.now(),
  )

/** Questions over every kind of data. Its state is in the query string. */
export default async function ExplorePage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { org } = await params
  const search = searchOf(await searchParams)
  const { actor, organization } = await demandOrganization(org, `/o/${org}/explore${search.size ? `?${search}` : ''}`)
  const { auth, config, events, meta } = app()
  const projects = await readableProjects(app(), actor, organization)
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  const reader: QueryReader = {
    userId: actor.person.id,
    maySave: (await auth.may(actor, 'issue:triage', { organization })) === 'yes',
    organization: organization.slug,
    url: config.url,
  }
  const saved = await savedQueriesOf(meta, organization.id, reader)
  const requested = exploreParams(search)
  const opened = search.size === 1 ? saved.find(({ id }) => id === requested.saved) : undefined
  if (opened) redirect(`/o/${org}/explore${exploreSearch(savedParams(opened, names))}`)
  const projectIds = projectIdsOf(requested.project, names)
  const chosen = projectIds.length
    ? ((await namedProjects(meta, organization.id, projects, projectIds)) ?? [])
    : await defaultProjects(meta, organization.id, projects)
  const view = {
    organization,
    projects: chosen,
    environments: requested.env.split(',').filter((part) => part !== ''),
    range: rangeHere(requested),
    meUserId: actor.person.id,
  }
  const maySql = (await auth.may(actor, 'query:sql', { organization })) === 'yes'
  const [{ answer, failed }, environments, fields] = await Promise.all([
    requested.mode === 'sql' ? { answer: undefined, failed: undefined } : loadAnswer(view, requested),
    unlessAway(environmentsOf(projects)),
    requested.mode === 'sql' ? [] : loadFields(view, requested.plan.dataset),
  ])
  return (
    <Explore
      organization={organization.slug}
      params={requested}
      projects={names}
      environments={environments}
      fields={fields}
      saved={saved}
      canSave={reader.maySave}
      sqlViews={maySql ? events.sqlViews() : undefined}
      sqlExample={events.sqlExample()}
      answer={answer}
      failed={failed}
    />
  )
}
