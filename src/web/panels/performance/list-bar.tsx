'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { NameSearch } from '../../ui/forms/name-search.tsx'
import { Segments } from '../../ui/segments.tsx'
import { usePerformanceChange } from './scope.tsx'

/** The filter and the order of a list, both in the URL. */
export function ListBar<Sort extends string>({
  q,
  label,
  sort,
  first,
  choices,
  children,
}: {
  q: string
  label: string
  sort?: Sort
  /** The default order, which the URL does not name. */
  first?: Sort
  choices?: readonly { value: Sort; label: string }[]
  children?: ReactNode
}) {
  const t = useTranslations('performance')
  const [isPending, change] = usePerformanceChange()
  return (
    <div className="performance-list-bar" data-pending={isPending || undefined}>
      <NameSearch
        value={q}
        label={label}
        clearLabel={t('clear')}
        className="performance-filter"
        inputClass="performance-search"
        apply={(text) => change({ q: text })}
      />
      {sort !== undefined && choices ? (
        <Segments
          label={t('order')}
          value={sort}
          choices={choices}
          onChange={(value) => change({ sort: value === first ? null : value })}
        />
      ) : null}
      {children}
    </div>
  )
}
