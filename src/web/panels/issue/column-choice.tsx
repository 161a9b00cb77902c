'use client'
import { useTranslations } from 'next-intl'
import type { FormEvent } from 'react'
import { withBase } from '../../base-path.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'

/** Keeps the columns in a cookie for a year, so that the server renders them. Empty: the default again. */
function keepColumns(columns: readonly string[]): void {
  const value = encodeURIComponent(columns.join(','))
  const age = columns.length > 0 ? 31_536_000 : 0
  // biome-ignore lint/suspicious/noDocumentCookie: not every supported browser has the Cookie Store API
  document.cookie = `columns=${value}; path=${withBase('/')}; max-age=${age}; samesite=lax`
}

/** Chooses the columns of the table of events. A form, so it works without scripts; the choice is in the URL. */
export function ColumnChoice({
  offered,
  shown,
  path,
  params,
  defaultHref,
}: {
  offered: readonly string[]
  shown: readonly string[]
  /** Path of the table, without a query string. */
  path: string
  /** Other parameters of the URL. */
  params: readonly (readonly [name: string, value: string])[]
  /** The table with the default columns. */
  defaultHref: string
}) {
  const t = useTranslations('parts.columns')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const chosen = new FormData(event.currentTarget).getAll('columns')
    keepColumns(chosen.filter((column) => typeof column === 'string'))
  }
  return (
    <details className="column-choice">
      <summary className="button button-compact">{t('title')}</summary>
      <form method="get" action={withBase(path)} onSubmit={submit}>
        {params.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <fieldset>
          <legend>{t('legend')}</legend>
          {offered.map((column) => (
            <label key={column}>
              <input type="checkbox" name="columns" value={column} defaultChecked={shown.includes(column)} />{' '}
              <PlainText text={column} charactersMax={60} />
            </label>
          ))}
        </fieldset>
        <div className="flex gap-2">
          <button type="submit" className="button button-main button-compact">
            {t('apply')}
          </button>
          <Link className="button button-compact" href={defaultHref} onClick={() => keepColumns([])}>
            {t('reset')}
          </Link>
        </div>
      </form>
    </details>
  )
}
