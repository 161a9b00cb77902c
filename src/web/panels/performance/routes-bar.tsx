'use client'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { Segments } from '../../ui/segments.tsx'
import { SearchBox } from '../search/search-box.tsx'
import { routeKeyTable } from './key-table.ts'
import { type PerformanceParams, routeSorts } from './params.ts'
import { usePerformanceChange } from './scope.tsx'

/** The search over routes and their order, both in the URL. */
export function RoutesBar({
  organization,
  params,
  projects,
  error,
}: {
  organization: string
  params: Pick<PerformanceParams, 'q' | 'sort'>
  /** Slugs of all projects that the reader may read. */
  projects: readonly string[]
  /** Why the server refused the search. */
  error?: string | undefined
}) {
  const t = useTranslations('performance')
  const search = useSearchParams()
  const [isPending, change] = usePerformanceChange()
  return (
    <div className="performance-list-bar" data-pending={isPending || undefined}>
      <SearchBox
        organization={organization}
        value={params.q}
        onSearch={(q) => change({ q })}
        error={error ? [error] : undefined}
        scope={{}}
        hiddenParams={Object.fromEntries([...search].filter(([name]) => name !== 'q' && name !== 'at'))}
        label={t('routes.search')}
        placeholder={t('routes.placeholder')}
        projects={projects}
        jumps={false}
        table={routeKeyTable}
      />
      <Segments
        label={t('order')}
        value={params.sort}
        choices={routeSorts.map((value) => ({ value, label: t(`routes.sort.${value}`) }))}
        onChange={(value) => change({ sort: value === 'lost' ? null : value })}
      />
    </div>
  )
}
