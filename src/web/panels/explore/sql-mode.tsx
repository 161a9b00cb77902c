'use client'
import { useMutation } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import type { RestSqlAnswer, RestSqlViews } from '../../../contract/explore/sql.ts'
import { apiFetch } from '../../client/api.ts'
import { Button, TextArea } from '../../ui/forms/controls.tsx'
import { measureText } from '../../ui/measure.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { QueryFailed } from '../../ui/states.tsx'

function Answer({ answer }: { answer: RestSqlAnswer }) {
  const t = useTranslations('explore')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale)
  const measure = measureText(locale)
  const { columns, rows, meta } = answer
  return (
    <div className="explore-answer">
      <p className="explore-meta" role="status">
        {t('sqlMode.rows', { count: rows.length })}
        {' · '}
        {t('meta.read', {
          rows: number.format(meta.rowsRead),
          bytes: measure(meta.bytesRead, 'byte'),
          time: measure(meta.elapsedMs, 'millisecond'),
        })}
        {meta.truncated ? ` · ${t('sqlMode.truncated')}` : null}
      </p>
      <ScrollBox label={t('answer')}>
        <table className="explore-table">
          <thead>
            <tr>
              {columns.map(({ name, type }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns can have the same name
                <th key={at} scope="col" title={type}>
                  <PlainText text={name} charactersMax={80} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of an answer have no id
              <tr key={place}>
                {row.map((cell, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells have no id
                  <td key={at} className={typeof cell === 'number' ? 'number' : undefined}>
                    {cell === null ? (
                      <span className="text-ink-3">{t('noValue')}</span>
                    ) : (
                      <PlainText text={String(cell)} charactersMax={300} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </div>
  )
}

/** SQL of owners: one SELECT over views that hold only the rows of the reader's projects. */
export function SqlMode({
  organization,
  views,
  example,
}: {
  organization: string
  views: RestSqlViews
  example: string
}) {
  const t = useTranslations('explore.sqlMode')
  const [sql, setSql] = useState(example)
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (statement: string) =>
      apiFetch<RestSqlAnswer>(`organizations/${organization}/explore/sql/`, {
        method: 'POST',
        body: { sql: statement },
      }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(sql)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) mutate(sql)
  }
  return (
    <div className="explore-sql">
      <form onSubmit={submit}>
        <label htmlFor="explore-sql">{t('label')}</label>
        <TextArea
          id="explore-sql"
          rows={8}
          value={sql}
          maxLength={20_000}
          spellCheck={false}
          autoCapitalize="off"
          onChange={(event) => setSql(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <Button type="submit" look="main" disabled={isPending}>
          {isPending ? t('running') : t('run')}
        </Button>
        <span className="text-ink-3">{t('limits')}</span>
      </form>
      <details>
        <summary>{t('views')}</summary>
        <dl>
          {views.map(({ name, columns }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                <code>{columns.join(', ')}</code>
              </dd>
            </div>
          ))}
        </dl>
      </details>
      {error ? <QueryFailed error={error} /> : null}
      {data && !error ? <Answer answer={data} /> : null}
    </div>
  )
}
