'use client'
import { useTranslations } from 'next-intl'
import { useMemo } from 'react'
import { exploreHref } from '../../client/explore-link.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import type { OfferUndo } from '../../ui/undo.ts'
import { SortSelect, StreamScope } from '../search/list-filters.tsx'
import { type ListParams, type ProjectName, projectIdsOf } from '../search/list-params.ts'
import { SavedViews, useShownView } from '../search/saved-views.tsx'
import { searchText, withScope } from '../search/scope-text.ts'
import { SearchBox } from '../search/search-box.tsx'
import type { ParamChange } from '../search/use-list-params.ts'
import { completionScope, type ViewParts, viewOf, viewParams, viewSearch } from '../search/views.ts'
import type { FirstScreen } from './stream.tsx'

type BarProps = {
  organization: string
  params: ListParams
  change: (change: ParamChange) => void
  projects: readonly ProjectName[]
  first: FirstScreen
}

/** The title bar: the name of the saved view, the number of issues, the scope, and the saved views. */
function StreamHead({
  organization,
  params,
  change,
  projects,
  first,
  hits,
  isWrong,
  canShare,
  offerUndo,
}: BarProps & {
  /** Undefined while unknown. */
  hits: number | undefined
  /** The list shows the last valid search. */
  isWrong: boolean
  canShare: boolean
  offerUndo: OfferUndo
}) {
  const t = useTranslations('issues')
  const views = {
    organization,
    scope: 'issues' as const,
    current: viewOf(params, projects),
    searchOf: (shown: ViewParts) => viewSearch(shown, projects),
    preloaded: first.views,
  }
  const view = useShownView(views)
  const count = hits === undefined ? '' : t('match', { count: hits })
  return (
    <div className="stream-head">
      <h1>{view ? <PlainText text={view.name} charactersMax={64} /> : t('title')}</h1>
      <span className="stream-count">{isWrong ? t('lastValid') : count}</span>
      <StreamScope
        organization={organization}
        params={params}
        change={change}
        projects={projects}
        environments={first.environments}
      />
      <SavedViews
        {...views}
        canShare={canShare}
        offerUndo={offerUndo}
        exploreHref={exploreHref(organization, 'errors', params.q.trim(), params, true)}
      />
      <RowEnd />
    </div>
  )
}

/** The search box with all filters as its text, and the order of the list. */
function StreamBar({
  organization,
  params,
  change,
  projects,
  refused,
  onWrong,
}: Omit<BarProps, 'first'> & {
  /** Why the server rejected the search text. */
  refused: string | undefined
  onWrong: (isWrong: boolean) => void
}) {
  const t = useTranslations('issues')
  const scope = useMemo(() => completionScope(params, projectIdsOf(params.project, projects)), [params, projects])
  const slugs = useMemo(() => projects.map((project) => project.slug), [projects])
  return (
    <div className="stream-bar">
      <SearchBox
        organization={organization}
        value={searchText(params, projects)}
        onSearch={(text) => change(withScope({ q: text, project: '', env: '' }, projects))}
        error={refused ? [refused] : undefined}
        scope={scope}
        hiddenParams={viewParams({ ...params, project: '', env: '' })}
        label={t('search.label')}
        placeholder={t('search.placeholder')}
        projects={slugs}
        onWrong={onWrong}
      />
      <SortSelect sort={params.sort} change={change} />
      <RowEnd />
    </div>
  )
}

/** The title bar and the search. */
export function StreamTop({
  hits,
  isWrong,
  canShare,
  offerUndo,
  refused,
  onWrong,
  ...bar
}: Parameters<typeof StreamHead>[0] & Parameters<typeof StreamBar>[0]) {
  return (
    <>
      <StreamHead {...bar} hits={hits} isWrong={isWrong} canShare={canShare} offerUndo={offerUndo} />
      <StreamBar {...bar} refused={refused} onWrong={onWrong} />
    </>
  )
}
