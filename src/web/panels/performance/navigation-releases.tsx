'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import type { RestNavigationReleases, RestNavigationRow } from '../../../contract/explore/performance.ts'
import { apiFetch } from '../../client/api.ts'
import { releasePath } from '../../client/release-path.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { columnNames, NavigationCells, narrow, sumOf } from './navigation-cells.tsx'
import { type PerformanceParams, viewQueryOf } from './params.ts'
import { isFew } from './sampled.tsx'

/** The releases of a route beside each other, newest first, with the columns of the list. */
export function NavigationReleases({
  organization,
  row,
  params,
}: {
  organization: string
  row: RestNavigationRow
  params: PerformanceParams
}) {
  const t = useTranslations('performance.navigation')
  const query = { ...viewQueryOf(params, [row.project.id]), route: row.route }
  const { data, error } = useQuery({
    queryKey: ['navigation-releases', organization, query],
    queryFn: ({ signal }) =>
      apiFetch<RestNavigationReleases>(`organizations/${organization}/performance/navigation/releases/`, {
        query,
        signal,
      }),
  })
  if (error) return <QueryFailed error={error} />
  if (!data) return <p className="performance-none">{t('loadingReleases')}</p>
  if (data.rows.length === 0) return <p className="performance-none">{t('noReleases')}</p>
  return (
    <table className="performance-table performance-inner" aria-label={t('releasesOf', { route: row.route })}>
      <thead>
        <tr>
          <th scope="col">{t('release')}</th>
          {columnNames.map((name) => (
            <th key={name} scope="col" className={`number ${narrow.has(name) ? '' : 'performance-wide'}`.trimEnd()}>
              {t(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.rows.map((sums) => (
          <tr key={sums.release} data-few={isFew(sumOf(sums.pageLoads, sums.navigations)) || undefined}>
            <th scope="row">
              <span className="performance-name">
                {sums.release === '' ? (
                  <span className="text-ink-3">{t('noRelease')}</span>
                ) : (
                  <Link href={releasePath(organization, sums.release)} title={sums.release}>
                    <PlainText text={sums.release.replace(/^[^@]*@/, '')} charactersMax={40} />
                  </Link>
                )}
                <span className="performance-op">
                  {t('since')} <Time at={Date.parse(sums.firstSeen)} />
                </span>
              </span>
            </th>
            <NavigationCells row={sums} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}
