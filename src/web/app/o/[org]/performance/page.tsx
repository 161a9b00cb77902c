import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { performanceRoutes } from '../../../../../query/performance-routes.ts'
import { app } from '../../../../handle.ts'
import { type LoadedPerformance, loadPerformance, orFailed } from '../../../../panels/performance/load.ts'
import { isPlain, rowsPerPage, type Search } from '../../../../panels/performance/params.ts'
import { RoutesTable } from '../../../../panels/performance/routes-table.tsx'
import { FewSamples } from '../../../../panels/performance/sampled.tsx'
import { NoSpans, NothingFound, PerformanceFailed } from '../../../../panels/performance/states.tsx'
import { StreamedPage } from '../../../../panels/performance/streamed.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('performance'))('title') }
}

async function Routes({ loaded }: { loaded: LoadedPerformance }) {
  const { view, frame, search, projectIds, places, setupProject } = loaded
  const { params, organization } = frame
  const found = await orFailed(
    performanceRoutes(app(), view, { order: params.sort, text: params.q, max: rowsPerPage, offset: params.at }),
  )
  if ('failed' in found) return <PerformanceFailed code={found.failed} />
  const { answer } = found
  if (answer.rows.length === 0 && isPlain(params)) return <NoSpans organization={organization} project={setupProject} />
  if (answer.rows.length === 0)
    return <NothingFound base={`/o/${organization}/performance`} params={params} search={search} />
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
      />
    </>
  )
}

/** The routes by the time that is lost in them. The state of the list is in the query string. */
export default async function PerformancePage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Search>
}) {
  const loaded = await loadPerformance((await params).org, await searchParams, '')
  return (
    <StreamedPage tab="routes" loaded={loaded}>
      <Routes loaded={loaded} />
    </StreamedPage>
  )
}
