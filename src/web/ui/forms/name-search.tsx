'use client'
import { Search, X } from 'lucide-react'
import { type FormEvent, useRef } from 'react'

/** The search field for a part of a name. Enter applies it. `className` and `inputClass` belong to the page. */
export function NameSearch({
  value,
  label,
  clearLabel,
  className = '',
  inputClass,
  apply,
}: {
  value: string
  label: string
  clearLabel: string
  className?: string
  inputClass: string
  apply: (q: string) => void
}) {
  const field = useRef<HTMLInputElement>(null)
  function submit(event: FormEvent): void {
    event.preventDefault()
    apply(field.current?.value.trim() ?? '')
    field.current?.blur()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> can't be the form that Enter submits
    <form role="search" className={`search-box ${className}`.trimEnd()} onSubmit={submit}>
      <Search size={15} strokeWidth={1.75} aria-hidden="true" className="flex-none text-ink-3" />
      <input
        key={value}
        ref={field}
        type="text"
        name="q"
        data-search
        className={inputClass}
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
        <button type="button" className="search-clear" aria-label={clearLabel} onClick={() => apply('')}>
          <X size={14} strokeWidth={1.75} />
        </button>
      ) : null}
      <kbd className="key search-key">/</kbd>
    </form>
  )
}
