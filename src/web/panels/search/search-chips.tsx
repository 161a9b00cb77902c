'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { PlainText } from '../../ui/plain-text.tsx'
import type { Mistake } from './mistakes.ts'
import { termsOf, withoutTerm } from './terms.ts'

/** A list of values without its brackets. */
const shownValue = (value: string) => (/^\[.*\]$/s.test(value) ? value.slice(1, -1) : value)

/**
 * The terms of the search as chips, over the field while that has no focus. A click beside the buttons reaches the
 * field. `change` gets the text without a removed term.
 */
export function SearchChips({
  text,
  mistakes,
  placeholder,
  change,
}: {
  text: string
  mistakes: readonly Mistake[]
  placeholder: string
  change: (text: string) => void
}) {
  const t = useTranslations('search')
  const terms = termsOf(text)
  if (terms.length === 0) return null
  return (
    <div className="search-chips">
      <ul aria-label={t('filters')}>
        {terms.map((term, index) =>
          term.kind === 'operator' ? (
            <li key={term.from} className="search-operator">
              {term.text}
            </li>
          ) : (
            <li
              key={term.from}
              className="search-chip"
              data-wrong={mistakes.some((mistake) => mistake.term === index) || undefined}
            >
              <span className="search-chip-text">
                {term.key}
                <b>
                  <PlainText text={shownValue(term.value)} charactersMax={120} />
                </b>
              </span>
              <button
                type="button"
                aria-label={t('removeFilter', { term: term.text.slice(0, 200) })}
                onClick={() => change(withoutTerm(text, index))}
              >
                <X size={11} strokeWidth={2} aria-hidden="true" />
              </button>
            </li>
          ),
        )}
      </ul>
      <span className="search-add" aria-hidden="true">
        {placeholder}
      </span>
    </div>
  )
}
