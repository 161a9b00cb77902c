'use client'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useTransition } from 'react'
import { Choices, Popup } from '../../ui/popup.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { ScopeSelects } from '../search/scope-selects.tsx'
import { againsts, changedSearch, type PerformanceChange, type PerformanceParams } from './params.ts'

/** A function that changes the URL, and whether that navigation is still pending. */
export function usePerformanceChange(): [boolean, (change: PerformanceChange) => void] {
  const router = useRouter()
  const path = usePathname()
  const search = useSearchParams()
  const [isPending, start] = useTransition()
  const change = (changed: PerformanceChange) =>
    start(() => router.push(path + changedSearch(new URLSearchParams(search), changed), { scroll: false }))
  return [isPending, change]
}

/** Project, environment, range, what changes are compared with, and cut-off segments. Each is part of the URL. */
export function PerformanceScope({
  organization,
  params,
  projects,
  environments,
}: {
  organization: string
  params: Pick<PerformanceParams, 'project' | 'env' | 'range' | 'against' | 'cut'>
  projects: readonly ProjectName[]
  environments: string[] | undefined
}) {
  const t = useTranslations('performance.against')
  const cut = useTranslations('performance.cut')
  const [isPending, change] = usePerformanceChange()
  return (
    <div className="performance-scope" data-pending={isPending || undefined}>
      <ScopeSelects
        organization={organization}
        params={params}
        projects={projects}
        environments={environments}
        change={change}
      />
      <Popup name="against" label={t('label')} value={t(params.against)}>
        {(close) => (
          <Choices
            label={t('label')}
            filterLabel={t('label')}
            choices={againsts.map((value) => ({ value, text: t(value), isChosen: value === params.against }))}
            choose={(value) => {
              change({ against: value === 'previous' ? null : value })
              close()
            }}
          />
        )}
      </Popup>
      <Popup name="cut" label={cut('label')} value={cut(params.cut ? 'in' : 'out')}>
        {(close) => (
          <Choices
            label={cut('label')}
            filterLabel={cut('label')}
            choices={(['out', 'in'] as const).map((value) => ({
              value,
              text: cut(value),
              isChosen: (value === 'in') === params.cut,
            }))}
            choose={(value) => {
              change({ cut: value === 'in' ? '1' : null })
              close()
            }}
          />
        )}
      </Popup>
      <RowEnd />
    </div>
  )
}
