'use client'
import { RotateCw, Search, X } from 'lucide-react'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type FormEvent, useRef, useTransition } from 'react'
import { Button } from '../../ui/forms/controls.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { EnvironmentSelect, ProjectSelect, RangeSelect } from '../search/list-filters.tsx'
import type { ProjectName } from '../search/list-params.ts'
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

/** The search field for a part of the version. Enter applies it. */
function VersionSearch({ value, apply }: { value: string; apply: (q: string) => void }) {
  const t = useTranslations('releases')
  const field = useRef<HTMLInputElement>(null)
  function submit(event: FormEvent): void {
    event.preventDefault()
    apply(field.current?.value.trim() ?? '')
    field.current?.blur()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> can't be the form that Enter submits
    <form role="search" className="search-box" onSubmit={submit}>
      <Search size={15} strokeWidth={1.75} aria-hidden="true" className="flex-none text-ink-3" />
      <input
        key={value}
        ref={field}
        type="text"
        name="q"
        data-search
        className="release-search"
        aria-label={t('search')}
        placeholder={t('search')}
        defaultValue={value}
        maxLength={250}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      {value ? (
        <button type="button" className="search-clear" aria-label={t('clearSearch')} onClick={() => apply('')}>
          <X size={14} strokeWidth={1.75} />
        </button>
      ) : null}
      <kbd className="key search-key">/</kbd>
    </form>
  )
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
      <VersionSearch value={params.q} apply={(q) => change({ q })} />
      <div className="stream-filters">
        <ProjectSelect value={params.project} projects={projects} change={change} />
        <EnvironmentSelect
          organization={organization}
          value={params.env}
          preloaded={environments}
          change={({ env }) => change({ env: env ?? '' })}
        />
        <RangeSelect
          params={params}
          change={({ t, from, to }) => change({ t: t ?? null, from: from ?? null, to: to ?? null })}
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
