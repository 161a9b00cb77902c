'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useRef } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'
import type { Suggestion } from './complete.ts'

export type SearchListProps = {
  id: string
  lines: readonly Suggestion[]
  active: number
  waiting: boolean
  choose: (suggestion: Suggestion) => void
}

/** The suggestions as the list of a combobox. The field keeps the focus. */
export function SearchList({ id, lines, active, waiting, choose }: SearchListProps) {
  const t = useTranslations('search')
  const number = new Intl.NumberFormat(useLocale(), { notation: 'compact' })
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active >= 0) list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div className="search-lines">
      <div ref={list} id={`${id}-lines`} role="listbox" aria-label={t('offered')}>
        {lines.map((line, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of a combobox
          <div
            key={`${line.kind} ${line.label}`}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            className="search-line"
            // Keep focus and caret in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(line)}
          >
            <code>
              <PlainText text={line.label} charactersMax={200} />
            </code>
            <span className="search-note">
              {line.kind === 'recent' ? t('recent') : line.events === null ? line.note : number.format(line.events)}
            </span>
          </div>
        ))}
        {waiting && lines.length === 0 ? (
          <div
            role="option"
            tabIndex={-1}
            aria-selected="false"
            aria-disabled="true"
            className="search-line text-ink-3"
          >
            {t('looking')}
          </div>
        ) : null}
      </div>
      <p className="search-help" aria-hidden="true">
        {t('help')}
      </p>
    </div>
  )
}
