'use client'
import { useTranslations } from 'next-intl'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import type { Mistake } from './mistakes.ts'

/** The keys that accept the first suggestions. */
const keys = ['↵', '⇧ ↵'] as const

/** All mistakes of the entered text, each with what was probably meant. The search box handles the keys. */
export function SearchMistakes({
  id,
  mistakes,
  apply,
}: {
  id: string
  mistakes: readonly Mistake[]
  apply: (text: string) => void
}) {
  const t = useTranslations('search.wrong')
  const suggested = mistakes.filter((mistake) => mistake.suggestion)
  return (
    <div id={id} role="alert" className="search-mistakes" aria-label={t('title')}>
      <ul>
        {mistakes.map((mistake) => {
          const { suggestion, reason, wrong } = mistake
          const key = keys[suggested.indexOf(mistake)]
          return (
            <li key={`${mistake.term} ${reason} ${wrong}`} data-first={key === '↵' || undefined}>
              <SeverityShape level="error" label="" />
              <span className="search-mistake">
                <PlainText text={t(`reason.${reason}`, { value: wrong.slice(0, 60) })} />{' '}
                {suggestion ? (
                  <button
                    type="button"
                    className="link"
                    // The field keeps the focus.
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => apply(suggestion.text)}
                  >
                    {t('meant', { term: suggestion.term.slice(0, 120) })}
                  </button>
                ) : null}
              </span>
              {key ? <kbd className="key">{key}</kbd> : null}
            </li>
          )
        })}
      </ul>
      <p>{t('left', { wrong: mistakes.length })}</p>
    </div>
  )
}
