'use client'
import { ChevronRight } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { useRef, useState } from 'react'
import type { RestNavigation, RestNavigationRow } from '../../../contract/explore/performance.ts'
import { Link } from '../../ui/link.tsx'
import { Choices, Popup } from '../../ui/popup.tsx'
import { NameCell } from './cells.tsx'
import { ListBar } from './list-bar.tsx'
import { columnNames, NavigationCells, narrow, sumOf } from './navigation-cells.tsx'
import { NavigationReleases } from './navigation-releases.tsx'
import { type PerformanceParams, routeSearch } from './params.ts'
import { RowsTable } from './rows-table.tsx'
import { isFew } from './sampled.tsx'
import { usePerformanceChange } from './scope.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { performanceWords } from './words.ts'

const keyOf = (row: RestNavigationRow): string => `${row.project.id} ${row.route}`

/** The health of navigation by route, of all releases or of a single release. A row opens its releases beside each other. */
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
  const [open, setOpen] = useState<string>()
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
        keyOf={keyOf}
        at={at}
        select={select}
        isFewOf={(row) => isFew(sumOf(row.pageLoads, row.navigations))}
        nameOf={(row) => (
          <span className="performance-name">
            <button
              type="button"
              className="performance-fold"
              aria-expanded={open === keyOf(row)}
              aria-label={t('releasesOf', { route: row.route })}
              title={t('releases')}
              onClick={() => setOpen(open === keyOf(row) ? undefined : keyOf(row))}
            >
              <ChevronRight size={14} strokeWidth={1.75} aria-hidden="true" />
            </button>
            <Link href={pathOf(row)}>
              <NameCell place={places[row.project.slug] ?? 0} project={row.project.slug} text={row.route} />
            </Link>
          </span>
        )}
        cellsOf={(row) => <NavigationCells row={row} />}
        openedOf={(row) =>
          open === keyOf(row) ? <NavigationReleases organization={organization} row={row} params={params} /> : null
        }
      />
    </>
  )
}
