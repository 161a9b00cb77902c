import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { routeOfId } from '../../../../../../query/performance/ids.ts'
import { performanceRoute } from '../../../../../../query/performance/route.ts'
import { app } from '../../../../../handle.ts'
import { type LoadedPerformance, loadPerformance, orFailed } from '../../../../../panels/performance/load.ts'
import type { Search } from '../../../../../panels/performance/params.ts'
import { RoutePage } from '../../../../../panels/performance/route-page.tsx'
import { NothingFound, PerformanceFailed } from '../../../../../panels/performance/states.tsx'
import { StreamedPage } from '../../../../../panels/performance/streamed.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('performance'))('title') }
}

async function Route({ loaded, id }: { loaded: LoadedPerformance; id: string }) {
  const { view, frame, search, projectIds, places } = loaded
  const found = await orFailed(performanceRoute(app(), view, id))
  if ('failed' in found) return <PerformanceFailed code={found.failed} />
  const { answer } = found
  if (answer.samples === 0)
    return <NothingFound base={`/o/${frame.organization}/performance/${id}`} params={frame.params} search={search} />
  return (
    <RoutePage
      organization={frame.organization}
      page={answer}
      params={frame.params}
      projectIds={projectIds}
      place={places[answer.project.slug] ?? 0}
      kept={frame.kept}
    />
  )
}

/** One route: distribution, trend, traces, where the time goes, breakdowns and issues. */
export default async function PerformanceRoutePage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string; route: string }>
  searchParams: Promise<Search>
}) {
  const { org, route } = await params
  const loaded = await loadPerformance(org, await searchParams, `/${route}`)
  // Before anything is sent, so that the answer has its status.
  const key = routeOfId(route)
  if (!loaded.view.readableIds?.some((id) => id === key?.projectId)) notFound()
  const projects = loaded.view.projects.filter(({ id }) => id === key?.projectId)
  if (projects.length === 0)
    return (
      <StreamedPage tab="routes" loaded={loaded}>
        <NothingFound base={`/o/${org}/performance/${route}`} params={loaded.frame.params} search={loaded.search} />
      </StreamedPage>
    )
  return (
    <StreamedPage tab="routes" loaded={loaded}>
      <Route loaded={loaded} id={route} />
    </StreamedPage>
  )
}
