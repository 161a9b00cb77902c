'use client'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { PlainText } from '../../../ui/plain-text.tsx'
import { MetadataNote } from '../metadata-note.tsx'
import { previewOf } from './variable-text.ts'

/** Members to show per object before "more": a hostile payload can have 100,000. */
const membersStep = 50
const textMax = 2000

const colours: Readonly<Record<string, string>> = { string: 'syn-str', number: 'syn-num', bigint: 'syn-num' }

function Value({ value }: { value: unknown }) {
  const quote = typeof value === 'string' ? '"' : ''
  return (
    <span className={`var-value ${colours[typeof value] ?? 'syn-key'}`}>
      <PlainText text={`${quote}${String(value)}${quote}`} charactersMax={textMax} />
    </span>
  )
}

type VariableProps = { name: string; value: unknown; path: string; isOpen: boolean }

function Variable({ name, value, path, isOpen }: VariableProps) {
  const [open, setOpen] = useState(isOpen)
  const label = (
    <span className="var-name">
      <PlainText text={name} charactersMax={200} />
    </span>
  )
  const members = typeof value === 'object' && value !== null ? Object.keys(value).length : 0
  if (members === 0 || typeof value !== 'object' || value === null)
    return (
      <li className="var-row">
        {label} <Value value={typeof value === 'object' && value !== null ? leafOf(value) : value} />
        <MetadataNote path={path} />
      </li>
    )
  const Arrow = open ? ChevronDown : ChevronRight
  const count = Array.isArray(value) ? `[${members}]` : `{${members}}`
  return (
    <li>
      <button type="button" className="var-row" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Arrow size={12} aria-hidden="true" />
        {label} <span className="text-ink-3">{count}</span>
        {open ? null : (
          <span className="var-preview">
            <PlainText text={previewOf(value)} charactersMax={200} />
          </span>
        )}
      </button>
      {open ? <Members of={value} path={path} /> : null}
    </li>
  )
}

/** Stands for `{}` and `[]`, without quotes. */
const leafOf = (value: object) => ({ toString: () => (Array.isArray(value) ? '[]' : '{}') })

/** `openMax`: so many of the first members are open. Not all, so that the next frame stays near. */
function Members({ of, path, openMax = 0 }: { of: object; path: string; openMax?: number }) {
  const t = useTranslations('issues.json')
  const [shown, setShown] = useState(membersStep)
  const entries = Object.entries(of)
  return (
    <ul>
      {entries.slice(0, shown).map(([name, value], at) => (
        <Variable key={name} name={name} value={value} path={`${path}.${name}`} isOpen={at < openMax} />
      ))}
      {entries.length > shown ? (
        <li>
          <button type="button" className="link" onClick={() => setShown(shown + membersStep)}>
            {t('more', { count: entries.length - shown })}
          </button>
        </li>
      ) : null}
    </ul>
  )
}

/** The variables of a frame as a tree. The first object is open. `path` is their path in the payload. */
export function VariableTree({ vars, path }: { vars: Readonly<Record<string, unknown>>; path: string }) {
  const t = useTranslations('issuepage')
  return (
    <section className="vars" aria-label={t('variables')}>
      <Members of={vars} path={path} openMax={1} />
    </section>
  )
}
