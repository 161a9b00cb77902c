'use client'
import { Search, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, Suspense, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { usePendingSearchFocus } from '../../ui/keys/search-key.ts'
import { adjacentTerm, type KeyTable, type Suggestion, withNegation, withSuggestion } from './complete.ts'
import { type Mistake, mistakesOf } from './mistakes.ts'
import { SearchChips } from './search-chips.tsx'
import { SearchLines } from './search-lines.tsx'
import { termsOf } from './terms.ts'
import { type CompletionScope, useComplete } from './use-complete.ts'
import { useJump } from './use-jump.ts'

const SearchMistakes = dynamic(() => import('./search-mistakes.tsx').then((module) => module.SearchMistakes))

/** The same text behind the field, with highlighted filters. Both use the same monospaced font, so they align. */
function HighlightedQuery({ text }: { text: string }) {
  const parts = useMemo(() => {
    const tokens: { at: number; text: string; key: string; kind: 'gap' | 'filter' | 'text' | 'operator' }[] = []
    let at = 0
    for (const term of termsOf(text)) {
      if (term.from > at) tokens.push({ at, text: text.slice(at, term.from), key: '', kind: 'gap' })
      tokens.push({
        at: term.from,
        text: term.kind === 'filter' ? term.value : term.text,
        key: term.key,
        kind: term.kind,
      })
      at = term.to
    }
    if (at < text.length) tokens.push({ at, text: text.slice(at), key: '', kind: 'gap' })
    return tokens
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

type SearchBoxProps = {
  organization: string
  value: string
  onSearch: (query: string) => void
  error: string[] | undefined
  /** Projects and environments of the list. Suggested values come from their events. */
  scope: CompletionScope
  /** The other URL parameters. A search before the scripts run keeps them. */
  hiddenParams: Readonly<Record<string, string>>
  label: string
  placeholder: string
  /** The slugs of all projects, if the text can name projects. */
  projects?: readonly string[]
  /** Called when a wrong text was entered, and when it was corrected or given up. */
  onWrong?: (isWrong: boolean) => void
  /** Called with each typed text without mistakes, and with the value when the person gives up. */
  onType?: (text: string) => void
  /** Called when the focus leaves the field. */
  onLeave?: () => void
  /** Whether a lone identifier opens the page it names. */
  jumps?: boolean
  /** The keys of the search; by default those of issues. */
  table?: KeyTable
}

/** The mistakes of the last entered text. The text of a link can be wrong, too. */
function useMistakes({
  value,
  projects,
  onWrong,
  table,
}: Pick<SearchBoxProps, 'value' | 'projects' | 'onWrong' | 'table'>) {
  const [mistakes, setMistakes] = useState<Mistake[]>(() => mistakesOf(value, projects, table))
  const checked = useRef(value)
  useEffect(() => {
    if (checked.current === value) return
    checked.current = value
    setMistakes([])
    onWrong?.(false)
  }, [value, onWrong])
  function mark(found: Mistake[]): void {
    setMistakes(found)
    onWrong?.(found.length > 0)
  }
  /** Marks the mistakes of a text. Returns whether it has any. */
  function check(text: string): boolean {
    const found = mistakesOf(text, projects, table)
    mark(found)
    return found.length > 0
  }
  return { mistakes, mark, check }
}

/** Text, caret and suggestion list in one hook, because each depends on the others. */
function useBox(props: SearchBoxProps) {
  const { organization, scope, value, table } = props
  const { mistakes, mark, check } = useMistakes(props)
  const [draft, setDraft] = useState(value)
  const [caret, setCaret] = useState(0)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const field = useRef<HTMLInputElement>(null)
  const shownValue = useRef(value)
  useEffect(() => {
    // Keep text that the person typed before the scripts ran.
    const early = shownValue.current === value ? field.current?.value : undefined
    shownValue.current = value
    setDraft(early !== undefined && early !== value ? early : value)
  }, [value])
  const { lines, waiting, remember } = useComplete({ organization, scope, text: draft, caret, open, table })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list resets the active line
  useEffect(() => setActive(-1), [draft, caret])

  const selected = useRef<[from: number, to: number]>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once the field has the text, before the next key
  useLayoutEffect(() => {
    if (selected.current) field.current?.setSelectionRange(...selected.current)
    selected.current = undefined
  }, [draft])

  /** Sets text and selection in the same frame. One frame later, the next key of a fast typist would come first. */
  function put(text: string, from: number, to = from): void {
    setDraft(text)
    setCaret(to)
    if (text === draft) field.current?.setSelectionRange(from, to)
    else selected.current = [from, to]
  }
  const look = () => setCaret(field.current?.selectionStart ?? 0)
  return {
    draft,
    setDraft,
    look,
    open,
    setOpen,
    active,
    setActive,
    field,
    lines,
    waiting,
    remember,
    put,
    mistakes,
    mark,
    check,
  }
}

type Box = ReturnType<typeof useBox>

/** Keys of the field: move through the list, move between filters, and negate a filter. */
function onKeys(
  box: Box,
  event: KeyboardEvent<HTMLInputElement>,
  choose: (suggestion: Suggestion) => void,
  apply: (text: string) => void,
  leave: () => void,
): void {
  const { lines, active, open, draft } = box
  const input = event.currentTarget
  const selection = { from: input.selectionStart ?? 0, to: input.selectionEnd ?? 0 }
  const suggested = box.mistakes.flatMap(({ suggestion }) => suggestion ?? [])
  const isTermJump = event.altKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
  if (isTermJump) {
    const term = adjacentTerm(draft, selection, event.key === 'ArrowLeft' ? -1 : 1)
    event.preventDefault()
    if (term) box.put(draft, term.from, term.to)
  } else if (event.key === '!') {
    const inverted = withNegation(draft, selection)
    if (!inverted) return
    event.preventDefault()
    box.put(inverted.text, inverted.from, inverted.to)
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    if (!open) {
      box.setOpen(true)
      return
    }
    const step = event.key === 'ArrowDown' ? 1 : -1
    if (lines.length) box.setActive((active + step + lines.length + (active < 0 && step < 0 ? 1 : 0)) % lines.length)
  } else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) {
    const accepted = event.key === 'Enter' ? suggested[event.shiftKey ? 1 : 0] : undefined
    if (accepted && !open) {
      event.preventDefault()
      apply(accepted.text)
      return
    }
    const line = open ? lines[active] : undefined
    if (!line) return
    event.preventDefault()
    choose(line)
  } else if (event.key === 'Escape') {
    event.preventDefault()
    if (open && lines.length) box.setOpen(false)
    else leave()
  }
}

/** The input, and the same text behind it with highlighted filters. */
function Field({
  id,
  box,
  shown,
  error,
  label,
  placeholder,
  typed,
  onLeave,
  onKeyDown,
}: Pick<SearchBoxProps, 'error' | 'label' | 'placeholder' | 'onLeave'> & {
  typed: (text: string) => void
  id: string
  box: Box
  /** Whether the suggestions are shown. */
  shown: boolean
  onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void
}) {
  const highlight = useRef<HTMLDivElement>(null)
  const isWrong = box.mistakes.length > 0
  return (
    <>
      <div ref={highlight} className="search-marks" aria-hidden="true">
        <HighlightedQuery text={box.draft} />
      </div>
      <input
        ref={box.field}
        type="text"
        name="q"
        data-search
        role="combobox"
        className="search-input"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={`${id}-lines`}
        aria-activedescendant={shown && box.lines[box.active] ? `${id}-${box.active}` : undefined}
        aria-invalid={error || isWrong ? true : undefined}
        aria-describedby={isWrong ? `${id}-wrong` : error ? `${id}-error` : undefined}
        placeholder={placeholder}
        maxLength={4096}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={box.draft}
        onChange={(event) => {
          box.setDraft(event.target.value)
          if (isWrong) box.mark([])
          box.look()
          box.setOpen(true)
          typed(event.target.value)
        }}
        onFocus={() => {
          box.look()
          if (!isWrong) box.setOpen(true)
        }}
        onBlur={() => {
          box.setOpen(false)
          onLeave?.()
        }}
        onSelect={box.look}
        onScroll={(event) => {
          if (highlight.current) highlight.current.scrollLeft = event.currentTarget.scrollLeft
        }}
        onKeyDown={onKeyDown}
      />
    </>
  )
}

/**
 * The search field: filters as chips, and the same text to edit while it has the focus, with suggestions at the caret.
 * Enter applies the text, unless it has mistakes: then it names all of them, and nothing changes. A lone digest, event
 * id or short id opens its page instead, if it exists. The box keeps the typed text if the server rejects it (`error`).
 * Before the scripts run it is a plain form.
 */
export function SearchBox(props: SearchBoxProps) {
  const { value, onSearch, onType, error, hiddenParams, placeholder, jumps = true } = props
  const t = useTranslations('issues')
  const jump = useJump(jumps)
  const id = useId()
  const box = useBox(props)
  const { draft, field, lines, open } = box
  usePendingSearchFocus(field)
  function apply(text: string) {
    box.setOpen(false)
    jump(text, () => {
      box.setDraft(text)
      if (box.check(text)) return field.current?.focus()
      box.remember(text)
      onSearch(text.trim())
      field.current?.blur()
    })
  }
  function choose(line: Suggestion) {
    if (line.kind === 'recent') {
      box.setDraft(line.insert)
      return apply(line.insert)
    }
    const next = withSuggestion(draft, line)
    box.put(next.text, next.caret)
    box.setOpen(true)
    field.current?.focus()
  }
  function leave() {
    if (draft !== value) box.setDraft(value)
    onType?.(value)
    box.mark([])
    field.current?.blur()
  }
  const shown = open && (lines.length > 0 || box.waiting)
  const isWrong = box.mistakes.length > 0
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> can't be the form that Enter submits
    <form
      role="search"
      className="search-box"
      data-wrong={isWrong || undefined}
      onSubmit={(event) => {
        event.preventDefault()
        apply(draft)
      }}
    >
      <Search size={15} strokeWidth={1.75} aria-hidden="true" className="flex-none text-ink-3" />
      {Object.entries(hiddenParams).map(([name, text]) => (
        <input key={name} type="hidden" name={name} value={text} />
      ))}
      <div className="search-field">
        <Field
          {...props}
          id={id}
          box={box}
          shown={shown}
          typed={(text) => mistakesOf(text, props.projects, props.table).length === 0 && onType?.(text.trim())}
          onKeyDown={(event) => onKeys(box, event, choose, apply, leave)}
        />
        <SearchChips text={draft} mistakes={box.mistakes} placeholder={placeholder} change={apply} />
      </div>
      {draft ? (
        <button
          type="button"
          className="search-clear"
          aria-label={t('search.clear')}
          onClick={() => {
            box.setDraft('')
            box.mark([])
            onSearch('')
          }}
        >
          <X size={14} strokeWidth={1.75} />
        </button>
      ) : null}
      <kbd className="key search-key">/</kbd>
      <SearchLines
        id={id}
        lines={shown ? lines : []}
        active={box.active}
        waiting={shown && box.waiting}
        choose={choose}
      />
      {isWrong && !shown ? (
        // Its code is loaded with the first mistake. Without a boundary, the page around it would hide and lose the focus.
        <Suspense fallback={null}>
          <SearchMistakes id={`${id}-wrong`} mistakes={box.mistakes} apply={apply} />
        </Suspense>
      ) : null}
      {error && !shown && !isWrong ? (
        <div id={`${id}-error`} role="alert" className="search-error">
          {error.join(' ')}
        </div>
      ) : null}
    </form>
  )
}
