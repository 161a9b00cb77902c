'use client'
import { useRouter } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { useRef } from 'react'
import type { RestRouteRow, RestRoutes } from '../../../contract/explore/performance.ts'
import { releasePath } from '../../client/release-path.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Change, Delta, Failures, NameCell, OpName, RouteLine, Score } from './cells.tsx'
import { Pages } from './pages.tsx'
import { type PerformanceParams, type RouteSort, rowsPerPage } from './params.ts'
import { RoutesBar } from './routes-bar.tsx'
import { type Column, RowsTable } from './rows-table.tsx'
import { isFew, SampledCount } from './sampled.tsx'
import { SelectedRoute } from './selected-route.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { filledSeries, performanceWords } from './words.ts'

type TableProps = {
  organization: string
  answer: RestRoutes
  params: PerformanceParams
  /** Ids of the selected projects. */
  projectIds: readonly string[]
  /** The place of each project by slug, for the colour of its rail. */
  places: Readonly<Record<string, number>>
  /** The query string that all pages keep, with `?`. */
  kept: string
  /** Slugs of all projects that the reader may read. */
  projects: readonly string[]
  /** A list of jobs has other words, and no Apdex and vitals: nobody waits for a job. */
  isJobs: boolean
}

/** The order whose column is marked. */
const sorted: Record<RouteSort, string> = {
  lost: 'lost',
  slow: 'p75',
  worse: 'change',
  failing: 'failures',
  volume: 'requests',
}

const columnNames = [
  'requests',
  'throughput',
  'lost',
  'p50',
  'p75',
  'p95',
  'failures',
  'apdex',
  'vitals',
  'change',
  'line',
] as const
const wide: ReadonlySet<string> = new Set(['throughput', 'lost', 'p50', 'p95', 'apdex', 'vitals', 'line'])
/** Columns that only somebody who waits has. */
const ofPeople: ReadonlySet<string> = new Set(['apdex', 'vitals'])

function useColumns(sort: RouteSort, isJobs: boolean): Column[] {
  const t = useTranslations('performance.routes')
  const jobs = useTranslations('performance.jobs')
  return columnNames
    .filter((name) => !isJobs || !ofPeople.has(name))
    .map((name) => ({
      name,
      label: isJobs && name === 'requests' ? jobs('requests') : t(name),
      title: name === 'lost' || name === 'apdex' || name === 'throughput' ? t(`${name}Title`) : undefined,
      isWide: wide.has(name),
      isText: name === 'line',
      isSorted: sorted[sort] === name,
    }))
}

function Name({
  row,
  href,
  place,
  organization,
}: {
  row: RestRouteRow
  href: string
  place: number
  organization: string
}) {
  const t = useTranslations('performance.routes')
  return (
    <span className="performance-name">
      <Link href={href}>
        <NameCell place={place} project={row.project.slug} text={row.route} />
      </Link>
      <OpName op={row.op} />
      {row.newIn === null ? null : (
        <Link className="performance-new" href={releasePath(organization, row.newIn)} title={row.newIn}>
          {t('newIn')} <PlainText text={row.newIn.replace(/^[^@]*@/, '')} charactersMax={20} />
        </Link>
      )}
    </span>
  )
}

/** A percentile as a link to its route, where the durations from it on are selected. */
function Percentile({ ms, href, label }: { ms: number | null; href: string; label: string }) {
  const words = performanceWords(useLocale())
  if (ms === null) return words.duration(ms)
  const search = new URLSearchParams(href.split('?')[1] ?? '')
  search.set('brush', `${Math.floor(ms * 1000) / 1000}-`)
  return (
    <Link className="performance-percentile-link" href={`${href.split('?')[0]}?${search}`} title={label}>
      {words.duration(ms)}
    </Link>
  )
}

function Cells({
  row,
  answer,
  isJobs,
  href,
}: Pick<TableProps, 'answer' | 'isJobs'> & { row: RestRouteRow; href: string }) {
  const t = useTranslations('performance.routes')
  const words = performanceWords(useLocale())
  const { previous } = row
  const samples = [row.samples, previous.samples] as const
  const points = filledSeries(
    row.series.map(([startS, value]) => ({ startS, value })),
    Date.parse(answer.start),
    Date.parse(answer.end),
    answer.bucketSeconds,
  )
  return (
    <>
      <td className="number">
        <SampledCount of={row} />
        <Delta
          kind="count"
          now={row.count}
          before={previous.count}
          samples={samples}
          was={words.count(Math.round(previous.count))}
        />
      </td>
      <td className="number performance-wide text-ink-2">{words.perMinute(row.perMinute)}</td>
      <td className="number performance-wide">{words.long(row.lostPerDayMs)}</td>
      <td className="number performance-wide text-ink-2">{words.duration(row.p50)}</td>
      <td className="number">
        <b>
          <Percentile ms={row.p75} href={href} label={t('slowerThan', { part: 'p75' })} />
        </b>
      </td>
      <td className="number performance-wide text-ink-2">
        <Percentile ms={row.p95} href={href} label={t('slowerThan', { part: 'p95' })} />
        <Delta kind="time" now={row.p95} before={previous.p95} samples={samples} was={words.duration(previous.p95)} />
      </td>
      <td className="number">
        <Failures rate={row.failureRate} />
        <Delta
          kind="rate"
          now={row.failureRate}
          before={previous.failureRate}
          samples={samples}
          was={words.rate(previous.failureRate)}
        />
      </td>
      {isJobs ? null : (
        <>
          <td className="number performance-wide text-ink-2">{words.apdex(row.apdex)}</td>
          <td className="number performance-wide">
            <Score score={row.vitalsScore} />
          </td>
        </>
      )}
      <td className="number">
        <Change change={row.p75Change} />
      </td>
      <td className="performance-wide">
        <RouteLine row={row} points={points.map(({ value }) => value)} />
      </td>
    </>
  )
}

/** The routes of a range. The selected one is above the table, with its trend and what makes it slow. */
export function RoutesTable(props: TableProps) {
  const { organization, answer, params, projectIds, kept, isJobs, places } = props
  const words = useTranslations(isJobs ? 'performance.jobs' : 'performance.routes')
  const router = useRouter()
  const table = useRef<HTMLTableElement>(null)
  const { rows } = answer
  const pathOf = (row: RestRouteRow) => `/o/${organization}/performance/${row.id}${kept}`
  const [at, select] = useRowKeys(rows, table, (row) => router.push(pathOf(row)), 0)
  const columns = useColumns(params.sort, isJobs)
  const chosen = rows[at]
  return (
    <>
      {chosen ? (
        <SelectedRoute
          key={chosen.id}
          organization={organization}
          row={chosen}
          params={params}
          projectIds={projectIds}
          places={places}
          href={pathOf(chosen)}
          kept={kept}
        />
      ) : null}
      <RoutesBar organization={organization} params={params} projects={props.projects} />
      <RowsTable
        table={table}
        label={words('table')}
        first={words('route')}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        at={at}
        select={select}
        isFewOf={isFew}
        nameOf={(row) => (
          <Name row={row} href={pathOf(row)} place={places[row.project.slug] ?? 0} organization={organization} />
        )}
        cellsOf={(row) => <Cells row={row} answer={answer} isJobs={isJobs} href={pathOf(row)} />}
      />
      <Pages at={params.at} all={answer.all} each={rowsPerPage} />
    </>
  )
}
