'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import type { RestLogSummary } from '../../../contract/explore/logs.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import type { ProjectName } from '../search/list-params.ts'
import { chosenValues, toggledValue } from './filter-terms.ts'
import { levelsByRank, shapeOfLevel } from './levels.ts'
import { fieldsMax } from './params.ts'

const charactersMax = 60

type FacetValue = { value: string; count: number | undefined }

/** The values of a facet. A filter of the facet's own field hides its other values, so these are remembered. */
function useValues(
  facets: RestLogSummary['facets'],
  q: string,
): { key: string; values: FacetValue[]; more: boolean }[] {
  const remembered = useRef(new Map<string, string[]>())
  useEffect(() => {
    for (const { key, values } of facets)
      if (chosenValues(q, key).length === 0)
        remembered.current.set(
          key,
          values.map(({ value }) => value),
        )
  }, [facets, q])
  return facets.map(({ key, values, more }) => {
    const chosen = chosenValues(q, key)
    const known = key === 'level' ? [...levelsByRank] : chosen.length > 0 ? (remembered.current.get(key) ?? []) : []
    const names = [...new Set([...values.map(({ value }) => value), ...chosen, ...known])]
    const counts = new Map(values.map(({ value, count }) => [value, count]))
    const sorted = key === 'level' ? levelsByRank.filter((level) => names.includes(level)) : names
    return { key, more, values: sorted.map((value) => ({ value, count: counts.get(value) })) }
  })
}

function Mark({ facet, value, projects }: { facet: string; value: string; projects: readonly ProjectName[] }) {
  const shape = facet === 'level' ? shapeOfLevel(value) : undefined
  if (shape) return <SeverityShape level={shape} label="" sizePx={9} />
  const place = facet === 'project' ? projects.findIndex(({ slug }) => slug === value) : -1
  return place >= 0 ? <Rail place={place} /> : null
}

/** The field that a reader adds to the facets. */
function AnotherField({ fields, setFields }: { fields: readonly string[]; setFields: (fields: string[]) => void }) {
  const t = useTranslations('logs')
  const [isOpen, setOpen] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isOpen) input.current?.focus()
  }, [isOpen])
  if (fields.length >= fieldsMax) return null
  if (!isOpen)
    return (
      <button type="button" className="log-another link" onClick={() => setOpen(true)}>
        + {t('another')}
      </button>
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const name = input.current?.value.trim() ?? ''
        setOpen(false)
        if (name !== '' && !name.includes(',')) setFields([...fields, name])
      }}
    >
      <input
        ref={input}
        className="input input-compact"
        aria-label={t('another')}
        placeholder="cart.id"
        maxLength={200}
        onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
      />
    </form>
  )
}

/** The values of fields among the found lines, with their counts. A checked value is a filter. */
export function Facets({
  summary,
  q,
  fields,
  projects,
  search,
  setFields,
}: {
  summary: RestLogSummary
  q: string
  fields: readonly string[]
  projects: readonly ProjectName[]
  search: (q: string) => void
  setFields: (fields: string[]) => void
}) {
  const t = useTranslations('logs')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  const [isOpen, setOpen] = useState(false)
  const facets = useValues(summary.facets, q)
  return (
    <div className="log-side" data-open={isOpen || undefined}>
      <button type="button" className="log-fold-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t('facets')}
      </button>
      <div className="log-facets">
        {facets.map(({ key, values, more }) =>
          values.length === 0 && !fields.includes(key) ? null : (
            <section key={key} aria-label={key}>
              <h3 title={key}>
                {key === 'level' || key === 'project'
                  ? t(`facet.${key}`)
                  : t('facet.field', { name: key.slice(0, charactersMax) })}
                {fields.includes(key) ? (
                  <button
                    type="button"
                    className="log-remove"
                    aria-label={t('removeField', { name: key.slice(0, charactersMax) })}
                    onClick={() => setFields(fields.filter((field) => field !== key))}
                  >
                    ×
                  </button>
                ) : null}
              </h3>
              <ul>
                {values.map(({ value, count }) => (
                  <li key={value}>
                    <label className="log-facet">
                      <input
                        type="checkbox"
                        className="checkbox"
                        checked={chosenValues(q, key).includes(value)}
                        onChange={() => search(toggledValue(q, key, value))}
                      />
                      <Mark facet={key} value={value} projects={projects} />
                      <span className="log-facet-value">
                        <PlainText text={value} charactersMax={charactersMax} />
                      </span>
                      <span className="log-facet-count">{count === undefined ? '' : number.format(count)}</span>
                    </label>
                  </li>
                ))}
              </ul>
              {more ? <p className="log-more">{t('moreValues')}</p> : null}
            </section>
          ),
        )}
        <AnotherField fields={fields} setFields={setFields} />
      </div>
    </div>
  )
}
