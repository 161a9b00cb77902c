import { useTranslations } from 'next-intl'
import { performanceRoutes } from '../../../query/performance/routes.ts'
import { app } from '../../handle.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { type LoadedPerformance, loadPerformance, orFailed } from './load.ts'
import { isPlain, rowsPerPage, type Search } from './params.ts'
import { RoutesBar } from './routes-bar.tsx'
import { RoutesTable } from './routes-table.tsx'
import { FewSamples } from './sampled.tsx'
import { NoSpans, NothingFound, PerformanceFailed } from './states.tsx'
import { StreamedPage } from './streamed.tsx'

type Tab = 'routes' | 'jobs'

/** Shown where spans came, but none of a job. */
function NoJobs() {
  const t = useTranslations('performance.jobs')
  return (
    <EmptyState title={t('none')}>
      <p>{t('noneTodo')}</p>
    </EmptyState>
  )
}

async function Routes({ loaded, tab }: { loaded: LoadedPerformance; tab: Tab }) {
  const { view, frame, search, projectIds, places, setupProject } = loaded
  const { params, organization } = frame
  const projects = frame.projects.map(({ slug }) => slug)
  const isJobs = tab === 'jobs'
  const request = { order: params.sort, text: params.q, jobs: isJobs, max: rowsPerPage, offset: params.at }
  const found = await orFailed(performanceRoutes(app(), view, request))
  const bar = (error?: string) => (
    <RoutesBar organization={organization} params={params} projects={projects} error={error} />
  )
  if ('failed' in found && /^QUERY_(?:SYNTAX|TYPE|TOO_LONG)$/.test(found.failed))
    return (
      <>
        {bar(found.message)}
        <ErrorState title={found.message} code={found.failed} />
      </>
    )
  if ('failed' in found) return <PerformanceFailed code={found.failed} />
  const { answer } = found
  if (answer.rows.length === 0 && isPlain(params))
    return isJobs && (await frame.counts)?.samples ? (
      <NoJobs />
    ) : (
      <NoSpans organization={organization} project={setupProject} />
    )
  if (answer.rows.length === 0)
    return (
      <>
        {bar()}
        <NothingFound base={`/o/${organization}/performance${isJobs ? '/jobs' : ''}`} params={params} search={search} />
      </>
    )
  return (
    <>
      <FewSamples samples={answer.samples} />
      <RoutesTable
        organization={organization}
        answer={answer}
        params={params}
        projectIds={projectIds}
        places={places}
        kept={frame.kept}
        projects={projects}
        isJobs={isJobs}
      />
    </>
  )
}

/** The routes or the jobs by the time that is lost in them. The state of the list is in the query string. */
export async function RoutesPage({
  params,
  searchParams,
  tab,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Search>
  tab: Tab
}) {
  const loaded = await loadPerformance((await params).org, await searchParams, tab === 'jobs' ? '/jobs' : '')
  return (
    <StreamedPage tab={tab} loaded={loaded}>
      <Routes loaded={loaded} tab={tab} />
    </StreamedPage>
  )
}
