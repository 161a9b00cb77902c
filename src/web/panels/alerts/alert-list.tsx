'use client'
import '../../styles/issues.css'
import './alerts.css'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useTransition } from 'react'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { searchWith } from '../../client/search-with.ts'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { NameSearch } from '../../ui/forms/name-search.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { Choices, Popup } from '../../ui/popup.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { ProjectSelect } from '../search/list-filters.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { AlertTabs } from './alert-tabs.tsx'
import { type AlertListParams, isWhole, pageRules, ruleStatuses } from './list-params.ts'
import { Presets } from './preset-list.tsx'
import type { KnownReceivers } from './receivers.ts'
import { BuiltInRow, RuleRow } from './rule-row.tsx'

type AlertListProps = {
  organization: string
  params: AlertListParams
  rules: RestAlertRule[]
  /** Rules that match, on all pages. */
  total: number
  /** Rules of the organization. */
  all: number
  projects: readonly ProjectName[]
  known: KnownReceivers
  mayWrite: boolean
}

/** States come from the evaluator, which decides once a minute. */
const refreshMs = 30_000

function useRefresh(): void {
  const router = useRouter()
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && router.refresh(), refreshMs)
    return () => clearInterval(timer)
  }, [router])
}

type Change = (change: Readonly<Record<string, string | null>>) => void

function Filters({ params, projects, change }: Pick<AlertListProps, 'params' | 'projects'> & { change: Change }) {
  const t = useTranslations('alerts.list')
  const state = useTranslations('alerts.state')
  const filters = useTranslations('issues.filters')
  return (
    <div className="stream-bar alert-filters">
      <NameSearch
        value={params.q}
        label={t('search')}
        clearLabel={t('clear')}
        inputClass="alert-search"
        apply={(q) => change({ q, at: null })}
      />
      <div className="stream-filters">
        <ProjectSelect
          value={params.project}
          projects={projects}
          change={({ project }) => change({ project: project ?? null, at: null })}
        />
        <Popup name="status" label={t('status')} value={params.status === '' ? t('anyStatus') : state(params.status)}>
          {(close) => (
            <Choices
              label={t('status')}
              filterLabel={filters('find')}
              choices={[
                { value: '', text: t('anyStatus'), isChosen: params.status === '' },
                ...ruleStatuses.map((status) => ({
                  value: status,
                  text: state(status),
                  isChosen: params.status === status,
                })),
              ]}
              choose={(status) => {
                change({ status, at: null })
                close()
              }}
            />
          )}
        </Popup>
      </div>
      <RowEnd />
    </div>
  )
}

/** The pages before and after; nothing if there is one page. */
function Pages({ params, total }: Pick<AlertListProps, 'params' | 'total'>) {
  const t = useTranslations('alerts.list')
  const path = usePathname()
  const search = useSearchParams()
  if (total <= pageRules && params.at === 0) return null
  const to = Math.min(total, params.at + pageRules)
  const link = (at: number, text: string, isThere: boolean): ReactNode =>
    isThere ? (
      <Link
        className={buttonClass({ compact: true })}
        href={path + searchWith(new URLSearchParams(search), { at: at > 0 ? String(at) : null })}
      >
        {text}
      </Link>
    ) : (
      <span className={buttonClass({ compact: true })} aria-disabled="true">
        {text}
      </span>
    )
  return (
    <nav className="alert-pages" aria-label={t('pages')}>
      <span className="alert-note">{t('shown', { from: Math.min(total, params.at + 1), to, total })}</span>
      {link(Math.max(0, params.at - pageRules), t('previous'), params.at > 0)}
      {link(params.at + pageRules, t('next'), to < total)}
    </nav>
  )
}

/** The alert rules of an organization, with the built-in notifications as the first row. */
export function AlertList(props: AlertListProps) {
  const { organization, params, rules, total, all, projects, known, mayWrite } = props
  const t = useTranslations('alerts.list')
  const keys = useTranslations('alerts.keys')
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const [isPending, start] = useTransition()
  const change: Change = (changed) =>
    start(() => router.push(path + searchWith(new URLSearchParams(search), changed), { scroll: false }))
  const create = `/o/${organization}/alerts/new`
  useKey('n', keys('group'), t('create'), () => router.push(create), mayWrite)
  useRefresh()
  return (
    <div className="stream alert-list-page" aria-busy={isPending}>
      <div className="stream-head">
        <h1>{t('title')}</h1>
        <span className="stream-count" role="status">
          {t('count', { count: all })}
        </span>
        {mayWrite ? (
          <Link className={buttonClass({ look: 'main' })} href={create}>
            {t('create')}
          </Link>
        ) : (
          <span className="alert-note">{t('viewer')}</span>
        )}
        <RowEnd />
      </div>
      <AlertTabs organization={organization} />
      <Filters params={params} projects={projects} change={change} />
      <ul className="alert-rows" aria-label={t('title')} data-dimmed={isPending || undefined}>
        {isWhole(params) ? <BuiltInRow organization={organization} known={known} /> : null}
        {rules.map((rule) => (
          <RuleRow
            key={rule.id}
            organization={organization}
            rule={rule}
            known={known}
            mayWrite={mayWrite}
            onChanged={() => router.refresh()}
          />
        ))}
      </ul>
      {rules.length === 0 && !isWhole(params) ? (
        <EmptyState title={t('noMatch')}>
          <button
            type="button"
            className="link"
            onClick={() => change({ q: null, status: null, project: null, at: null })}
          >
            {t('showAll')}
          </button>
        </EmptyState>
      ) : null}
      {all === 0 && mayWrite ? <Presets organization={organization} /> : null}
      <Pages params={params} total={total} />
    </div>
  )
}
