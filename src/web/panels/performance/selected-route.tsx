'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestRoutePage, RestRouteRow } from '../../../contract/explore/performance.ts'
import { apiFetch } from '../../client/api.ts'
import { Link } from '../../ui/link.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import { NameCell, OpName } from './cells.tsx'
import { type PerformanceParams, viewQueryOf } from './params.ts'
import { RouteFacts } from './route-facts.tsx'
import { useSampledText } from './sampled.tsx'
import { TrendChart } from './trend-chart.tsx'
import { WhySlow } from './why-slow.tsx'

/** The selected route above the table: its figures, its trend, and what its slow part has in common. */
export function SelectedRoute({
  organization,
  row,
  params,
  projectIds,
  places,
  href,
  kept,
}: {
  organization: string
  row: RestRouteRow
  params: PerformanceParams
  projectIds: readonly string[]
  places: Readonly<Record<string, number>>
  href: string
  kept: string
}) {
  const t = useTranslations('performance.selected')
  const sampled = useSampledText()
  const [brush, setBrush] = useState<PerformanceParams['brush']>()
  const [during, setDuring] = useState<PerformanceParams['during']>()
  const query = viewQueryOf(params, projectIds)
  const { data, error } = useQuery({
    queryKey: ['performance-route', organization, row.id, query],
    queryFn: ({ signal }) =>
      apiFetch<RestRoutePage>(`organizations/${organization}/performance/routes/${row.id}/`, { query, signal }),
  })
  return (
    <section className="performance-selected" aria-label={t('label')}>
      <div className="performance-left">
        <div className="performance-head">
          <h2>
            <NameCell place={places[row.project.slug] ?? 0} project={row.project.slug} text={row.route} />
          </h2>
          <OpName op={row.op} />
          <span className="performance-note">{sampled(row)}</span>
          <Link className="performance-open" href={href}>
            {t('open')}
          </Link>
        </div>
        <RouteFacts row={data ?? row} />
        {data ? (
          <TrendChart organization={organization} page={data} during={during} select={setDuring} />
        ) : (
          <div className="performance-trend-blank" />
        )}
      </div>
      <div className="performance-right">
        {data ? (
          <WhySlow
            organization={organization}
            page={data}
            query={query}
            kept={kept}
            brush={brush}
            change={setBrush}
            during={during}
            clear={() => {
              setBrush(undefined)
              setDuring(undefined)
            }}
          />
        ) : null}
        <QueryFailed error={error} />
      </div>
    </section>
  )
}
