'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { Facet } from '../../../store/events/question.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { keyOfTag, quoted, termsOf, withoutTerm } from '../search/terms.ts'
import { spanKeyTable } from './key-table.ts'
import { SampledNote } from './sampled-note.tsx'

const charactersMax = 60

/** The term of a facet's value. */
const termOf = (key: string, value: string): string =>
  `${spanKeyTable.offered.some(({ name }) => name === key) ? key : keyOfTag(key, spanKeyTable.keyOf)}:${quoted(value)}`

/** Adds a term to a search, or removes it. */
function toggledTerm(q: string, term: string): string {
  const at = termsOf(q).findIndex(({ text }) => text === term)
  return at >= 0 ? withoutTerm(q, at) : `${q} ${term}`.trim()
}

/** What the values of a facet are of: all of them together. */
const sumOf = (values: Facet['values']) => ({
  samples: values.reduce((sum, { samples }) => sum + samples, 0),
  count: values.reduce((sum, { count }) => sum + count, 0),
})

/** The values of columns and attributes among the found spans. A value is a filter. On a phone a button opens them. */
export function Facets({ facets, q, search }: { facets: readonly Facet[]; q: string; search: (q: string) => void }) {
  const t = useTranslations('spans')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale, { notation: 'compact' })
  const [isOpen, setOpen] = useState(false)
  const chosen = new Set(termsOf(q).map(({ text }) => text))
  return (
    <div className="span-side" data-open={isOpen || undefined}>
      <button type="button" className="span-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t('facets')}
      </button>
      <div className="span-facets">
        {facets.map(({ key, values }) => {
          const most = Math.max(...values.map(({ count }) => count))
          return (
            <section key={key} aria-label={key}>
              <h3 title={key}>
                <PlainText text={key} charactersMax={charactersMax} />
              </h3>
              <SampledNote {...sumOf(values)} />
              <ul>
                {values.map(({ value, count, samples }) => {
                  const term = termOf(key, value)
                  return (
                    <li key={value}>
                      <button
                        type="button"
                        aria-pressed={chosen.has(term)}
                        title={t('samplesOf', { samples: number.format(samples), count: number.format(count) })}
                        onClick={() => search(toggledTerm(q, term))}
                      >
                        <span className="span-share" style={{ width: `${(count / most) * 100}%` }} />
                        <span className="span-value">
                          <PlainText text={value} charactersMax={charactersMax} />
                        </span>
                        <span className="span-count">{number.format(count)}</span>
                      </button>
                    </li>
                  )
                })}
              </ul>
            </section>
          )
        })}
      </div>
    </div>
  )
}
