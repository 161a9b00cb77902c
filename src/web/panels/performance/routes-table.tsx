'use client'
import { useRouter } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { useRef } from 'react'
import type { RestRouteRow, RestRoutes } from '../../../contract/performance.ts'
import { releasePath } from '../../client/release-path.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Change, Failures, NameCell, OpName, RouteLine, Score } from './cells.tsx'
import { ListBar } from './list-bar.tsx'
import { Pages } from './pages.tsx'
import { type PerformanceParams, type RouteSort, rowsPerPage } from './params.ts'
import { useSampledText } from './sampled.tsx'
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
}

/** The order whose column is marked. */
const sorted: Partial<Record<RouteSort, string>> = {
  lost: 'lost',
  slow: 'p75',
  worse: 'change',
  failing: 'failures',
  volume: 'requests',
}

const columns = ['requests', 'lost', 'p50', 'p75', 'p95', 'failures', 'apdex', 'vitals', 'change'] as const
/** Columns that a phone has no room for. */
const wide: ReadonlySet<string> = new Set(['lost', 'p50', 'p95', 'apdex', 'vitals'])

function Head({ sort }: { sort: RouteSort }) {
  const t = useTranslations('performance.routes')
  return (
    <thead>
      <tr>
        <th scope="col">{t('route')}</th>
        {columns.map((name) => (
          <th
            key={name}
            scope="col"
            className={wide.has(name) ? 'number performance-wide' : 'number'}
            aria-sort={sorted[sort] === name ? 'descending' : undefined}
            title={name === 'lost' || name === 'apdex' ? t(`${name}Title`) : undefined}
          >
            {t(name)}
            {sorted[sort] === name ? ' ↓' : ''}
          </th>
        ))}
        <th scope="col" className="performance-wide">
          {t('line')}
        </th>
      </tr>
    </thead>
  )
}

function Row({
  organization,
  row,
  answer,
  places,
  kept,
  isCursor,
  select,
}: Omit<TableProps, 'params' | 'projectIds'> & {
  row: RestRouteRow
  isCursor: boolean
  select: () => void
}) {
  const t = useTranslations('performance.routes')
  const words = performanceWords(useLocale())
  const sampled = useSampledText()
  const points = filledSeries(
    row.series.map(([startS, value]) => ({ startS, value })),
    Date.parse(answer.start),
    Date.parse(answer.end),
    answer.bucketSeconds,
  )
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k select too, and the row has a link
    <tr data-cursor={isCursor || undefined} aria-current={isCursor || undefined} onClick={select}>
      <th scope="row">
        <span className="performance-name">
          <Link href={`/o/${organization}/performance/${row.id}${kept}`}>
            <NameCell place={places[row.project.slug] ?? 0} project={row.project.slug} text={row.route} />
          </Link>
          <OpName op={row.op} />
          {row.newIn === null ? null : (
            <Link className="performance-new" href={releasePath(organization, row.newIn)} title={row.newIn}>
              {t('newIn')} <PlainText text={row.newIn.replace(/^[^@]*@/, '')} charactersMax={20} />
            </Link>
          )}
        </span>
      </th>
      <td className="number" title={sampled(row)}>
        {words.count(row.count)}
      </td>
      <td className="number performance-wide">{words.long(row.timePerDayMs)}</td>
      <td className="number performance-wide text-ink-2">{words.duration(row.p50)}</td>
      <td className="number">
        <b>{words.duration(row.p75)}</b>
      </td>
      <td className="number performance-wide text-ink-2">{words.duration(row.p95)}</td>
      <td className="number">
        <Failures rate={row.failureRate} />
      </td>
      <td className="number performance-wide text-ink-2">{words.apdex(row.apdex)}</td>
      <td className="number performance-wide">
        <Score score={row.vitalsScore} />
      </td>
      <td className="number">
        <Change change={row.p75Change} />
      </td>
      <td className="performance-wide">
        <RouteLine row={row} points={points.map(({ value }) => value)} />
      </td>
    </tr>
  )
}

/** The routes of a range. The selected one is above the table, with its trend and what makes it slow. */
export function RoutesTable(props: TableProps) {
  const { organization, answer, params, projectIds, kept } = props
  const t = useTranslations('performance.routes')
  const router = useRouter()
  const table = useRef<HTMLTableElement>(null)
  const { rows } = answer
  const pathOf = (row: RestRouteRow) => `/o/${organization}/performance/${row.id}${kept}`
  const [at, select] = useRowKeys(rows, table, (row) => router.push(pathOf(row)), 0)
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
          places={props.places}
          href={pathOf(chosen)}
        />
      ) : null}
      <ListBar
        q={params.q}
        label={t('filter')}
        sort={params.sort}
        first="lost"
        choices={(['lost', 'slow', 'worse', 'failing', 'volume'] as const).map((value) => ({
          value,
          label: t(`sort.${value}`),
        }))}
      />
      <div className="performance-table-box">
        <table ref={table} className="performance-table" aria-label={t('table')}>
          <Head sort={params.sort} />
          <tbody>
            {rows.map((row, index) => (
              <Row key={row.id} {...props} row={row} isCursor={index === at} select={() => select(index)} />
            ))}
          </tbody>
        </table>
      </div>
      <Pages at={params.at} all={answer.all} each={rowsPerPage} />
    </>
  )
}
