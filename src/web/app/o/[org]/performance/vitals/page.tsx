import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { performanceVitals } from '../../../../../../query/performance/vitals.ts'
import { app } from '../../../../../handle.ts'
import { type LoadedPerformance, loadPerformance, orFailed } from '../../../../../panels/performance/load.ts'
import { isPlain, rowsPerPage, type Search } from '../../../../../panels/performance/params.ts'
import { FewSamples } from '../../../../../panels/performance/sampled.tsx'
import { NoSpans, NothingFound, PerformanceFailed } from '../../../../../panels/performance/states.tsx'
import { StreamedPage } from '../../../../../panels/performance/streamed.tsx'
import { NoSoftVitals, VitalsTable } from '../../../../../panels/performance/vitals-table.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('performance'))('tabs.vitals') }
}

async function Vitals({ loaded }: { loaded: LoadedPerformance }) {
  const { view, frame, search, places, setupProject } = loaded
  const { params, organization } = frame
  const found = await orFailed(
    performanceVitals(app(), view, {
      text: params.q,
      loads: params.loads,
      max: rowsPerPage,
      offset: params.at,
    }),
  )
  if ('failed' in found) return <PerformanceFailed code={found.failed} />
  const { answer } = found
  if (answer.rows.length === 0 && isPlain(params) && params.loads === 'pageload')
    return <NoSpans organization={organization} project={setupProject} />
  if (answer.rows.length === 0 && params.loads === 'navigation') return <NoSoftVitals params={params} />
  if (answer.rows.length === 0)
    return <NothingFound base={`/o/${organization}/performance/vitals`} params={params} search={search} />
  return (
    <>
      <FewSamples samples={Math.max(...answer.totals.map(({ samples }) => samples), 0)} />
      <VitalsTable organization={organization} answer={answer} params={params} places={places} kept={frame.kept} />
    </>
  )
}

/** Web vitals by route. */
export default async function VitalsPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Search>
}) {
  const loaded = await loadPerformance((await params).org, await searchParams, '/vitals')
  return (
    <StreamedPage tab="vitals" loaded={loaded}>
      <Vitals loaded={loaded} />
    </StreamedPage>
  )
}
