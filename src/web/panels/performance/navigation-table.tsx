'use client'
import { useRouter } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { useRef } from 'react'
import type { RestNavigation, RestNavigationRow } from '../../../contract/performance.ts'
import { Link } from '../../ui/link.tsx'
import { Choices, Popup } from '../../ui/popup.tsx'
import { NameCell } from './cells.tsx'
import { ListBar } from './list-bar.tsx'
import type { PerformanceParams } from './params.ts'
import { usePerformanceChange } from './scope.tsx'
import { useRowKeys } from './use-row-keys.ts'
import { performanceWords } from './words.ts'

const columns = [
  ['loads', ''],
  ['p75', 'wide'],
  ['slow', ''],
  ['failed', ''],
  ['hard', 'wide'],
  ['prefetch', 'wide'],
  ['backForward', 'wide'],
  ['hydration', 'wide'],
  ['skew', 'wide'],
] as const

/** A count of faults: none is pale, some have the colour of warnings. */
function Faults({ count, of }: { count: number; of?: number }) {
  const words = performanceWords(useLocale())
  if (count === 0) return <span className="text-ink-3">0</span>
  return (
    <span title={words.exact(count)} className="text-warning">
      {words.count(count)}
      {of !== undefined && of > 0 ? (
        <span className="performance-of"> {words.share(Math.min(1, count / of))}</span>
      ) : null}
    </span>
  )
}

function Figures({ row }: { row: RestNavigationRow }) {
  const words = performanceWords(useLocale())
  const t = useTranslations('performance.navigation')
  const loads = row.pageLoads + row.navigations
  return (
    <>
      <td
        className="number"
        title={t('loadsTitle', { loads: words.exact(row.pageLoads), navigations: words.exact(row.navigations) })}
      >
        {words.count(loads)}
      </td>
      <td className="number performance-wide">{words.duration(row.p75)}</td>
      <td className="number">
        <Faults count={row.slow} of={loads} />
      </td>
      <td className="number">
        <Faults count={row.failed} of={loads} />
      </td>
      <td className="number performance-wide">
        <Faults count={row.hardNavigations} />
      </td>
      <td className="number performance-wide">
        <Faults count={row.unusedPrefetches} of={row.prefetches} />
      </td>
      <td className="number performance-wide">
        <Faults count={row.backForward} of={row.pageLoads} />
      </td>
      <td className="number performance-wide">
        <Faults count={row.hydration} />
      </td>
      <td className="number performance-wide">
        <Faults count={row.skew} />
      </td>
    </>
  )
}

/** The health of navigation by route, of all releases or of one. */
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
  const pathOf = ({ route }: RestNavigationRow) => {
    const search = new URLSearchParams(kept)
    search.set('q', route)
    return `/o/${organization}/performance?${search}`
  }
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
      <div className="performance-table-box">
        <table ref={table} className="performance-table" aria-label={t('title')}>
          <thead>
            <tr>
              <th scope="col">{routes('route')}</th>
              {columns.map(([name, width]) => (
                <th
                  key={name}
                  scope="col"
                  className={width ? 'number performance-wide' : 'number'}
                  title={t(`title_${name}`)}
                >
                  {t(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {answer.rows.map((row, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: j and k select too, and the row has a link
              <tr
                key={`${row.project.id} ${row.route}`}
                data-cursor={index === at || undefined}
                aria-current={index === at || undefined}
                onClick={() => select(index)}
              >
                <th scope="row">
                  <span className="performance-name">
                    <Link href={pathOf(row)}>
                      <NameCell place={places[row.project.slug] ?? 0} project={row.project.slug} text={row.route} />
                    </Link>
                  </span>
                </th>
                <Figures row={row} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
