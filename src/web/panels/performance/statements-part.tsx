import { performanceStatements } from '../../../query/performance/statements.ts'
import { app } from '../../handle.ts'
import { type LoadedPerformance, loadPerformance, orFailed } from './load.ts'
import { isPlain, rowsPerPage, type Search } from './params.ts'
import { FewSamples } from './sampled.tsx'
import { StatementsTable } from './statements-table.tsx'
import { NoSpans, NothingFound, PerformanceFailed } from './states.tsx'
import { StreamedPage } from './streamed.tsx'

type Kind = 'queries' | 'requests' | 'assets'

async function Statements({ loaded, kind }: { loaded: LoadedPerformance; kind: Kind }) {
  const { view, frame, search, projectIds, places, setupProject } = loaded
  const { params, organization } = frame
  const found = await orFailed(
    performanceStatements(app(), view, {
      kind,
      text: params.q,
      order: params.statementSort,
      max: rowsPerPage,
      offset: params.at,
    }),
  )
  if ('failed' in found) return <PerformanceFailed code={found.failed} />
  const { answer } = found
  if (answer.rows.length === 0 && isPlain(params)) return <NoSpans organization={organization} project={setupProject} />
  if (answer.rows.length === 0)
    return <NothingFound base={`/o/${organization}/performance/${kind}`} params={params} search={search} />
  return (
    <>
      <FewSamples samples={answer.rows.reduce((sum, { samples }) => sum + samples, 0)} />
      <StatementsTable
        organization={organization}
        kind={kind}
        answer={answer}
        params={params}
        projectIds={projectIds}
        places={places}
        kept={frame.kept}
      />
    </>
  )
}

/** The page of database statements, sent requests or assets. */
export async function StatementsPage({
  params,
  searchParams,
  kind,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<Search>
  kind: Kind
}) {
  const loaded = await loadPerformance((await params).org, await searchParams, `/${kind}`)
  return (
    <StreamedPage tab={kind} loaded={loaded}>
      <Statements loaded={loaded} kind={kind} />
    </StreamedPage>
  )
}
