import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { readableProjects } from '../../../../../auth/allowed-projects.ts'
import { someAsync } from '../../../../../base/sequence.ts'
import { namedProjects } from '../../../../../query/named-projects.ts'
import { rangeOf } from '../../../../../query/range.ts'
import { viewsOf } from '../../../../../query/saved.ts'
import { defaultProjects } from '../../../../../query/self-project.ts'
import { type Exploration, exploreSpans } from '../../../../../query/span-explore.ts'
import type { Project } from '../../../../../store/meta/meta.ts'
import { dsnOf } from '../../../../../wire/dsn.ts'
import { app } from '../../../../handle.ts'
import { projectIdsOf } from '../../../../panels/search/list-params.ts'
import { environmentsOf } from '../../../../panels/search/load-environments.ts'
import { NoMatches, NoTraces } from '../../../../panels/trace-search/no-traces.tsx'
import { isPlain, traceParams } from '../../../../panels/trace-search/params.ts'
import { TraceSearch } from '../../../../panels/trace-search/trace-search.tsx'
import { defaultSearch } from '../../../../panels/trace-search/views.ts'
import { demandOrganization } from '../../../../server/session.ts'
import { codeOf, unlessAway } from '../../../../server/unless-away.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('spans'))('title') }
}

type Answer = Pick<Parameters<typeof TraceSearch>[0], 'found' | 'failed'>

/** The answer, or why there is none: a wrong search, or a store that is down. Other errors go to the error screen. */
async function answered(exploration: Promise<Exploration>): Promise<Answer> {
  try {
    return { found: await exploration, failed: undefined }
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (!/^(STORE_UNAVAILABLE|VALIDATION|QUERY_[A-Z_]+)$/.test(code)) throw error
    if (code === 'STORE_UNAVAILABLE' || code === 'QUERY_TIMEOUT') {
      const t = await getTranslations('performance.failed')
      const kind = code === 'QUERY_TIMEOUT' ? 'late' : 'away'
      return { found: undefined, failed: { message: t(kind), todo: t(`${kind}Todo`), code } }
    }
    return { found: undefined, failed: { message: error instanceof Error ? error.message : code, code } }
  }
}

/** The DSN of a project, for the snippet of the empty screen. */
async function dsnOfProject(project: Project | undefined): Promise<string | undefined> {
  const [key] = project ? await app().meta.projects.keysOf(project.id) : []
  return key && dsnOf(app().config.url, key)
}

/** The search over traces and spans. Its state is in the query string. */
export default async function TracesPage({
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
  const { actor, organization } = await demandOrganization(org, `/o/${org}/traces${search.size ? `?${search}` : ''}`)
  const { auth, clock, meta } = app()
  const projects = await readableProjects(app(), actor, organization)
  const names = projects.map(({ id, slug, name }) => ({ id: String(id), slug, name }))
  const canShare = await someAsync(
    projects,
    async (project) => (await auth.may(actor, 'issue:triage', { organization, project })) === 'yes',
  )
  const views = await viewsOf(meta, organization.id, { userId: actor.person.id, mayShare: canShare }, 'traces')
  const opening = search.size === 0 ? defaultSearch(views, names) : undefined
  if (opening) redirect(`/o/${org}/traces${opening}`)
  const requested = traceParams(search)
  const projectIds = projectIdsOf(requested.project, names)
  const chosen = projectIds.length
    ? ((await namedProjects(meta, organization.id, projects, projectIds)) ?? [])
    : await defaultProjects(meta, organization.id, projects)
  const { range: shown } = requested
  const range = rangeOf(
    shown.kind === 'relative'
      ? { statsPeriod: shown.period }
      : { start: new Date(shown.fromMs).toISOString(), end: new Date(shown.toMs).toISOString() },
    clock.now(),
  )
  const view = { projects: chosen, environments: requested.env.split(',').filter((part) => part !== ''), range }
  const [answer, environments] = await Promise.all([
    answered(
      exploreSpans(app(), view, {
        query: requested.q,
        mode: requested.mode,
        sort: requested.sort,
        offset: requested.at,
      }),
    ),
    unlessAway(environmentsOf(projects)),
  ])
  return (
    <TraceSearch
      organization={organization.slug}
      params={requested}
      range={{ fromMs: range.fromMs, toMs: range.toMs }}
      projects={names}
      environments={environments}
      views={views}
      canShare={canShare}
      {...answer}
    >
      {isPlain(requested) ? (
        <NoTraces organization={organization.slug} dsn={await dsnOfProject(chosen[0])} />
      ) : (
        <NoMatches base={`/o/${organization.slug}/traces`} params={requested} search={search.toString()} />
      )}
    </TraceSearch>
  )
}
