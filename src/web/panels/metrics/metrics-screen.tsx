'use client'
import '../../styles/issues.css'
import './metrics.css'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { MetricDetails, MetricsPage } from '../../../query/metrics/metrics.ts'
import { NameSearch } from '../../ui/forms/name-search.tsx'
import { Link } from '../../ui/link.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { ErrorState } from '../../ui/states.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { useRangeKey } from '../search/range-key.ts'
import { ScopeSelects } from '../search/scope-selects.tsx'
import { MetricDetailsPart } from './metric-details.tsx'
import { MetricList } from './metric-list.tsx'
import { type MetricParams, metricOrders, metricsInExplore } from './params.ts'
import { useMetricChange } from './use-change.ts'

type MetricsScreenProps = {
  organization: string
  params: MetricParams
  /** The range of the answer, ms. */
  range: { fromMs: number; toMs: number }
  projects: readonly ProjectName[]
  environments: string[] | undefined
  /** Undefined: the store is down. */
  found: MetricsPage | undefined
  /** The open metric. Undefined: none is open, or none of this name came in the range. */
  details: MetricDetails | undefined
  failed: { message: string; todo: string; code: string } | undefined
  pageRows: number
  /** What was folded. */
  folded: ReactNode
  /** Shown where no metric matches. */
  children: ReactNode
}

/** The metrics of an organization: what each is, and the open one by attribute with the traces behind it. */
export function MetricsScreen(props: MetricsScreenProps) {
  const { organization, params, range, projects, environments, found, details, failed, pageRows } = props
  const t = useTranslations('metrics')
  const { isPending, change } = useMetricChange()
  useRangeKey()
  const count = found?.metrics.length ?? 0
  return (
    <div className="stream metrics" aria-busy={isPending}>
      <div className="stream-head">
        <h1>{t('title')}</h1>
        <span className="stream-count" role="status">
          {found && params.at + count > 0
            ? t('counted', { count: params.at + count, more: found.more ? 'yes' : 'no' })
            : ''}
        </span>
        <Link className="link" href={metricsInExplore(organization, params, details?.aggregate ?? 'count')}>
          {t('explore')}
        </Link>
        <RowEnd />
      </div>
      <div className="stream-bar">
        <NameSearch
          value={params.q}
          label={t('search')}
          clearLabel={t('clear')}
          className="metric-filter-box"
          inputClass="metric-search"
          apply={(q) => change({ q })}
        />
        <div className="stream-filters">
          <ScopeSelects
            organization={organization}
            params={params}
            projects={projects}
            environments={environments}
            change={change}
          />
          <select
            className="input"
            aria-label={t('sort')}
            value={params.sort}
            onChange={(event) => change({ sort: event.target.value === 'newest' ? null : event.target.value })}
          >
            {metricOrders.map((sort) => (
              <option key={sort} value={sort}>
                {t(`sorts.${sort}`)}
              </option>
            ))}
          </select>
        </div>
        <RowEnd />
      </div>
      {failed ? <ErrorState title={failed.message} todo={failed.todo} code={failed.code} /> : null}
      {props.folded}
      {details ? (
        <MetricDetailsPart organization={organization} details={details} params={params} range={range} />
      ) : params.name !== '' && found ? (
        <p className="metric-note">{t('gone')}</p>
      ) : null}
      {found && count > 0 ? (
        <MetricList metrics={found.metrics} params={params} range={range} more={found.more} pageRows={pageRows} />
      ) : null}
      {found && count === 0 ? props.children : null}
    </div>
  )
}
