'use client'
import { Search, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useRef } from 'react'
import { Segments } from '../../ui/segments.tsx'
import { usePerformanceChange } from './scope.tsx'

/** The filter of a list: a part of the name. Enter applies it. */
function NameFilter({ value, label, apply }: { value: string; label: string; apply: (q: string) => void }) {
  const t = useTranslations('performance')
  const field = useRef<HTMLInputElement>(null)
  function submit(event: FormEvent): void {
    event.preventDefault()
    apply(field.current?.value.trim() ?? '')
    field.current?.blur()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> can't be the form that Enter submits
    <form role="search" className="search-box performance-filter" onSubmit={submit}>
      <Search size={15} strokeWidth={1.75} aria-hidden="true" className="flex-none text-ink-3" />
      <input
        key={value}
        ref={field}
        type="text"
        name="q"
        data-search
        className="performance-search"
        aria-label={label}
        placeholder={label}
        defaultValue={value}
        maxLength={250}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      {value ? (
        <button type="button" className="search-clear" aria-label={t('clear')} onClick={() => apply('')}>
          <X size={14} strokeWidth={1.75} />
        </button>
      ) : null}
      <kbd className="key search-key">/</kbd>
    </form>
  )
}

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
      <NameFilter value={q} label={label} apply={(text) => change({ q: text })} />
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
