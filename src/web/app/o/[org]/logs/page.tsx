import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { logLines } from '../../../../../query/logs/lines.ts'
import { logSummary } from '../../../../../query/logs/summary.ts'
import { app } from '../../../../handle.ts'
import { Logs } from '../../../../panels/logs/logs.tsx'
import { NoLogs } from '../../../../panels/logs/no-logs.tsx'
import { type LogParams, linesPerPage, logParamsOf, logQuery } from '../../../../panels/logs/params.ts'
import type { FirstLogs } from '../../../../panels/logs/use-logs.ts'
import { defaultLogSearch } from '../../../../panels/logs/views.ts'
import { projectIdsOf } from '../../../../panels/search/list-params.ts'
import { environmentsOf } from '../../../../panels/search/load-environments.ts'
import { dsnOfProject, searchPage, viewOfPage } from '../../../../server/search-page.ts'
import { unlessAway } from '../../../../server/unless-away.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('logs'))('title') }
}

type View = Parameters<typeof logLines>[1]

/** The lines and counts of the first paint. The browser asks for what is late or failed, and shows why. */
async function firstLogs(view: View, params: LogParams, projectIds: readonly string[]): Promise<FirstLogs> {
  const isPlainFacets = params.fields.length === 0
  const [lines, summary] = await Promise.all([
    params.mode === 'lines'
      ? unlessAway(
          logLines(app(), view, { query: params.q, columns: params.columns, limit: linesPerPage, cursor: undefined }),
        )
      : undefined,
    isPlainFacets ? unlessAway(logSummary(app(), view, { query: params.q, fields: [] })) : undefined,
  ])
  return { key: JSON.stringify([logQuery(params, projectIds), params.columns]), lines, summary }
}

/** The search over log lines. Its state is in the query string. */
export default async function LogsPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Record<string, string | string[]>>
}) {
  const { org } = await params
  const page = await searchPage(org, searchParams, 'logs')
  const { organization, search, projects, names, views, canShare } = page
  const opening = search.size === 0 ? defaultLogSearch(views, names) : undefined
  if (opening) redirect(`/o/${org}/logs${opening}`)
  const requested = logParamsOf(search)
  const projectIds = projectIdsOf(requested.project, names)
  const view = await viewOfPage(page, { ...requested, projectIds })
  const [first, environments] = await Promise.all([
    firstLogs(view, requested, projectIds),
    unlessAway(environmentsOf(projects)),
  ])
  return (
    <Logs
      organization={organization.slug}
      projects={names}
      environments={environments}
      views={views}
      canShare={canShare}
      first={first}
    >
      <NoLogs organization={organization.slug} dsn={await dsnOfProject(view.projects[0])} />
    </Logs>
  )
}
