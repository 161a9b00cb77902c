'use client'
import { RotateCw } from 'lucide-react'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useTransition } from 'react'
import { Button } from '../../ui/forms/controls.tsx'
import { NameSearch } from '../../ui/forms/name-search.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { ScopeSelects } from '../search/scope-selects.tsx'
import { changedSearch, type ReleaseChange, type ReleaseParams, releaseSorts, releaseStatuses } from './params.ts'

/** A function that changes the URL, and whether that navigation is still pending. */
export function useSearchChange(): [boolean, (change: ReleaseChange) => void] {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const [pending, start] = useTransition()
  const change = (change: ReleaseChange) =>
    start(() => router.push(path + changedSearch(new URLSearchParams(search), change), { scroll: false }))
  return [pending, change]
}

/** Search, project, environment, range, sorting, open or archived (all in the URL), and a refresh button. */
export function ReleaseFilters({
  organization,
  params,
  projects,
  environments,
  change,
  refresh,
}: {
  organization: string
  params: ReleaseParams
  projects: readonly ProjectName[]
  environments: string[] | undefined
  change: (change: ReleaseChange) => void
  refresh: () => void
}) {
  const t = useTranslations('releases')
  return (
    <div className="stream-bar">
      <NameSearch
        value={params.q}
        label={t('search')}
        clearLabel={t('clearSearch')}
        inputClass="release-search"
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
          aria-label={t('sortLabel')}
          value={params.sort}
          onChange={(event) => change({ sort: event.target.value === 'order' ? null : event.target.value })}
        >
          {releaseSorts.map((sort) => (
            <option key={sort} value={sort}>
              {t(sort === 'order' ? 'sortOrder' : 'sortDate')}
            </option>
          ))}
        </select>
        <select
          className="input"
          aria-label={t('statusLabel')}
          value={params.status}
          onChange={(event) => change({ status: event.target.value === 'open' ? null : event.target.value })}
        >
          {releaseStatuses.map((status) => (
            <option key={status} value={status}>
              {t(status === 'open' ? 'statusOpen' : 'statusArchived')}
            </option>
          ))}
        </select>
        <Button icon onClick={refresh} title={t('refresh')} aria-label={t('refresh')}>
          <RotateCw size={15} strokeWidth={1.75} aria-hidden="true" />
        </Button>
      </div>
      <RowEnd />
    </div>
  )
}
