'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'
import { Popup } from '../../ui/popup.tsx'
import { columnsMax } from './params.ts'

/** Fields that most lines have. Others are typed, or added from an open line. */
const offered = ['service', 'host', 'logger', 'environment', 'release', 'template']

/** Columns and facets of the open view that no line has, and that are therefore not shown. */
export function UnknownColumns({ names }: { names: readonly string[] }) {
  const t = useTranslations('logs.columns')
  if (names.length === 0) return null
  return (
    <p className="log-note" role="status">
      {t('unknown', { count: names.length })}{' '}
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 ? ', ' : ''}
          <code>
            <PlainText text={name} charactersMax={60} />
          </code>
        </span>
      ))}
    </p>
  )
}

/** Chooses the columns beside the message: fields, attributes, or paths into JSON bodies. */
export function Columns({ columns, change }: { columns: readonly string[]; change: (columns: string[]) => void }) {
  const t = useTranslations('logs.columns')
  const [typed, setTyped] = useState('')
  const isFull = columns.length >= columnsMax
  const toggle = (name: string) =>
    change(columns.includes(name) ? columns.filter((column) => column !== name) : [...columns, name])
  return (
    <Popup label={t('title')} value={columns.length > 0 ? String(columns.length) : t('message')} name="columns">
      {() => (
        <form
          className="log-columns"
          onSubmit={(event) => {
            event.preventDefault()
            const name = typed.trim()
            if (name === '' || name.includes(',') || columns.includes(name) || isFull) return
            setTyped('')
            change([...columns, name])
          }}
        >
          {[...new Set([...columns, ...offered])].map((name) => (
            <label key={name} className="log-facet">
              <input
                type="checkbox"
                className="checkbox"
                checked={columns.includes(name)}
                disabled={isFull && !columns.includes(name)}
                onChange={() => toggle(name)}
              />
              <code>
                <PlainText text={name} charactersMax={60} />
              </code>
            </label>
          ))}
          <input
            className="input input-compact"
            aria-label={t('other')}
            placeholder="body.order.items[].id"
            value={typed}
            maxLength={200}
            disabled={isFull}
            onChange={(event) => setTyped(event.target.value)}
          />
          {isFull ? <p className="log-note">{t('full', { max: columnsMax })}</p> : null}
        </form>
      )}
    </Popup>
  )
}
