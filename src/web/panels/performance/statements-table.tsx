'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import { useRef } from 'react'
import type { RestStatement, RestStatementCallers, RestStatements } from '../../../contract/explore/performance.ts'
import { apiFetch } from '../../client/api.ts'
import { Link } from '../../ui/link.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import { Delta, Failures, NameCell } from './cells.tsx'
import { ListBar } from './list-bar.tsx'
import { Pages } from './pages.tsx'
import { type PerformanceParams, routeSearch, rowsPerPage, statementSorts, viewQueryOf } from './params.ts'
import { RowsTable } from './rows-table.tsx'
import { isFew, SampledCount, useSampledText } from './sampled.tsx'
import { usePerformanceChange } from './scope.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { performanceWords } from './words.ts'

type Kind = 'queries' | 'requests' | 'assets'
type TableProps = {
  organization: string
  kind: Kind
  answer: RestStatements
  params: PerformanceParams
  projectIds: readonly string[]
  places: Readonly<Record<string, number>>
  kept: string
}

/** The routes that a statement runs in, below its row. */
function Callers({
  organization,
  kind,
  params,
  projectIds,
  places,
  kept,
  id,
}: Omit<TableProps, 'answer'> & { id: string }) {
  const t = useTranslations('performance.statements')
  const words = performanceWords(useLocale())
  const sampled = useSampledText()
  const query = viewQueryOf(params, projectIds)
  const { data, error } = useQuery({
    queryKey: ['performance-callers', organization, kind, id, query],
    queryFn: ({ signal }) =>
      apiFetch<RestStatementCallers>(`organizations/${organization}/performance/${kind}/${id}/`, { query, signal }),
  })
  if (error) return <QueryFailed error={error} />
  if (!data) return <p className="performance-none">{t('loading')}</p>
  return (
    <div className="performance-callers">
      <p className="performance-whole">
        <code>{data.statement.statement}</code>
      </p>
      <h3>{t('callersOf', { count: data.callers.length })}</h3>
      <ul className="performance-list">
        {data.callers.map((caller) => (
          <li key={`${caller.project.id} ${caller.route}`}>
            <Link className="performance-cut" href={`/o/${organization}/performance${routeSearch(kept, caller.route)}`}>
              <NameCell place={places[caller.project.slug] ?? 0} project={caller.project.slug} text={caller.route} />
            </Link>
            <span className="text-ink-3">{sampled(caller)}</span>
            <b>{words.long(caller.totalMs)}</b>
            <span className="text-ink-3">p95 {words.duration(caller.p95)}</span>
            {caller.slowest ? (
              <Link href={`/o/${organization}/traces/${caller.slowest.traceId}?span=${caller.slowest.spanId}`}>
                {t('slowest')}
              </Link>
            ) : null}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Figures({ row, kind }: { row: RestStatement; kind: Kind }) {
  const words = performanceWords(useLocale())
  const { previous } = row
  const samples = [row.samples, previous.samples] as const
  return (
    <>
      <td className="number">
        <b>{words.long(row.totalMs)}</b>
        <Delta
          kind="time"
          now={row.totalMs}
          before={previous.totalMs}
          samples={samples}
          was={words.long(previous.totalMs)}
        />
      </td>
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
      <td className="number performance-wide text-ink-2">{words.duration(row.p75)}</td>
      <td className="number">
        {words.duration(row.p95)}
        <Delta kind="time" now={row.p95} before={previous.p95} samples={samples} was={words.duration(previous.p95)} />
      </td>
      <td className="number performance-wide">
        <Failures rate={row.failureRate} />
        <Delta
          kind="rate"
          now={row.failureRate}
          before={previous.failureRate}
          samples={samples}
          was={words.rate(previous.failureRate)}
        />
      </td>
      {kind === 'assets' ? (
        <>
          <td className="number performance-wide">{row.bytes === null ? '–' : words.bytes(row.bytes)}</td>
          <td className="number performance-wide">{words.rate(row.blocking)}</td>
        </>
      ) : null}
      <td className="number performance-wide">{words.exact(row.callers)}</td>
    </>
  )
}

/** The order whose column is marked. */
const sorted = { total: 'total', slow: 'p95', count: 'count', failing: 'failures' } as const

/** In the URL if the reader closed the row that opens by itself. */
const closed = '-'

/** The open row: the selected row, or else the row that the filter names. Links from routes lead there. */
function openedOf(rows: readonly RestStatement[], { open, q }: Pick<PerformanceParams, 'open' | 'q'>): string {
  if (open !== '' || q === '') return open
  const named = rows.find(({ statement }) => statement === q) ?? (rows.length === 1 ? rows[0] : undefined)
  return named?.id ?? ''
}

/** Database statements, sent requests or assets. Enter or a click shows the routes that they run in. */
export function StatementsTable(props: TableProps) {
  const { kind, answer, params, places } = props
  const t = useTranslations('performance.statements')
  const table = useRef<HTMLTableElement>(null)
  const [, change] = usePerformanceChange()
  const open = openedOf(answer.rows, params)
  const toggle = ({ id }: { id: string }) => change({ open: open === id ? closed : id })
  const [at, select] = useRowKeys(answer.rows, table, toggle, -1)
  const columns = [
    ['total', ''],
    ['count', ''],
    ['p75', 'wide'],
    ['p95', ''],
    ['failures', 'wide'],
    ...(kind === 'assets'
      ? ([
          ['size', 'wide'],
          ['blocking', 'wide'],
        ] as const)
      : []),
    ['callers', 'wide'],
  ] as const
  return (
    <>
      <ListBar
        q={params.q}
        label={t(`filter.${kind}`)}
        sort={params.statementSort}
        first="total"
        choices={statementSorts.map((value) => ({ value, label: t(`sort.${value}`) }))}
      />
      <RowsTable
        table={table}
        label={t(`title.${kind}`)}
        first={t(`title.${kind}`)}
        columns={columns.map(([name, width]) => ({
          name,
          label: t(`column.${name}`),
          isWide: width !== '',
          isSorted: sorted[params.statementSort] === name,
        }))}
        rows={answer.rows}
        keyOf={({ id }) => id}
        at={at}
        select={select}
        isFewOf={isFew}
        nameOf={(row) => (
          <button
            type="button"
            className="performance-name"
            aria-expanded={open === row.id}
            onClick={() => toggle(row)}
          >
            <NameCell place={places[row.project.slug] ?? 0} project={row.project.slug} text={row.statement} />
          </button>
        )}
        cellsOf={(row) => <Figures row={row} kind={kind} />}
        openedOf={(row) => (open === row.id ? <Callers {...props} id={row.id} /> : null)}
      />
      <Pages at={params.at} all={answer.all} each={rowsPerPage} />
    </>
  )
}
