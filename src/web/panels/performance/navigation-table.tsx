'use client'
import { useRouter } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { useRef } from 'react'
import type { RestNavigation, RestNavigationRow } from '../../../contract/explore/performance.ts'
import { Link } from '../../ui/link.tsx'
import { Choices, Popup } from '../../ui/popup.tsx'
import { NameCell } from './cells.tsx'
import { ListBar } from './list-bar.tsx'
import { type PerformanceParams, routeSearch } from './params.ts'
import { RowsTable } from './rows-table.tsx'
import { isFew, SampledCount, useSampledText } from './sampled.tsx'
import { usePerformanceChange } from './scope.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { performanceWords } from './words.ts'

const columnNames = ['loads', 'p75', 'slow', 'failed', 'hard', 'prefetch', 'restored', 'hydration', 'skew'] as const
const narrow: ReadonlySet<string> = new Set(['loads', 'slow', 'failed'])

type Counted = RestNavigationRow['slow']
const sumOf = (a: Counted, b: Counted): Counted => ({ samples: a.samples + b.samples, count: a.count + b.count })

/** Faults by samples: none is pale, some have the colour of warnings. */
function Faults({ fault, of }: { fault: Counted; of?: Counted }) {
  const words = performanceWords(useLocale())
  if (fault.samples === 0) return <span className="text-ink-3">0</span>
  return (
    <span className="text-warning">
      <SampledCount of={fault} />
      {of !== undefined && of.count > 0 ? (
        <span className="performance-of"> {words.share(Math.min(1, fault.count / of.count))}</span>
      ) : null}
    </span>
  )
}

/** Errors are not sampled with the spans: a number of them is exact. */
const exact = (events: number): Counted => ({ samples: events, count: events })

function Figures({ row }: { row: RestNavigationRow }) {
  const words = performanceWords(useLocale())
  const sampled = useSampledText()
  const t = useTranslations('performance.navigation')
  const loads = sumOf(row.pageLoads, row.navigations)
  const steps = sumOf(row.backForward, row.restored)
  return (
    <>
      <td
        className="number"
        title={t('loadsTitle', { loads: sampled(row.pageLoads), navigations: sampled(row.navigations) })}
      >
        <SampledCount of={loads} />
      </td>
      <td className="number performance-wide">{words.duration(row.p75)}</td>
      <td className="number">
        <Faults fault={row.slow} of={loads} />
      </td>
      <td className="number">
        <Faults fault={row.failed} of={loads} />
      </td>
      <td className="number performance-wide">
        <Faults fault={row.hardNavigations} />
      </td>
      <td className="number performance-wide">
        <Faults fault={row.unusedPrefetches} of={row.prefetches} />
      </td>
      <td
        className="number performance-wide"
        title={t('restoredOf', { restored: sampled(row.restored), steps: sampled(steps) })}
      >
        {steps.samples === 0 ? (
          <span className="text-ink-3">–</span>
        ) : (
          <span className={row.backForward.samples > 0 ? 'text-warning' : 'text-ink-2'}>
            <SampledCount of={row.restored} />
            <span className="performance-of"> {words.share(row.restored.count / steps.count)}</span>
          </span>
        )}
      </td>
      <td className="number performance-wide">
        <Faults fault={exact(row.hydration)} />
      </td>
      <td className="number performance-wide">
        <Faults fault={exact(row.skew)} />
      </td>
    </>
  )
}

/** The health of navigation by route, of all releases or of a single release. */
export function NavigationTable({
  organization,
  answer,
  params,
  places,
  kept,
}: {
  organization: string
  answer: RestNavigation
  params: PerformanceParams
  places: Readonly<Record<string, number>>
  kept: string
}) {
  const t = useTranslations('performance.navigation')
  const routes = useTranslations('performance.routes')
  const words = performanceWords(useLocale())
  const router = useRouter()
  const table = useRef<HTMLTableElement>(null)
  const [, change] = usePerformanceChange()
  const pathOf = ({ route }: RestNavigationRow) => `/o/${organization}/performance${routeSearch(kept, route)}`
  const [at, select] = useRowKeys(answer.rows, table, (row) => router.push(pathOf(row)), -1)
  const releases = [...new Set([...answer.releases, ...(params.release ? [params.release] : [])])]
  return (
    <>
      <ListBar q={params.q} label={routes('filter')}>
        <Popup name="release" label={t('release')} value={params.release || t('allReleases')}>
          {(close) => (
            <Choices
              label={t('release')}
              filterLabel={t('release')}
              choices={[
                { value: '', text: t('allReleases'), isChosen: params.release === '' },
                ...releases.map((value) => ({ value, text: value, isChosen: value === params.release })),
              ]}
              choose={(value) => {
                change({ release: value })
                close()
              }}
            />
          )}
        </Popup>
      </ListBar>
      <p className="performance-hint">{t('hint', { limit: words.duration(answer.slowMs) })}</p>
      <RowsTable
        table={table}
        label={t('title')}
        first={routes('route')}
        columns={columnNames.map((name) => ({
          name,
          label: t(name),
          title: t(`title_${name}`),
          isWide: !narrow.has(name),
        }))}
        rows={answer.rows}
        keyOf={(row) => `${row.project.id} ${row.route}`}
        at={at}
        select={select}
        isFewOf={(row) => isFew(sumOf(row.pageLoads, row.navigations))}
        nameOf={(row) => (
          <span className="performance-name">
            <Link href={pathOf(row)}>
              <NameCell place={places[row.project.slug] ?? 0} project={row.project.slug} text={row.route} />
            </Link>
          </span>
        )}
        cellsOf={(row) => <Figures row={row} />}
      />
    </>
  )
}
