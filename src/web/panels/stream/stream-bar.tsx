'use client'
import { useTranslations } from 'next-intl'
import { useMemo } from 'react'
import type { OfferUndo } from '../../ui/undo.ts'
import { StreamFilters } from '../search/list-filters.tsx'
import { type ListParams, type ProjectName, projectIdsOf } from '../search/list-params.ts'
import { SavedViews } from '../search/saved-views.tsx'
import { SearchBox } from '../search/search-box.tsx'
import type { ParamChange } from '../search/use-list-params.ts'
import { completionScope, viewParams } from '../search/views.ts'
import type { FirstScreen } from './stream.tsx'

/** The query of the stream: search text, saved views, project, environment, range and sorting. */
export function StreamBar({
  organization,
  params,
  change,
  projects,
  first,
  canShare,
  offerUndo,
  refused,
}: {
  organization: string
  params: ListParams
  change: (change: ParamChange) => void
  projects: readonly ProjectName[]
  first: FirstScreen
  canShare: boolean
  offerUndo: OfferUndo
  /** Why the server rejected the search text. */
  refused: string | undefined
}) {
  const t = useTranslations('issues')
  const scope = useMemo(() => completionScope(params, projectIdsOf(params.project, projects)), [params, projects])
  return (
    <div className="stream-bar">
      <SearchBox
        organization={organization}
        value={params.q}
        onSearch={(q) => change({ q })}
        error={refused ? [refused] : undefined}
        scope={scope}
        hiddenParams={viewParams(params)}
        label={t('search.label')}
        placeholder={t('search.placeholder')}
      />
      <SavedViews
        organization={organization}
        params={params}
        projects={projects}
        canShare={canShare}
        offerUndo={offerUndo}
        preloaded={first.views}
      />
      <StreamFilters
        organization={organization}
        params={params}
        change={change}
        projects={projects}
        environments={first.environments}
      />
    </div>
  )
}
