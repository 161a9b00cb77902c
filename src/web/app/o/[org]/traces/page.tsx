import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { type Exploration, exploreSpans } from '../../../../../query/traces/span-explore.ts'
import { app } from '../../../../handle.ts'
import { projectIdsOf } from '../../../../panels/search/list-params.ts'
import { environmentsOf } from '../../../../panels/search/load-environments.ts'
import { NoMatches, NoTraces } from '../../../../panels/trace-search/no-traces.tsx'
import { isPlain, traceParams } from '../../../../panels/trace-search/params.ts'
import { TraceSearch } from '../../../../panels/trace-search/trace-search.tsx'
import { defaultSearch } from '../../../../panels/trace-search/views.ts'
import { dsnOfProject, searchPage, viewOfPage } from '../../../../server/search-page.ts'
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

/** The search over traces and spans. Its state is in the query string. */
export default async function TracesPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Record<string, string | string[]>>
}) {
  const { org } = await params
  const page = await searchPage(org, searchParams, 'traces')
  const { organization, search, projects, names, views, canShare } = page
  const opening = search.size === 0 ? defaultSearch(views, names) : undefined
  if (opening) redirect(`/o/${org}/traces${opening}`)
  const requested = traceParams(search)
  const view = await viewOfPage(page, { ...requested, projectIds: projectIdsOf(requested.project, names) })
  const { range } = view
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
        <NoTraces organization={organization.slug} dsn={await dsnOfProject(view.projects[0])} />
      ) : (
        <NoMatches base={`/o/${organization.slug}/traces`} params={requested} search={search.toString()} />
      )}
    </TraceSearch>
  )
}
