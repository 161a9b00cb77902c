'use client'
import { Search, X } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useKey } from '../ui/keys.tsx'
import { jumpOf, termsOf } from './terms.ts'

/** The same text behind the field, with its filters marked: both are monospaced and spaced alike, so they cover each other. */
function Marks({ text }: { text: string }) {
  const parts = useMemo(() => {
    const made: { at: number; text: string; key: string; kind: 'gap' | 'filter' | 'text' | 'operator' }[] = []
    let at = 0
    for (const term of termsOf(text)) {
      if (term.from > at) made.push({ at, text: text.slice(at, term.from), key: '', kind: 'gap' })
      made.push({
        at: term.from,
        text: term.kind === 'filter' ? term.value : term.text,
        key: term.key,
        kind: term.kind,
      })
      at = term.to
    }
    if (at < text.length) made.push({ at, text: text.slice(at), key: '', kind: 'gap' })
    return made
  }, [text])
  return parts.map((part) => (
    <span
      key={part.at}
      className={part.kind === 'filter' ? 'search-filter' : part.kind === 'operator' ? 'text-accent' : ''}
    >
      {part.key ? <span className="text-ink-2">{part.key}</span> : null}
      {part.text}
    </span>
  ))
}

/**
 * The search text with its filters marked. Enter applies it; a text that is only a digest, an event id or a short id
 * goes there instead. The box keeps what was typed, also when the server refuses it (`error`).
 */
export function SearchBox({
  value,
  onSearch,
  error,
}: {
  value: string
  onSearch: (query: string) => void
  error: string[] | undefined
}) {
  const t = useTranslations('issues')
  const router = useRouter()
  const [draft, setDraft] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  const marks = useRef<HTMLDivElement>(null)
  useEffect(() => setDraft(value), [value])
  useKey('/', t('keys.group'), t('keys.search'), () => {
    field.current?.focus()
    field.current?.select()
  })
  function apply(text: string) {
    const jump = jumpOf(text)
    if (jump) return router.push(jump.path)
    onSearch(text.trim())
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> can't be the form that Enter submits
    <form
      role="search"
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault()
        apply(draft)
        field.current?.blur()
      }}
    >
      <Search size={15} strokeWidth={1.75} aria-hidden="true" className="flex-none text-ink-3" />
      <div className="search-field">
        <div ref={marks} className="search-marks" aria-hidden="true">
          <Marks text={draft} />
        </div>
        <input
          ref={field}
          type="text"
          className="search-input"
          aria-label={t('search.label')}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? 'search-error' : undefined}
          placeholder={t('search.placeholder')}
          maxLength={4096}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onScroll={(event) => {
            if (marks.current) marks.current.scrollLeft = event.currentTarget.scrollLeft
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            if (draft !== value) setDraft(value)
            event.currentTarget.blur()
          }}
        />
      </div>
      {draft ? (
        <button
          type="button"
          className="search-clear"
          aria-label={t('search.clear')}
          onClick={() => {
            setDraft('')
            onSearch('')
          }}
        >
          <X size={14} strokeWidth={1.75} />
        </button>
      ) : null}
      <kbd className="key search-key">/</kbd>
      {error ? (
        <div id="search-error" role="alert" className="search-error">
          {error.join(' ')}
        </div>
      ) : null}
    </form>
  )
}
