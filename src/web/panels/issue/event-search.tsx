'use client'
import '../../styles/issues.css'
import { useRouter, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useMemo } from 'react'
import { RowEnd } from '../../ui/row-end.tsx'
import { EnvironmentSelect, RangeSelect } from '../search/list-filters.tsx'
import { paramsOf } from '../search/list-params.ts'
import { SearchBox } from '../search/search-box.tsx'
import type { ParamChange } from '../search/use-list-params.ts'
import { completionScope, viewParams } from '../search/views.ts'

/** Search text, environment and range for the events of an issue. Each change loads a new URL from the server. */
export function EventSearch({
  organization,
  projectId,
  path,
  environments,
  error,
}: {
  organization: string
  projectId: string
  /** Path of the list, without a query string. */
  path: string
  environments: string[] | undefined
  error: string | undefined
}) {
  const t = useTranslations('search.events')
  const router = useRouter()
  const search = useSearchParams()
  const params = useMemo(() => paramsOf(new URLSearchParams(search)), [search])
  const scope = useMemo(() => completionScope(params, [projectId]), [params, projectId])
  const query = search.get('q') ?? ''
  function change(wanted: ParamChange) {
    const next = new URLSearchParams(search)
    next.delete('cursor')
    for (const [name, value] of Object.entries(wanted)) {
      if (value === null || value === '') next.delete(name)
      else next.set(name, value)
    }
    const text = next.toString()
    router.push(text ? `${path}?${text}` : path)
  }
  return (
    <div className="stream-bar">
      <SearchBox
        organization={organization}
        value={query}
        onSearch={(q) => change({ q })}
        error={error ? [error] : undefined}
        scope={scope}
        hiddenParams={viewParams(params)}
        label={t('label')}
        placeholder={t('placeholder')}
        jumps={false}
      />
      <div className="stream-filters">
        <EnvironmentSelect organization={organization} value={params.env} preloaded={environments} change={change} />
        <RangeSelect params={params} change={change} />
      </div>
      <RowEnd />
    </div>
  )
}
