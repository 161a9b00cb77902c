'use client'
import '../../styles/issues.css'
import './explore.css'
import dynamic from 'next/dynamic'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState, useTransition } from 'react'
import type { Plan } from '../../../contract/explore/explore.ts'
import type { RestSavedQuery } from '../../../contract/explore/saved-queries.ts'
import type { RestSqlViews } from '../../../contract/explore/sql.ts'
import { datasets } from '../../../domain/datasets.ts'
import type { ExploreAnswer } from '../../../query/explore/explore-answer.ts'
import { patientImport } from '../../client/connection.ts'
import { Button, buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { Segments } from '../../ui/segments.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { ExportButton } from '../exports/export-button.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { useRangeKey } from '../search/range-key.ts'
import { ScopeSelects } from '../search/scope-selects.tsx'
import { SearchBox } from '../search/search-box.tsx'
import { AnswerChart } from './answer-chart.tsx'
import { AnswerTable } from './answer-table.tsx'
import { Builder } from './builder.tsx'
import { exploreKeyTable } from './key-tables.ts'
import { MetaLine } from './meta-line.tsx'
import { alertHref, type ExploreParams, exploreRange, exploreSearch, ofDataset, ofMode } from './params.ts'
import { QueryWords } from './query-words.tsx'
import { SavedQueries } from './saved-queries.tsx'
import { SqlMode } from './sql-mode.tsx'

const DashboardDialog = dynamic(
  patientImport(() => import('./dashboard-dialog.tsx').then((module) => module.DashboardDialog)),
  {
    ssr: false,
  },
)

export type ExploreProps = {
  organization: string
  params: ExploreParams
  projects: readonly ProjectName[]
  environments: string[] | undefined
  /** Names of fields, for completion. */
  fields: readonly string[]
  saved: RestSavedQuery[]
  /** Whether the reader may save queries. */
  canSave: boolean
  /** The views that an owner's statement can read; undefined for everybody else. */
  sqlViews: RestSqlViews | undefined
  /** A statement to begin with. */
  sqlExample: string
  /** Undefined: the plan was refused, a store is down, or the page is for SQL. */
  answer: ExploreAnswer | undefined
  /** Why there is no answer. `causes`: the place of the mistake and what was expected. */
  failed: { message: string; code: string; causes: readonly string[]; todo?: string } | undefined
}

/** A function that changes the state in the URL, and whether that navigation is still pending. */
function useChange(): [boolean, (next: ExploreParams) => void] {
  const router = useRouter()
  const path = usePathname()
  const [pending, start] = useTransition()
  const change = (next: ExploreParams) => start(() => router.push(path + exploreSearch(next), { scroll: false }))
  return [pending, change]
}

type Change = ReturnType<typeof useChange>[1]

/** Dataset, filter, and scope. */
function Bar({ change, ...props }: ExploreProps & { change: Change }) {
  const { organization, params, projects, environments } = props
  const t = useTranslations('explore')
  const search = useSearchParams()
  const { plan } = params
  const setPlan = (next: Partial<Plan>) => change({ ...params, plan: { ...plan, ...next } })
  return (
    <div className="stream-bar explore-bar">
      <select
        className="input explore-dataset"
        aria-label={t('dataset')}
        value={plan.dataset}
        onChange={(event) =>
          change(ofDataset(params, datasets.find((known) => known === event.target.value) ?? 'errors'))
        }
      >
        {datasets.map((dataset) => (
          <option key={dataset} value={dataset}>
            {t(`datasets.${dataset}`)}
          </option>
        ))}
      </select>
      <SearchBox
        key={plan.dataset}
        organization={organization}
        value={plan.query}
        onSearch={(query) => setPlan({ query })}
        error={undefined}
        scope={{
          project: params.project ? params.project.split(',') : undefined,
          environment: params.env ? params.env.split(',') : undefined,
        }}
        hiddenParams={Object.fromEntries([...search].filter(([name]) => name !== 'q'))}
        label={t('search')}
        placeholder={t('placeholder')}
        jumps={false}
        table={exploreKeyTable(plan.dataset)}
      />
      <div className="stream-filters">
        <ScopeSelects
          organization={organization}
          params={params}
          projects={projects}
          environments={environments}
          change={(next) => change(withScope(params, next))}
        />
      </div>
      <RowEnd />
    </div>
  )
}

/** The state with another project, environment or range. */
function withScope(
  params: ExploreParams,
  next: Partial<Record<'project' | 'env' | 't' | 'from' | 'to', string | null>>,
): ExploreParams {
  const { project = params.project, env = params.env } = next
  const scoped = { ...params, project: project ?? '', env: env ?? '' }
  if (next.from && next.to)
    return { ...scoped, range: { kind: 'absolute', fromMs: Date.parse(next.from), toMs: Date.parse(next.to) } }
  const search = new URLSearchParams(next.t ? { t: next.t } : {})
  return next.t === undefined && next.from === undefined ? scoped : { ...scoped, range: exploreRange(search) }
}

/** Chart, rows or SQL; and what can be done with the query. */
function Head({ change, isPending, ...props }: ExploreProps & { change: Change; isPending: boolean }) {
  const { params, saved, sqlViews, answer, canSave, organization } = props
  const t = useTranslations('explore')
  const [isAdding, setAdding] = useState(false)
  const shown = saved.find(({ id }) => id === params.saved)
  const modes = [
    { value: 'chart' as const, label: t('modes.chart') },
    { value: 'rows' as const, label: t('modes.rows') },
    ...(sqlViews ? [{ value: 'sql' as const, label: t('modes.sql') }] : []),
  ]
  return (
    <div className="stream-head explore-head">
      <h1>{shown ? <PlainText text={shown.name} charactersMax={64} /> : t('title')}</h1>
      <Segments
        label={t('mode')}
        value={params.mode}
        choices={modes}
        onChange={(mode) => change(ofMode(params, mode))}
      />
      <span className="stream-count" role="status">
        {isPending ? t('loading') : ''}
      </span>
      {params.mode === 'sql' ? null : (
        <>
          <SavedQueries {...props} shown={shown} />
          <ExportButton
            organization={organization}
            plan={params.plan}
            scope={params}
            projects={props.projects}
            disabled={!answer}
          />
          {canSave && params.mode === 'chart' ? (
            <>
              <Button compact disabled={!answer} onClick={() => setAdding(true)}>
                {t('addToDashboard')}
              </Button>
              <Link className={buttonClass({ compact: true })} href={alertHref(organization, params, shown?.name)}>
                {t('createAlert')}
              </Link>
            </>
          ) : null}
        </>
      )}
      <RowEnd />
      {isAdding ? (
        <DashboardDialog organization={organization} params={params} onClose={() => setAdding(false)} />
      ) : null}
    </div>
  )
}

/** Questions over every kind of data: series over time and by group, or rows; for owners also SQL. */
export function Explore(props: ExploreProps) {
  const { params, answer, failed, organization } = props
  const t = useTranslations('explore')
  const [isPending, change] = useChange()
  useRangeKey()
  const { plan } = params
  const between = (fromMs: number, toMs: number) => change({ ...params, range: { kind: 'absolute', fromMs, toMs } })
  return (
    <div className="stream explore" aria-busy={isPending}>
      <Head {...props} change={change} isPending={isPending} />
      {params.mode === 'sql' && props.sqlViews ? (
        <SqlMode organization={organization} views={props.sqlViews} example={props.sqlExample} />
      ) : (
        <>
          <Bar {...props} change={change} />
          <Builder params={params} fields={props.fields} change={change} />
          {failed ? (
            <ErrorState title={failed.message} todo={failed.todo ?? failed.causes.join(' ')} code={failed.code} />
          ) : null}
          {answer ? (
            <div className="explore-answer" data-dimmed={isPending || undefined}>
              <MetaLine about={answer.table.meta} />
              {answer.chart ? (
                <AnswerChart
                  organization={organization}
                  params={params}
                  answer={answer.chart}
                  range={answer.chart.meta}
                  onSelect={between}
                  change={change}
                />
              ) : null}
              {answer.table.rows.length === 0 ? (
                <EmptyState title={t('none')}>{t('noneTodo')}</EmptyState>
              ) : (
                <AnswerTable
                  organization={organization}
                  answer={answer.table}
                  dataset={plan.dataset}
                  order={plan.order}
                  setOrder={(order) => change({ ...params, plan: { ...plan, order } })}
                  filter={(query) => change({ ...params, plan: { ...plan, query } })}
                  query={plan.query}
                />
              )}
              <QueryWords plan={plan} sql={answer.sql} />
            </div>
          ) : null}
        </>
      )}
    </div>
  )
}
