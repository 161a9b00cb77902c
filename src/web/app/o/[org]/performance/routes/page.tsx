import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { performanceNavigation } from '../../../../../../query/performance/navigation.ts'
import { app } from '../../../../../handle.ts'
import { type LoadedPerformance, loadPerformance, orFailed } from '../../../../../panels/performance/load.ts'
import { NavigationTable } from '../../../../../panels/performance/navigation-table.tsx'
import { isPlain, type Search } from '../../../../../panels/performance/params.ts'
import { FewSamples } from '../../../../../panels/performance/sampled.tsx'
import { NoSpans, NothingFound, PerformanceFailed } from '../../../../../panels/performance/states.tsx'
import { StreamedPage } from '../../../../../panels/performance/streamed.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('performance'))('tabs.navigation') }
}

async function Navigation({ loaded }: { loaded: LoadedPerformance }) {
  const { view, frame, search, places, setupProject } = loaded
  const { params, organization } = frame
  const found = await orFailed(performanceNavigation(app(), view, { release: params.release, text: params.q }))
  if ('failed' in found) return <PerformanceFailed code={found.failed} />
  const { answer } = found
  if (answer.rows.length === 0 && isPlain(params)) return <NoSpans organization={organization} project={setupProject} />
  if (answer.rows.length === 0)
    return <NothingFound base={`/o/${organization}/performance/routes`} params={params} search={search} />
  return (
    <>
      <FewSamples
        samples={answer.rows.reduce((sum, row) => sum + row.pageLoads.samples + row.navigations.samples, 0)}
      />
      <NavigationTable organization={organization} answer={answer} params={params} places={places} kept={frame.kept} />
    </>
  )
}

/** The health of navigation by route and release. */
export default async function NavigationPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Search>
}) {
  const loaded = await loadPerformance((await params).org, await searchParams, '/routes')
  return (
    <StreamedPage tab="navigation" loaded={loaded}>
      <Navigation loaded={loaded} />
    </StreamedPage>
  )
}
